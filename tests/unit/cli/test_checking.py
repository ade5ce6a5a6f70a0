"""``clindex quality``: words, JSON and exit codes."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.settings import Settings
from pipeline.storage.tables import chunks
from pipeline.wiring import open_services


@pytest.fixture
def here(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


def test_a_warning_is_shown_and_the_exit_code_is_0(here: Settings):
    done = CliRunner().invoke(app, ["quality"])
    assert done.exit_code == 0, done.output
    assert "WARN study_status_known" in done.stdout
    assert "Data Docs" in done.stdout


def test_a_blocking_fault_exits_1_and_json_is_one_object_with_the_row(here: Settings):
    with open_services(here) as services, services.db.begin() as tx:
        point = tx.execute(select(chunks.c.point_id).limit(1)).scalar_one()
        tx.execute(update(chunks).where(chunks.c.point_id == point).values(token_count=5000))
    done = CliRunner().invoke(app, ["quality", "--all", "--json"])
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    broken = [line for one in found["data_sets"] for line in one["expectations"] if line["broken"]]
    assert {"chunk_fits_window", "study_status_known"} == {line["id"] for line in broken}
    assert next(line["named"] for line in broken if line["severity"] == "block") == [str(point)]
    assert (found["blocked"], found["warned"], found["clean"]) == (1, 1, False)
