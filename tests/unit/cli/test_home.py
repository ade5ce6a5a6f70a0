"""``clindex status`` from the command line: what it says of an index that is not well, and how it ends."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.settings import Settings
from pipeline.wiring import open_services


@pytest.fixture(autouse=True)
def _this_home(home: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))


def test_a_clean_home_ends_well_and_names_no_remedy():
    result = CliRunner().invoke(app, ["status"])
    assert result.exit_code == 0
    assert "clindex init" not in result.stdout
    assert "clindex reconcile" not in result.stdout


def test_drift_names_the_command_that_tells_more(home: Settings):
    with open_services(home) as services, services.index.session() as index:
        index.delete_points([next(iter(index.scan())).id])
    result = CliRunner().invoke(app, ["status"])
    assert result.exit_code == 1
    assert "`clindex reconcile`" in result.stdout


def test_a_live_collection_that_is_not_there_is_a_failure_with_its_remedy(home: Settings):
    with open_services(home) as services:
        services.index.remove()
    shown = CliRunner().invoke(app, ["status"])
    assert shown.exit_code == 1
    assert "`clindex init`" in shown.stdout
    asked = CliRunner().invoke(app, ["status", "--json"])
    assert (asked.exit_code, json.loads(asked.stdout)["drift_check"]) == (1, "unknown")
