from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from pipeline.processes import process_start
from pipeline.storage import runs
from pipeline.storage.engine import Database
from pipeline.storage.runs import SILENT_FOR, Run, RunOutcome
from pipeline.storage.tables import runs as table


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


def _begun_by(db: Database, run_id: UUID, **process: object) -> None:
    with db.begin() as tx:
        tx.execute(update(table).where(table.c.run_id == run_id).values(**process))


def _started(db: Database, now: datetime) -> UUID:
    with db.begin() as tx:
        return runs.start_run(tx, "index", now)


def _state(db: Database, run_id: UUID) -> Run:
    with db.read() as tx:
        run = runs.get_run(tx, run_id)
    assert run is not None
    return run


def test_a_run_of_a_living_process_is_alive_however_long_it_is_silent(db: Database, now: datetime) -> None:
    run_id = _started(db, now)
    with db.begin() as tx:
        assert [run.run_id for run in runs.alive(tx, now + 10 * SILENT_FOR)] == [run_id]
        assert runs.close_dead(tx, now + 10 * SILENT_FOR) == 0
    assert _state(db, run_id).state == "running"


def test_a_run_of_a_process_that_was_killed_is_closed_as_killed_at_its_last_sign_of_life(db: Database, now: datetime) -> None:
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as process:
        run_id = _started(db, now)
        _begun_by(db, run_id, pid=process.pid, pid_started=process_start(process.pid))
        with db.begin() as tx:
            runs.beat(tx, run_id, now + timedelta(seconds=40))
            assert [run.run_id for run in runs.alive(tx, now)] == [run_id]
        process.kill()
    later = now + timedelta(minutes=1)
    with db.begin() as tx:
        assert runs.alive(tx, later) == []
        assert runs.close_dead(tx, later) == 1
        assert runs.close_dead(tx, later) == 0
    assert _state(db, run_id) == Run(run_id, "index", "killed", now, now + timedelta(seconds=40), {})


def test_a_number_that_is_used_again_is_not_believed(db: Database, now: datetime) -> None:
    run_id = _started(db, now)
    mine = process_start(os.getpid())
    if mine is None:
        pytest.skip("this system does not say when a process started")
    _begun_by(db, run_id, pid_started=mine - 1)
    with db.read() as tx:
        assert runs.alive(tx, now) == []


@pytest.mark.parametrize("elsewhere", [False, True], ids=["handed on", "on another machine"])
def test_a_run_without_a_process_here_is_alive_by_its_signs_of_life(db: Database, now: datetime, elsewhere: bool) -> None:
    run_id = _started(db, now)
    if elsewhere:
        _begun_by(db, run_id, host="another.example", pid=1, pid_started=0)
    else:
        with db.begin() as tx:
            runs.hand_on(tx, run_id, now)
    with db.read() as tx:
        assert [run.run_id for run in runs.alive(tx, now + SILENT_FOR)] == [run_id]
        assert runs.alive(tx, now + SILENT_FOR + timedelta(seconds=1)) == []
        assert runs.alive(tx, now - SILENT_FOR - timedelta(seconds=1)) == []
    with db.begin() as tx:
        runs.beat(tx, run_id, now + SILENT_FOR)
        assert runs.close_dead(tx, now + 2 * SILENT_FOR) == 0


def test_starting_a_run_closes_those_that_died_and_no_finished_one(db: Database, now: datetime) -> None:
    dead, done = _started(db, now), _started(db, now)
    _begun_by(db, dead, pid=None)
    with db.begin() as tx:
        runs.finish_run(tx, done, "success", {}, now)
    fresh = _started(db, now + 2 * SILENT_FOR)
    assert [_state(db, one).state for one in (dead, done, fresh)] == ["killed", "success", "running"]


def test_a_run_that_was_only_silent_and_ends_after_all_keeps_its_own_end(db: Database, now: datetime) -> None:
    run_id = _started(db, now)
    with db.begin() as tx:
        runs.hand_on(tx, run_id, now)
        runs.close_dead(tx, now + 2 * SILENT_FOR)
        runs.finish_run(tx, run_id, "success", {"seen": 1}, now + 3 * SILENT_FOR)
    assert _state(db, run_id) == Run(run_id, "index", "success", now, now + 3 * SILENT_FOR, {"seen": 1})
