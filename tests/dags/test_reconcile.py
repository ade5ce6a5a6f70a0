"""The DAG ``reconcile``: what is repaired without a person, what waits for one, and what a refusal leaves as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.steps.reconcile import next_task
from pipeline.settings import Settings
from pipeline.testing.drift import seed, snapshot
from pipeline.testing.truth import empty_truth
from pipeline.wiring import open_services

REFUSED = {"guard": "share_of_index", "reason": "too much", "approvable": True}
RUNNING = {"guard": "running_job", "reason": "a job is running", "approvable": False}


@pytest.mark.parametrize(
    ("plan", "refused", "repair", "ask", "expected"),
    [
        (None, [], True, True, "report"),
        ("p", [REFUSED], False, True, "report"),
        ("p", [], True, True, "carry_out"),
        ("p", [REFUSED], True, True, "ask"),
        ("p", [REFUSED], True, False, "carry_out"),  # the guards refuse again: red
        ("p", [REFUSED, RUNNING], True, True, "carry_out"),  # nobody may overrule that: nobody is asked
    ],
)
def test_who_decides(plan: str | None, refused: list[dict], repair: bool, ask: bool, expected: str):
    assert next_task({"plan": plan, "refused": refused}, repair=repair, ask=ask) == expected


def test_a_person_answers_within_a_day_and_silence_is_a_no(dag_bag):
    ask = dag_bag.dags["reconcile"].get_task("ask")
    assert ask.defaults == ["Reject"]
    assert ask.response_timeout.total_seconds() == 12 * 3600
    assert ask.downstream_task_ids == {"carry_out"}  # a rejection skips the repair, and neither report nor judgement
    assert ask.ignore_downstream_trigger_rules is False


@pytest.fixture
def airflow_sees(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The copy of the sample home, as the tasks' environment names it."""
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


def states(run) -> dict[str, str]:
    return {one.task_id: str(one.state) for one in run.get_task_instances()}


def test_small_drift_is_repaired_without_a_person(airflow_sees: Settings, dag_bag):
    with open_services(airflow_sees) as services:
        seed(services, DriftClass.ORPHAN_DOCUMENT)
    run = dag_bag.dags["reconcile"].test(run_conf={"repair": True})
    assert str(run.state) == "success"
    assert states(run)["ask"] == "skipped"
    assert states(run)["carry_out"] == "success"


def test_drift_that_nobody_asked_to_repair_is_red_and_stays(airflow_sees: Settings, dag_bag):
    with open_services(airflow_sees) as services:
        seed(services, DriftClass.ORPHAN_DOCUMENT)
        before = snapshot(services)
    run = dag_bag.dags["reconcile"].test(run_conf={"repair": False})  # an earlier test run leaves its params in the DAG
    assert str(run.state) == "failed"
    assert (states(run)["carry_out"], states(run)["report"], states(run)["judge"]) == ("skipped", "success", "failed")
    with open_services(airflow_sees) as services:
        assert snapshot(services) == before


def test_a_refused_plan_without_a_person_is_red_and_nothing_is_deleted(airflow_sees: Settings, dag_bag):
    with open_services(airflow_sees) as services:
        before = snapshot(services)
        empty_truth(services)
    run = dag_bag.dags["reconcile"].test(run_conf={"repair": True, "ask": False})
    assert str(run.state) == "failed"
    assert (states(run)["ask"], states(run)["carry_out"], states(run)["report"]) == ("skipped", "failed", "success")
    with open_services(airflow_sees) as services:
        assert snapshot(services) == before
    assert list(Path(airflow_sees.reports_folder, "plans").glob("undo-*")) == []
