"""Real DAG runs tell how they ended: one message each, without a word of a document."""

from __future__ import annotations

import email
import json
import logging
from collections.abc import Iterator
from email import policy

import pytest

from pipeline.jobs.init import initialise
from pipeline.jobs.notify import Message
from pipeline.settings import Settings
from pipeline.storage.tables import documents, index_state
from pipeline.testing.http_faults import fails
from pipeline.testing.receivers import MailServer, Receiver
from pipeline.testing.studies import study_record
from pipeline.wiring import open_services

CANARY = "Zebulon Quartermain-Oddfellow"
DAGS = {
    "data_quality": ("quality",),
    "evaluate": ("evaluate",),
    "index_documents": ("index", "delete"),
    "ingest_documents": ("ingest_documents",),
    "ingest_fhir": ("load_fhir", "ingest_fhir"),
    "ingest_trials": ("ingest",),
    "reconcile": ("reconcile",),
    "reindex": ("index", "reindex"),
    "retention": ("delete",),
}


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with Receiver() as server:
        monkeypatch.setenv("CLINDEX_NOTIFY_WEBHOOK_URL", server.url)
        yield server


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


@pytest.fixture
def airflow_sees(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


def test_every_dag_tells_how_its_runs_end(dag_bag):
    assert set(dag_bag.dags) == set(DAGS)
    for name, kinds in DAGS.items():
        dag = dag_bag.dags[name]
        assert (dag.on_success_callback.kinds, dag.on_success_callback.failed) == (kinds, False)
        assert (dag.on_failure_callback.kinds, dag.on_failure_callback.failed) == (kinds, True)


def test_a_red_night_over_hostile_records_is_one_message_of_ids_and_counts(
    dag_bag, tmp_path, models, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog
):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(models))
    initialise(Settings())
    titled, nameless = study_record(1), study_record(2)
    titled["protocolSection"]["identificationModule"]["briefTitle"] = CANARY
    nameless["protocolSection"]["identificationModule"]["nctId"] = CANARY
    source = tmp_path / f"{CANARY}.jsonl"
    lines = [json.dumps(titled), json.dumps(nameless), json.dumps({"note": CANARY}), f'{{"text": "{CANARY}"']
    source.write_text("\n".join(lines), encoding="utf-8")
    with caplog.at_level(logging.INFO):
        run = dag_bag.dags["ingest_trials"].test(run_conf={"from_path": str(source)})
    assert str(run.state) == "failed"
    (request,) = receiver.requests
    found = Message.model_validate(json.loads(request.body))
    assert (found.dag, found.dag_run) == ("ingest_trials", run.run_id)
    (one,) = found.runs
    assert (one.kind, one.state, sum(one.failures.values())) == ("ingest", "incomplete", 3)
    assert [finding.topic for finding in found.findings] == ["incomplete"]
    printed = capfd.readouterr()
    assert "Quartermain" not in request.body.decode() + found.text + printed.out + printed.err + caplog.text


def test_drift_is_told_by_the_reconciliation_that_found_it(airflow_sees: Settings, receiver: Receiver, dag_bag):
    with open_services(airflow_sees) as services, services.index.session() as index:
        index.delete_points([point.id for point in list(index.scan(batch_size=5))[:3]])
    run = dag_bag.dags["reconcile"].test(run_conf={"ask": False})
    assert str(run.state) == "failed"
    (request,) = receiver.requests
    found = Message.model_validate(json.loads(request.body))
    assert [finding.topic for finding in found.findings] == ["drift"]
    assert sum(found.findings[0].counts.values()) == 3


def test_a_green_run_is_quiet_and_a_lost_message_leaves_it_green(airflow_sees: Settings, receiver: Receiver, dag_bag):
    run = dag_bag.dags["index_documents"].test()
    assert (str(run.state), receiver.requests) == ("success", [])
    with open_services(airflow_sees) as services, services.db.begin() as tx:
        services_document = tx.execute(documents.select().limit(1)).one().document_id
        tx.execute(index_state.delete().where(index_state.c.document_id == services_document))
    receiver.fail_next(fails(500))
    assert str(dag_bag.dags["reconcile"].test(run_conf={"ask": False}).state) == "failed"
    assert len(receiver.requests) == 1


def test_mail_goes_by_an_airflow_connection(
    dag_bag, tmp_path, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    port = int(mail_server.url.rpartition(":")[2])
    plain = {"disable_ssl": True, "disable_tls": True, "from_email": "clindex@site.example"}
    monkeypatch.setenv("AIRFLOW_CONN_SITE_MAIL", json.dumps({"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": plain}))
    monkeypatch.setenv("CLINDEX_NOTIFY_MAIL_CONNECTION", "site_mail")
    monkeypatch.setenv("CLINDEX_NOTIFY_MAIL_TO", '["night@site.example"]')
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "none"))
    assert str(dag_bag.dags["index_documents"].test().state) == "failed"
    (letter,) = (email.message_from_string(one, policy=policy.default) for one in mail_server.messages)
    assert letter["Subject"] == "Clindex index_documents: incomplete"
    assert "It failed before a run of ours began" in letter.get_body(("html",)).get_content()
