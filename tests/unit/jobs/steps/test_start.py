"""The first task of every DAG: it says what it found, and stops only what could not end well."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pipeline.domain.errors import CollectionMissingError, ForeignModelError
from pipeline.index.lock import IndexLock
from pipeline.jobs.index import begin_run
from pipeline.jobs.steps.start import start_check
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.wiring import Services, open_services, utc_now


@pytest.fixture
def task_home(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A home that a task finds by its environment."""
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


def _do(home: Settings, what: Callable[[Services], object]) -> None:
    with open_services(home) as services:
        what(services)


def test_a_home_that_agrees_is_clean(task_home: Settings) -> None:
    found = start_check()
    assert (found["verdict"], found["findings"], found["killed_runs"]) == ("clean", [], 0)
    assert found["points"] == found["expected_points"] > 0


def test_drift_is_said_and_stops_nothing(task_home: Settings) -> None:
    def lose_a_point(services: Services) -> None:
        with services.index.session() as index:
            index.delete_points([next(index.scan(batch_size=1)).id])

    _do(task_home, lose_a_point)
    found = start_check()
    assert found["verdict"] == "drift"
    assert found["points"] == found["expected_points"] - 1


def test_an_index_that_another_process_holds_is_unknown(task_home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLINDEX_LOCK_TIMEOUT_SECONDS", "0.1")
    (lock_file,) = [path for path in task_home.home.rglob("*.lock") if not path.name.endswith(".turn.lock")]
    lock = IndexLock(lock_file.parent, lock_file.name.removesuffix(".lock"))
    lock.acquire(5)
    try:
        found = start_check()
    finally:
        lock.release()
    assert (found["verdict"], found["error"]) == ("unknown", "StoreBusyError")


def test_a_missing_collection_stops_the_run(task_home: Settings) -> None:
    _do(task_home, lambda services: services.index.remove())
    with pytest.raises(CollectionMissingError):
        start_check()


def test_a_collection_of_a_foreign_model_stops_the_run(task_home: Settings) -> None:
    (metadata,) = task_home.home.rglob("index/*.json")
    text = metadata.read_text(encoding="utf-8")
    made_for = json.loads(text)["clindex"]["model"]
    metadata.write_text(text.replace(made_for, "0" * 32), encoding="utf-8")
    with pytest.raises(ForeignModelError):
        start_check()


def test_runs_whose_process_was_killed_are_closed(task_home: Settings) -> None:
    def die(services: Services) -> None:
        run_id = begin_run(services)
        with services.db.begin() as tx:
            runs.hand_on(tx, run_id, utc_now() - 2 * runs.SILENT_FOR)

    _do(task_home, die)
    assert start_check()["killed_runs"] == 1
