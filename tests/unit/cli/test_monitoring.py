"""``clindex metrics``, and figures that a command sends when it has ended a run."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.jobs.metrics.summary import HomeMetrics
from pipeline.settings import Settings
from pipeline.testing.receivers import Receiver


@pytest.fixture
def seen(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_path))
    return home


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with Receiver() as server:
        monkeypatch.setenv("CLINDEX_OTLP_ENDPOINT", server.url)
        yield server


def test_text_for_a_textfile_collector_and_the_same_as_json(seen: Settings):
    text = CliRunner().invoke(app, ["metrics"])
    printed = CliRunner().invoke(app, ["metrics", "--json"])
    assert (text.exit_code, printed.exit_code) == (0, 0)
    shown = {family.name for family in text_string_to_metric_families(text.stdout)}
    found = HomeMetrics.model_validate(json.loads(printed.stdout))
    assert {one.name for one in found.metrics} == shown
    assert 'clindex_documents{kind="trial",source="clinicaltrials.gov",state="live"} 77.0' in text.stdout


def test_a_command_that_ended_a_run_sends_figures_and_one_that_only_reads_does_not(seen: Settings, receiver: Receiver):
    assert CliRunner().invoke(app, ["quarantine", "list"]).exit_code == 0
    assert receiver.requests == []
    assert CliRunner().invoke(app, ["reconcile"]).exit_code == 0
    assert [request.path for request in receiver.requests] == ["/v1/metrics"]


def test_sending_by_hand(seen: Settings, receiver: Receiver, monkeypatch: pytest.MonkeyPatch):
    assert CliRunner().invoke(app, ["metrics", "--send"]).exit_code == 0
    assert len(receiver.requests) == 1
    monkeypatch.setenv("CLINDEX_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("CLINDEX_OTLP_TIMEOUT_SECONDS", "0.3")
    assert CliRunner().invoke(app, ["metrics", "--send"]).exit_code == 1


def test_sending_to_nobody_is_refused(seen: Settings):
    assert CliRunner().invoke(app, ["metrics", "--send"]).exit_code == 2


def test_a_home_that_is_not_there_is_an_error_with_and_without_a_receiver(tmp_path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "none"))
    assert CliRunner().invoke(app, ["metrics"]).exit_code == 1
    assert CliRunner().invoke(app, ["reconcile"]).exit_code == 1
    assert receiver.requests == []
