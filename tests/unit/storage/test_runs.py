from __future__ import annotations

from datetime import datetime, timedelta
from uuid import uuid4

from pipeline.storage import runs
from pipeline.storage.engine import Database
from pipeline.storage.runs import Run, RunOutcome


def test_a_run_keeps_its_kind_state_times_and_counts(db: Database, now: datetime) -> None:
    with db.begin() as tx:
        run_id = runs.start_run(tx, "ingest", now)
        assert runs.get_run(tx, run_id) == Run(run_id, "ingest", "running", now, None, {})
        runs.finish_run(tx, run_id, "incomplete", {"seen": 3, "classes": {"ok": 2}}, now + timedelta(minutes=1))
    with db.read() as tx:
        found = runs.get_run(tx, run_id)
    assert found == Run(run_id, "ingest", "incomplete", now, now + timedelta(minutes=1), {"seen": 3, "classes": {"ok": 2}})


def test_outcomes_come_back_as_given_in_order_and_belong_to_one_run(db: Database, now: datetime) -> None:
    given = [
        RunOutcome("fetch", "failure", "not_json", origin="invented.jsonl line 3"),
        RunOutcome("normalize", "notice", "unknown_value", "NCT90000001", "overall_status", "PAUSED_FOREVER", "page 1", 2),
        RunOutcome("normalize", "notice", "unknown_value", "NCT90000002", "overall_status", "PAUSED_FOREVER", "page 1"),
    ]
    with db.begin() as tx:
        run_id = runs.start_run(tx, "ingest", now)
        other = runs.start_run(tx, "ingest", now)
        runs.add_outcomes(tx, run_id, given)
        runs.add_outcomes(tx, other, [])
    with db.read() as tx:
        assert runs.outcomes_of(tx, run_id) == given
        assert runs.outcomes_of(tx, other) == []


def test_hostile_names_are_stored_in_what_a_column_can_hold(db: Database, now: datetime) -> None:
    hostile = RunOutcome("fetch", "failure", "not_json", source_key="N" * 5000, origin="odd\x00name\udcff.json line 1")
    with db.begin() as tx:
        run_id = runs.start_run(tx, "ingest", now)
        runs.add_outcomes(tx, run_id, [hostile])
    with db.read() as tx:
        (found,) = runs.outcomes_of(tx, run_id)
    assert found.source_key is not None
    assert (len(found.source_key), found.source_key[-1]) == (255, "…")
    assert found.origin is not None
    assert found.origin.startswith("odd\ufffdname\ufffd")


def test_the_latest_runs_are_those_that_began_last(db: Database, now: datetime) -> None:
    with db.begin() as tx:
        first, second, third = [runs.start_run(tx, kind, now + timedelta(hours=n)) for n, kind in enumerate(("index", "ingest", "index"))]
    with db.read() as tx:
        newest = runs.latest_run(tx, "index")
        assert newest is not None
        assert newest.run_id == third
        assert [run.run_id for run in runs.latest_runs(tx, 2)] == [third, second]
        assert len(runs.latest_runs(tx, 10)) == 3
        assert runs.latest_run(tx, "reconcile") is None
        assert runs.get_run(tx, uuid4()) is None
    assert first != second
