"""Lets a test do something at a chosen moment of a job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def just_before(holder: Any, method: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Do something right before the first call of a method. Returns what says whether it was done."""
    original, pending = getattr(holder, method), [act]

    def interrupted(*arguments: Any, **named: Any) -> Any:
        if pending:
            pending.pop()()
        return original(*arguments, **named)

    monkeypatch.setattr(holder, method, interrupted)
    return lambda: not pending
