"""Fixtures of the tests that run whole jobs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipeline.settings import Settings
from pipeline.wiring import Services, open_services


@pytest.fixture
def other(home: Settings) -> Iterator[Services]:
    """The same home, opened once more."""
    with open_services(home) as opened:
        yield opened
