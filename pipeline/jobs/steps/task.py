"""What every task does first, and what Airflow tells a task of the person who was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from pipeline.observability import quiet_libraries
from pipeline.settings import Settings
from pipeline.wiring import Services, open_services

Json = dict[str, Any]

NOBODY: Final = "airflow"  # who answered, where Airflow does not say (no users are known to it)


@contextmanager
def task_home() -> Iterator[Services]:
    """Open the home that the environment names. In a task Airflow's logging is at work, which libraries must not put URLs into."""
    quiet_libraries()
    with open_services(Settings()) as services:
        yield services


def name_in(answer: Mapping[str, Any]) -> str:
    """Return who answered (``responded_by_user`` of an answer)."""
    user = answer.get("responded_by_user") or {}
    return str(user.get("name") or user.get("id") or NOBODY) if isinstance(user, Mapping) else NOBODY


def reason_in(answer: Mapping[str, Any]) -> str:
    """Return what the person wrote into the form's ``reason``; nothing where it was left empty."""
    return str((answer.get("params_input") or {}).get("reason") or "").strip()
