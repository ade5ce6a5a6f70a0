"""The DAG ``data_quality``: after each indexing, red on a broken blocking expectation, green on a warning."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from pipeline.domain.errors import IncompleteRunError
from pipeline.jobs.steps.quality import check, judge
from pipeline.settings import Settings
from pipeline.storage.tables import documents
from pipeline.wiring import open_services

FOUND = {"run_id": "r", "documents": 1, "blocked": {}, "warned": {}, "docs": None}


@pytest.fixture
def airflow_sees(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The copy of the sample home, as the tasks' environment names it."""
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


def test_a_warning_leaves_the_run_green_and_the_report_links_data_docs(airflow_sees: Settings, dag_bag):
    run = dag_bag.dags["data_quality"].test()
    assert str(run.state) == "success"
    assert (airflow_sees.reports_folder / "quality" / "docs" / "index.html").is_file()
    page = (airflow_sees.reports_folder / "latest.html").read_text(encoding="utf-8")
    assert "study_status_known" in page
    assert "quality/docs/index.html" in page


def test_it_waits_for_the_index(dag_bag):
    (asset,) = dag_bag.dags["data_quality"].timetable.asset_condition.objects
    assert asset.uri == "clindex://index/points"


def test_a_blocked_row_makes_the_check_red(airflow_sees: Settings):
    with open_services(airflow_sees) as services, services.db.begin() as tx:
        tx.execute(update(documents).values(kind="poem"))
    found = check(everything=True)
    assert found["blocked"]["document_kind_known"] == 77
    with pytest.raises(IncompleteRunError, match="document_kind_known"):
        judge(found)


def test_warnings_alone_are_green():
    judge({**FOUND, "warned": {"study_status_known": 3}})
