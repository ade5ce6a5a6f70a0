"""The DAG ``reindex`` with a candidate: previewed, built in batches, judged, and never live without a person."""

from __future__ import annotations

import json

import pytest

from pipeline.jobs.steps import reindex as steps_reindex
from pipeline.settings import Settings
from pipeline.storage import collections
from pipeline.wiring import open_services

CONF = {"reason": "another chunker", "candidate": True, "kind": None, "source": None, "dry_run": False}


@pytest.fixture
def airflow_sees(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The copy of the sample home, as the tasks' environment names it."""
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    monkeypatch.setenv("CLINDEX_AIRFLOW_BATCH_DOCUMENTS", "30")
    monkeypatch.setenv("CLINDEX_PARENT_CONTEXT_CHARACTERS", "20")
    return Settings()


def roles(settings: Settings) -> dict[str, str]:
    with open_services(settings) as services, services.db.read() as tx:
        return {one.name: one.role.value for one in collections.listed(tx)}


def test_a_person_answers_within_a_day_and_silence_is_a_no(dag_bag):
    ask = dag_bag.dags["reindex"].get_task("ask")
    assert ask.defaults == ["Reject"]
    assert ask.response_timeout.total_seconds() == 20 * 3600
    assert ask.upstream_task_ids == {"gate"}
    assert ask.downstream_task_ids == {"promote"}  # a rejection skips the switch, and not the judgement


def test_a_dry_run_previews_and_asks_nobody(airflow_sees: Settings, dag_bag):
    run = dag_bag.dags["reindex"].test(run_conf={**CONF, "dry_run": True})
    states = {one.task_id: str(one.state) for one in run.get_task_instances()}
    assert (str(run.state), states["ask"], states["promote"]) == ("success", "skipped", "skipped")
    assert roles(airflow_sees) == {"clindex": "live"}


def test_the_tasks_build_judge_and_switch(airflow_sees: Settings):
    planned = steps_reindex.plan(CONF)
    assert planned["collection"] == "clindex-2"
    assert len(planned["batches"]) == 3  # 77 documents, 30 a batch
    done = [steps_reindex.index_batch(batch) for batch in planned["batches"]]
    summary = steps_reindex.complete(planned, done)
    assert (summary["points_written"], summary["lost_batches"]) == (planned["preview"]["points"], 0)
    question = steps_reindex.gate(planned)["question"]
    assert "clindex-2" in question["subject"]
    assert "filtered_recall" in question["body"]
    assert roles(airflow_sees) == {"clindex": "live", "clindex-2": "candidate"}  # until somebody says yes
    assert steps_reindex.promote()["live"] == "clindex-2"
    assert roles(airflow_sees) == {"clindex": "previous", "clindex-2": "live"}
    assert json.loads(json.dumps([planned, done, summary, question]))  # what travels through XCom
