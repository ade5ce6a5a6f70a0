"""Nights of the site's documents through Airflow: batches by bytes, removal under the guard, and no name or text of theirs in what Airflow keeps."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from sqlalchemy import select, text

from pipeline.jobs.init import initialise
from pipeline.settings import Settings

NAME = "Zebulon Quartermain-Oddfellow"


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """Seven files: five notes of a kilobyte, a page of HTML, and a manifest that describes two."""
    made = tmp_path / "ward"
    (made / NAME).mkdir(parents=True)
    for number in range(5):
        note = f"Seen by Dr. {NAME}. No fever on day {number}. Lisinopril 10 mg daily.\n" * 12
        (made / NAME / f"{number}.txt").write_text(note, encoding="utf-8")
    (made / "plan.html").write_text("<h1>Plan</h1><p>Give aspirin 324 mg.</p>", encoding="utf-8")
    (made / "manifest.csv").write_text(f"file,kind,author\nplan.html,guideline,\n{NAME}/0.txt,note,{NAME}\n", encoding="utf-8")
    return made


@pytest.fixture
def home(tmp_path: Path, models, monkeypatch: pytest.MonkeyPatch, ward: Path) -> Settings:
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(models))
    monkeypatch.setenv("CLINDEX_DOCUMENTS_PATHS", f'["{ward}"]')
    monkeypatch.setenv("CLINDEX_AIRFLOW_BATCH_BYTES", "45000")  # two files a task: each counts 20,000 bytes and its own
    settings = Settings()
    initialise(settings)
    return settings


def xcoms(run, task_id: str | None = None) -> list:
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    with create_session() as session:
        query = select(XComModel).where(XComModel.run_id == run.run_id, XComModel.dag_id == run.dag_id, XComModel.key == "return_value")
        query = query if task_id is None else query.where(XComModel.task_id == task_id)
        return [XComModel.deserialize_value(row) for row in session.scalars(query)]


def kept_by_airflow() -> str:
    """Return whatever its database holds of runs, but for the parameters that somebody wrote."""
    from airflow.utils.session import create_session

    with create_session() as session:
        tables = ("xcom", "task_instance", "rendered_task_instance_fields", "asset_event", "log")
        return "".join(repr(tuple(row)) for table in tables for row in session.execute(text(f"SELECT * FROM {table}")))


def test_a_night_reads_in_batches_a_second_does_nothing_and_removal_is_tombstoned_under_the_guard(dag_bag, home, ward, monkeypatch):
    dag = dag_bag.dags["ingest_documents"]
    first = dag.test()
    assert str(first.state) == "success"
    (summary,) = xcoms(first, "complete")
    assert (summary["new"], summary["failed"], summary["complete"]) == (6, 0, True)
    assert len(xcoms(first, "normalize")) == 3
    (again,) = xcoms(dag.test(), "complete")
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, 6)
    for path in (ward / NAME).iterdir():
        path.rename(path.with_name(f".{path.name}"))
    (ward / "manifest.csv").unlink()
    monkeypatch.setenv("CLINDEX_MIN_DOCUMENTS_FOR_SHARE", "0")
    guarded = dag.test()
    assert str(guarded.state) == "failed"
    monkeypatch.setenv("CLINDEX_MAX_DELETE_SHARE", "1")
    (removed,) = xcoms(dag.test(), "complete")
    assert removed["tombstoned"] == 5


def test_a_red_night_names_no_file_and_no_text_in_logs_map_indexes_and_xcom(
    dag_bag, airflow_home, home, ward, capfd: pytest.CaptureFixture[str], caplog
):
    (ward / f"{NAME}.xlsx").write_text(NAME, encoding="utf-8")
    (ward / f"{NAME}.pdf").write_text(f"no PDF: {NAME}", encoding="utf-8")
    (ward / f"{NAME}.docx").write_text(NAME, encoding="utf-8")
    (ward / f"{NAME}.txt").write_text(NAME, encoding="utf-16")
    (ward / f"{NAME}.meta.json").write_text(f'{{"{NAME}": 1}}', encoding="utf-8")
    with caplog.at_level(logging.INFO):
        run = dag_bag.dags["ingest_documents"].test()
    assert str(run.state) == "failed"
    (summary,) = xcoms(run, "complete")
    assert summary["new"] == 6
    assert summary["failed"] == 4
    printed = capfd.readouterr()
    logs = "".join(path.read_text("utf-8", "replace") for path in (airflow_home / "logs").rglob("*") if path.is_file())
    shown = printed.out + printed.err + caplog.text + logs + kept_by_airflow()
    assert "4 records failed" in shown
    assert "Quartermain" not in shown
    assert "aspirin" not in shown
    assert "ward" not in shown.replace(str(home.home.parent), "").replace("forward", "").replace("downward", "").replace("backward", "")


def test_a_night_without_folders_says_what_to_set(dag_bag, home, monkeypatch, capfd):
    monkeypatch.delenv("CLINDEX_DOCUMENTS_PATHS")
    run = dag_bag.dags["ingest_documents"].test()
    assert str(run.state) == "failed"
    printed = capfd.readouterr()
    assert "CLINDEX_DOCUMENTS_PATHS" in printed.out + printed.err
