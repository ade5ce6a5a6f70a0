"""What the DAG's tasks hand to each other: counts and ids, a question for a person, and the name of who answered."""

from __future__ import annotations

import json

import pytest

from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.steps import reconcile as steps_reconcile
from pipeline.settings import Settings
from pipeline.storage import approvals
from pipeline.testing.drift import seed
from pipeline.testing.truth import empty_truth
from pipeline.wiring import open_services


@pytest.fixture
def seen(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The copy of the sample home, as a task's environment names it."""
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


def test_a_clean_home_raises_no_question(seen: Settings):
    found = steps_reconcile.compare()
    assert (found["clean"], found["plan"], found["question"]) == (True, None, None)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ({"responded_by_user": {"id": "7", "name": "jdoe"}, "params_input": {"reason": "withdrawn"}}, "jdoe"),
        ({"responded_by_user": {"id": "7"}, "params_input": {"reason": "withdrawn"}}, "7"),
        ({"responded_by_user": None, "params_input": {"reason": "withdrawn"}}, "airflow"),
    ],
)
def test_what_a_person_approved_is_carried_out_in_that_persons_name(seen: Settings, answer: dict, name: str):
    with open_services(seen) as services:
        empty_truth(services)
    found = steps_reconcile.compare()
    body = found["question"]["body"]
    assert "**truth_empty**" in body
    assert found["plan_sha256"] in body
    assert f"{found['found']:,} points" in found["question"]["subject"]
    json.dumps(found)
    assert steps_reconcile.next_task(found, repair=True, ask=True) == "ask"
    assert steps_reconcile.carry_out(found, answer)["found"] == 0
    with open_services(seen) as services, services.db.read() as tx:
        (kept,) = approvals.of_plan(tx, found["run_id"])
    assert (kept.approved_by, kept.reason) == (name, "withdrawn")


def test_without_an_answer_guards_decide(seen: Settings):
    with open_services(seen) as services:
        seed(services, DriftClass.PAYLOAD_DRIFT)
    found = steps_reconcile.compare()
    assert found["refused"] == []
    done = steps_reconcile.carry_out(found, None)
    assert done["clean"]
    assert done["repaired"] == {"payload_drift": found["classes"]["payload_drift"]}
