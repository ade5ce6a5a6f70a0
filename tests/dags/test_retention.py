"""The DAG ``retention``: what waits for a person, and what runs whatever they say."""

from __future__ import annotations

import pytest

from pipeline.settings import Settings


def test_silence_is_a_no_and_the_certificates_are_verified_all_the_same(dag_bag):
    dag = dag_bag.dags["retention"]
    ask = dag.get_task("ask")
    assert ask.defaults == ["Reject"]
    assert ask.response_timeout.total_seconds() == 3 * 24 * 3600
    assert ask.downstream_task_ids == {"delete"}
    assert dag.get_task("verify").trigger_rule == "all_done"


def test_nobody_switches_deletion_on_by_installing_it(dag_bag):
    assert dag_bag.dags["retention"].is_paused_upon_creation is not False


def test_a_week_in_which_nothing_has_expired_verifies_and_is_green(home: Settings, monkeypatch: pytest.MonkeyPatch, airflow_home, dag_bag):
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    run = dag_bag.dags["retention"].test()
    states = {one.task_id: str(one.state) for one in run.get_task_instances()}
    assert str(run.state) == "success"
    assert (states["ask"], states["delete"], states["verify"], states["judge"]) == ("skipped", "skipped", "success", "success")
