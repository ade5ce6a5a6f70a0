"""The DAG ``evaluate``: green without judgements, red below a floor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.domain.errors import IncompleteRunError
from pipeline.jobs.steps.evaluate import judge
from pipeline.settings import Settings

ASKED = {"skipped": False, "below": [], "missing": 0}


@pytest.fixture
def airflow_sees(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The copy of the sample home, as the tasks' environment names it."""
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


@pytest.fixture
def judged(airflow_sees: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Two queries of the site's own, as the settings name them."""
    queries = tmp_path / "queries.jsonl"
    rows = [{"id": "a", "text": "septic shock", "relevant": ["NCT99000022"]}, {"id": "b", "text": "migraine", "relevant": ["NCT99000019"]}]
    queries.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.setenv("CLINDEX_EVALUATION_QUERIES", str(queries))
    return airflow_sees


def test_a_home_without_judgements_is_asked_nothing_and_is_green(airflow_sees: Settings, dag_bag):
    run = dag_bag.dags["evaluate"].test()  # studies alone: the shipped queries ask for documents too
    assert str(run.state) == "success"
    assert not (airflow_sees.reports_folder / "evaluations").exists()


def test_figures_are_kept_and_a_floor_that_is_met_is_green(judged: Settings, dag_bag, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_EVALUATION_MIN_RECALL", "0.5")
    run = dag_bag.dags["evaluate"].test()
    assert str(run.state) == "success"
    (kept,) = (judged.reports_folder / "evaluations").glob("*.json")
    assert json.loads(kept.read_text(encoding="utf-8"))["queries"] == 2


@pytest.mark.parametrize(
    "found",
    [
        {**ASKED, "below": [{"metric": "recall@10", "least": 0.9, "value": 0.5}]},
        {**ASKED, "below": [{"metric": "ndcg@10", "least": 0.9, "value": None}]},
        {**ASKED, "missing": 1},
    ],
)
def test_below_a_floor_or_with_a_lost_document_the_run_is_red(found: dict):
    with pytest.raises(IncompleteRunError):
        judge(found)


@pytest.mark.parametrize("found", [ASKED, {"skipped": True}])
def test_otherwise_it_is_green(found: dict):
    judge(found)


def test_it_is_asked_weekly_and_nobody_is_surprised_by_it(dag_bag):
    dag = dag_bag.dags["evaluate"]
    assert dag.timetable.expression == "45 6 * * 0"
    assert dag.is_paused_upon_creation is not False
