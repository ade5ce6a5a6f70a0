"""``clindex ingest fhir``: what it says, and what it exits with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cli.main import app

PATIENT = '{"resourceType":"Patient","id":"walnut-1"}\n'


@pytest.mark.parametrize(("content", "status"), [(PATIENT, 0), (PATIENT + PATIENT[:20], 1)], ids=["whole", "cut line"])
def test_a_feed_that_is_not_whole_exits_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, status: int) -> None:
    folder = tmp_path / "feed"
    folder.mkdir()
    (folder / "a.ndjson").write_text(content)
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "home"))
    assert CliRunner().invoke(app, ["init"]).exit_code == 0
    done = CliRunner().invoke(app, ["ingest", "fhir", str(folder), "--json"])
    assert done.exit_code == status
    loaded = json.loads(done.stdout)["load"]
    assert loaded["complete"] is (status == 0)
    assert "walnut" not in done.output
