"""A small home for every trial, and the suite's sum at its end."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from pipeline.settings import Settings
from tests.chaos.corpus import indexed_home
from tests.chaos.harness import TALLY, Scenario, Trials
from tests.chaos.scenarios import DOCUMENTS


@pytest.fixture(scope="session")
def small_home(disk: Path, models: Path) -> Settings:
    """Six studies, indexed; two documents a batch. Read only."""
    return indexed_home(Settings(home=disk / "home", models_path=models, index_batch_documents=2, max_delete_share=1), DOCUMENTS)


@pytest.fixture(scope="session")
def trials(small_home: Settings, disk: Path) -> Callable[[Scenario], Trials]:
    """Returns a scenario's trials: its home is prepared, and its job done without a fault, once for all tests."""

    @cache
    def of(scenario: Scenario) -> Trials:
        return Trials(scenario, small_home, Path(tempfile.mkdtemp(dir=disk)))

    return of


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the suite's tests: they take seconds, and `-m chaos` names them."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("chaos")
            item.add_marker("slow")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what the suite did."""
    if not TALLY.runs:
        return
    summary = TALLY.as_json()
    terminalreporter.section("chaos")
    terminalreporter.write_line(json.dumps(summary, indent=2))
    if path := os.environ.get("CLINDEX_CHAOS_JSON"):
        Path(path).write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
