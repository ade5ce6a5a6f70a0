"""What Airflow keeps of a night over hostile records: task logs, XCom and what it prints hold no text of theirs."""

from __future__ import annotations

import json
import logging

import pytest

from pipeline.jobs.init import initialise
from pipeline.settings import Settings
from pipeline.testing.studies import study_record

SECRET_TEXT = "Zebulon Quartermain-Oddfellow"


def hostile_lines() -> list[str]:
    title = study_record(1)
    title["protocolSection"]["identificationModule"]["briefTitle"] = SECRET_TEXT
    wrong = study_record(2)
    wrong["protocolSection"]["statusModule"] = SECRET_TEXT
    nameless = study_record(3)
    nameless["protocolSection"]["identificationModule"]["nctId"] = SECRET_TEXT
    return [json.dumps(title), json.dumps(wrong), json.dumps(nameless), json.dumps({"note": SECRET_TEXT}), f'{{"text": "{SECRET_TEXT}"']


def test_a_red_night_shows_no_text_in_logs_and_xcom(
    dag_bag, airflow_home, tmp_path, models, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog
):
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session
    from sqlalchemy import select

    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(models))
    initialise(Settings())
    source = tmp_path / "hostile.jsonl"
    source.write_text("\n".join(hostile_lines()), encoding="utf-8")
    with caplog.at_level(logging.INFO):
        run = dag_bag.dags["ingest_trials"].test(run_conf={"from_path": str(source)})
        indexed = dag_bag.dags["index_documents"].test()
    assert (str(run.state), str(indexed.state)) == ("failed", "success")
    with create_session() as session:
        kept = "".join(repr(row.value) for row in session.scalars(select(XComModel)))
    printed = capfd.readouterr()
    logs = "".join(path.read_text("utf-8", "replace") for path in (airflow_home / "logs").rglob("*") if path.is_file())
    shown = printed.out + printed.err + caplog.text + logs + kept
    assert "3 records failed" in shown
    assert "Quartermain" not in shown
