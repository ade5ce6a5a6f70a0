"""Nights of FHIR resources through Airflow: a server's bulk export, incremental, with deletions, cut short, and nothing of patients in what Airflow keeps."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text

from pipeline.jobs.init import initialise
from pipeline.settings import Settings
from pipeline.testing.fhir_server import FhirServer
from pipeline.testing.http_faults import fails

NAME = "Quartermain"


def observation(number: int) -> dict:
    return {
        "resourceType": "Observation",
        "id": f"o{number}",
        "status": "final",
        "code": {"text": "Potassium"},
        "subject": {"reference": "Patient/p1"},
        "note": [{"text": f"Zebulon {NAME} was told."}],
    }


@pytest.fixture
def server():
    patient = {"resourceType": "Patient", "id": "p1", "name": [{"family": NAME, "given": ["Zebulon"]}]}
    with FhirServer([patient, *(observation(number) for number in range(4))]) as played:
        played.pending_polls = 0
        yield played


@pytest.fixture
def home(tmp_path: Path, models, monkeypatch: pytest.MonkeyPatch, server) -> Settings:
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(models))
    monkeypatch.setenv("CLINDEX_FHIR_URL", server.url)
    monkeypatch.setenv("CLINDEX_FHIR_TYPES", '["Patient", "Observation"]')
    monkeypatch.setenv("CLINDEX_FHIR_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("CLINDEX_MAX_DELETE_SHARE", "1")
    settings = Settings()
    initialise(settings)
    return settings


def xcom(run, task_id: str):
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    with create_session() as session:
        of_run = (XComModel.run_id == run.run_id, XComModel.dag_id == run.dag_id, XComModel.key == "return_value")
        query = select(XComModel).where(*of_run, XComModel.task_id == task_id)
        return [XComModel.deserialize_value(row) for row in session.scalars(query)]


def kept_by_airflow(run) -> str:
    """Return what its database holds of a run."""
    from airflow.utils.session import create_session

    with create_session() as session:
        tables = ("xcom", "task_instance", "rendered_task_instance_fields")
        found = (session.execute(text(f"SELECT * FROM {table} WHERE run_id = :run"), {"run": run.run_id}) for table in tables)
        return "".join(repr(tuple(row)) for rows in found for row in rows)


def test_a_night_loads_all_the_next_what_changed_and_deletions_are_tombstoned(dag_bag, home, server):
    dag = dag_bag.dags["ingest_fhir"]
    first = dag.test()
    assert str(first.state) == "success"
    ((loaded,), (taken,)) = xcom(first, "load"), xcom(first, "complete")
    assert (loaded["loads"][0]["full"], taken["new"], taken["failed"]) == (True, 4, 0)
    server.now += timedelta(hours=1)
    server.put({**observation(1), "status": "amended"})
    server.put({**observation(2), "status": "entered-in-error"})
    server.remove("Observation", "o3")
    second = dag.test()
    assert str(second.state) == "success"
    ((loaded,), (taken,)) = xcom(second, "load"), xcom(second, "complete")
    assert (loaded["loads"][0]["full"], loaded["loads"][0]["entries"]) == (False, 3)
    assert (taken["changed"], taken["unchanged"], taken["tombstoned"]) == (1, 1, 2)


def test_an_export_that_was_cut_short_is_red_deletes_nothing_and_is_asked_for_again(dag_bag, home, server):
    dag = dag_bag.dags["ingest_fhir"]
    dag.test()
    server.now += timedelta(hours=1)
    for number in range(4):
        server.remove("Observation", f"o{number}")
    server.put(observation(9))
    server.fail_next(fails(403), fails(403), path="/files")
    red = dag.test(run_conf={"full": True})
    assert str(red.state) == "failed"
    (taken,) = xcom(red, "complete")
    assert taken["tombstoned"] == 0
    good = dag.test(run_conf={"full": True})
    assert str(good.state) == "success"
    (taken,) = xcom(good, "complete")
    assert taken["tombstoned"] == 4


def test_a_red_night_keeps_no_name_no_id_and_no_address_in_logs_and_xcom(dag_bag, airflow_home, home, server, capfd, caplog):
    server.put({**observation(7), "valueQuantity": {"value": NAME}})
    server.put({"resourceType": "Observation", "id": f"id-{NAME}", "status": NAME, "code": {"text": NAME}})
    with caplog.at_level(logging.INFO):
        run = dag_bag.dags["ingest_fhir"].test()
    assert str(run.state) == "failed"
    ((loaded,),) = (xcom(run, "load"),)
    assert loaded["loads"][0]["outcomes"]["quarantined"] == 1
    printed = capfd.readouterr()
    logs = "".join(path.read_text("utf-8", "replace") for path in (airflow_home / "logs").rglob("*") if path.is_file())
    shown = printed.out + printed.err + caplog.text + logs + kept_by_airflow(run)
    assert "load" in shown
    assert NAME not in shown
    assert "Zebulon" not in shown
    assert server.url not in shown


def test_a_night_without_a_feed_says_what_to_set(dag_bag, home, monkeypatch, capfd):
    monkeypatch.delenv("CLINDEX_FHIR_URL")
    run = dag_bag.dags["ingest_fhir"].test()
    assert str(run.state) == "failed"
    printed = capfd.readouterr()
    assert "CLINDEX_FHIR_PATHS" in printed.out + printed.err
