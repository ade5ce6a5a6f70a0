"""A whole night through Airflow: SQLite, the embedded index, the real model; then a second night that does nothing."""

from __future__ import annotations

import pytest

from pipeline.jobs.init import initialise
from pipeline.settings import Settings


@pytest.fixture(scope="module")
def night(tmp_path_factory, models, root, parsed_dags, declared_params):
    """A home after one night over twelve samples, and the DAG runs' states."""
    home = tmp_path_factory.mktemp("night") / "home"
    source = tmp_path_factory.mktemp("night-source")
    for path in sorted((root / "samples" / "trials").glob("*.json"))[:12]:
        (source / path.name).write_bytes(path.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLINDEX_HOME", str(home))
        patch.setenv("CLINDEX_MODELS_PATH", str(models))
        patch.setenv("CLINDEX_AIRFLOW_BATCH_DOCUMENTS", "5")  # several mapped tasks
        settings = Settings()
        initialise(settings)
        yield settings, source, lambda: run_night(parsed_dags, source)


def run_night(dag_bag, source) -> dict[str, object]:
    runs = {}
    for dag_id in ("ingest_trials", "index_documents", "reconcile"):
        runs[dag_id] = dag_bag.dags[dag_id].test(run_conf={"from_path": str(source)} if dag_id == "ingest_trials" else None)
    return runs


def results(run, task_id: str) -> list[dict]:
    """What the instances of a task returned."""
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session
    from sqlalchemy import select

    with create_session() as session:
        query = select(XComModel).where(XComModel.run_id == run.run_id, XComModel.task_id == task_id, XComModel.key == "return_value")
        return [XComModel.deserialize_value(row) for row in session.scalars(query.where(XComModel.dag_id == run.dag_id))]


def test_first_night_brings_everything_in_and_the_second_does_nothing(night):
    _, _, nightly = night
    first = nightly()
    assert {name: str(run.state) for name, run in first.items()} == dict.fromkeys(first, "success")
    ingested, indexed, compared = (
        results(first[dag], task)[0]
        for dag, task in (("ingest_trials", "complete"), ("index_documents", "complete"), ("reconcile", "compare"))
    )
    assert (ingested["new"], ingested["failed"]) == (12, 0)
    assert ingested["seconds"] > 0
    assert indexed["documents"]["indexed"] == 12
    assert compared["clean"]
    assert compared["found"] == indexed["points_written"] > 100
    assert len(results(first["index_documents"], "index")) == 3  # mapped over batches, not documents
    second = nightly()
    assert {name: str(run.state) for name, run in second.items()} == dict.fromkeys(second, "success")
    again = results(second["index_documents"], "complete")[0]
    assert (again["embedded"], again["points_written"], again["documents"]["skipped"]) == (0, 0, 12)


def test_a_night_with_a_broken_record_is_red_and_indexes_the_rest(night):
    _, source, nightly = night
    broken = source / "broken.json"
    broken.write_text('{"protocolSection": ', encoding="utf-8")
    try:
        runs = nightly()
    finally:
        broken.unlink()
    assert str(runs["ingest_trials"].state) == "failed"
    assert str(runs["index_documents"].state) == "success"
    assert str(runs["reconcile"].state) == "success"


def test_xcom_holds_ids_and_counts_only(night):
    """No sentence of a study, and no dates, names or numbers of contacts, may travel through XCom."""
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session
    from sqlalchemy import select

    runs = night[2]()
    mine = XComModel.run_id.in_([run.run_id for run in runs.values()])  # another test's evaluation names its measures: nDCG@10
    with create_session() as session:
        values = [repr(row.value) for row in session.scalars(select(XComModel).where(mine))]
    assert len(values) > len(runs)
    assert max(len(value) for value in values) < 4000
    assert not any("@" in value or "Criteria" in value or "555-01" in value for value in values)


def test_reindex_is_a_dry_run_unless_told_otherwise(night, dag_bag):
    night[2]()
    dag = dag_bag.dags["reindex"]
    dry = dag.test(run_conf={"reason": "trying it out"})
    assert str(dry.state) == "success"
    assert results(dry, "complete")[0]["points_written"] == 0
    assert results(dry, "plan")[0]["preview"]["documents"] == 12
    real = dag.test(run_conf={"reason": "points look damaged", "dry_run": False})
    assert str(real.state) == "success"
    done = results(real, "complete")[0]
    assert done["documents"]["indexed"] == 12
    assert done["embedded"] == 0  # every vector comes from the cache
    assert done["points_written"] == done["points_deleted"] == results(dry, "plan")[0]["preview"]["points_live"]
