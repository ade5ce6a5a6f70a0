"""Which runs a message is about, and what it says: from truth."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from pipeline.domain.errors import UsageError
from pipeline.jobs.notify import AirflowRun, Message, message_of, named, runs_of
from pipeline.jobs.notify.facts import superseded
from pipeline.storage import runs
from pipeline.storage.runs import Run, RunOutcome
from pipeline.wiring import Services

AT = datetime(2030, 1, 2, tzinfo=UTC)
CANARY = "Zebulon Quartermain-Oddfellow"
DAG_RUN = "scheduled__2030-01-02T02:15:00+00:00"


def ended(services: Services, kind: str, state: runs.RunState, *, hours: float = 0, counts: dict[str, Any] | None = None) -> UUID:
    at = AT + timedelta(hours=hours)
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, kind, at)
        runs.finish_run(tx, run_id, state, counts or {}, at + timedelta(minutes=1))
    return run_id


def airflow(*kinds: str, failed: bool = True, since: datetime | None = AT, dag_run: str = DAG_RUN) -> AirflowRun:
    return AirflowRun(dag="ingest_trials", dag_run=dag_run, kinds=kinds, failed=failed, since=since)


def message(services: Services, of: AirflowRun, *, now: datetime | None = None, **settings: Any) -> Message | None:
    chosen = services.settings.model_copy(update=settings)
    with services.db.read() as tx:
        return message_of(tx, chosen, runs_of(tx, of), now=now or datetime.now(UTC), airflow=of)


def test_a_red_run_is_told_with_ids_counts_and_a_link(services: Services):
    run_id = ended(services, "ingest", "incomplete")
    with services.db.begin() as tx:
        runs.add_outcomes(
            tx, run_id, [RunOutcome("normalize", "failure", "not_json", source_key=CANARY, value=CANARY, origin=CANARY, count=3)]
        )
    found = message(services, airflow("ingest"), public_url="https://search.example/")
    assert found is not None
    assert found.subject == "Clindex ingest_trials: incomplete"
    assert (found.dag, found.dag_run, found.report) == ("ingest_trials", DAG_RUN, "https://search.example/report")
    assert [(run.run_id, run.state, run.failures) for run in found.runs] == [(str(run_id), "incomplete", {"not_json": 3})]
    assert found.text.splitlines() == [
        "[incomplete] The ingest run left something out: not_json 3.",
        "",
        f"DAG ingest_trials, run {DAG_RUN}",
        f"- ingest {run_id}: incomplete",
        "Report: https://search.example/report",
    ]
    assert "Quartermain" not in found.model_dump_json()


def test_a_green_run_is_quiet_unless_statuses_are_too_old(services: Services):
    ended(services, "ingest", "success")
    assert message(services, airflow("ingest", failed=False), now=datetime.now(UTC)) is None
    late = message(services, airflow("ingest", failed=False), now=datetime.now(UTC) + timedelta(days=20))
    assert late is not None
    assert [one.topic for one in late.findings] == ["freshness"]
    assert message(services, airflow("index", failed=False), now=datetime.now(UTC) + timedelta(days=20)) is None


def test_a_dag_run_that_failed_is_told_although_no_run_says_why(services: Services):
    before = message(services, airflow("ingest"))
    assert before is not None
    assert [one.says for one in before.findings] == ["It failed before a run of ours began: the task's log in Airflow says why."]
    ended(services, "ingest", "success")
    beside = message(services, airflow("ingest"), now=datetime.now(UTC))
    assert beside is not None
    assert "beside the runs" in beside.findings[0].says


def test_only_runs_of_the_dags_kinds_since_it_began_are_meant(services: Services):
    ended(services, "ingest", "failed", hours=-1)
    ended(services, "index", "failed", hours=1)
    mine = ended(services, "ingest", "failed", hours=1)
    found = message(services, airflow("ingest"))
    assert found is not None
    assert [run.run_id for run in found.runs] == [str(mine)]


def test_a_run_that_goes_on_is_told_of_a_red_dag_run_alone(services: Services):
    with services.db.begin() as tx:
        runs.start_run(tx, "index", AT)
    assert message(services, airflow("index", failed=False)) is None
    found = message(services, airflow("index"))
    assert found is not None
    assert [one.says for one in found.findings] == ["The index run began and never ended."]


def test_where_airflow_does_not_say_when_it_began_the_last_run_is_meant(services: Services):
    ended(services, "ingest", "failed", hours=1)
    last = ended(services, "ingest", "failed", hours=2)
    found = message(services, airflow("ingest", since=None))
    assert found is not None
    assert [run.run_id for run in found.runs] == [str(last)]


def test_topics_that_nobody_wants_are_left_out(services: Services):
    ended(services, "ingest", "incomplete")
    later = datetime.now(UTC) + timedelta(days=20)
    found = message(services, airflow("ingest"), now=later, notify_on=("freshness",))
    assert found is not None
    assert [one.topic for one in found.findings] == ["freshness"]
    assert message(services, airflow("ingest"), notify_on=("drift",)) is None


def test_the_name_of_a_dag_run_that_a_person_wrote_is_not_told(services: Services):
    ended(services, "ingest", "failed")
    found = message(services, airflow("ingest", dag_run=CANARY))
    assert found is not None
    assert found.dag_run is None
    assert "Quartermain" not in found.text + found.model_dump_json()


def test_runs_by_id_and_the_last_of_each_kind(services: Services):
    first = ended(services, "ingest", "failed", hours=1)
    last = ended(services, "ingest", "incomplete", hours=2)
    with services.db.read() as tx:
        assert [run.run_id for run in named(tx, [first])] == [first]
        assert last in [run.run_id for run in named(tx, [])]
        assert first not in [run.run_id for run in named(tx, [])]
        with pytest.raises(UsageError, match="there is no run"):
            named(tx, [uuid4()])


def of(kind: str, state: str, hour: int) -> Run:
    return Run(uuid4(), kind, state, AT + timedelta(hours=hour), None, {})


def test_what_was_tried_again_and_what_was_repaired_is_not_told():
    broke, again = of("ingest", "failed", 0), of("ingest", "success", 1)
    before, after = of("reconcile", "incomplete", 2), of("reconcile", "success", 3)
    assert superseded([broke, again, before, after]) == [again, after]
    assert superseded([again, of("ingest", "killed", 2)])[-1].state == "killed"
    two = [of("delete", "incomplete", 0), of("delete", "success", 1)]
    assert superseded(two) == two
