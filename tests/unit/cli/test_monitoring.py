"""``clindex metrics``, and figures that a command sends when it has ended a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.jobs.metrics.summary import HomeMetrics
from pipeline.jobs.notify import NotifySummary
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.testing.http_faults import fails
from pipeline.testing.receivers import Receiver
from pipeline.wiring import open_services, utc_now


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


def test_people_are_told_by_hand(seen: Settings, monkeypatch: pytest.MonkeyPatch):
    with open_services(seen) as services, services.db.begin() as tx:
        run_id = runs.start_run(tx, "index", utc_now())
        runs.finish_run(tx, run_id, "failed", {}, utc_now())
    with Receiver() as server:
        monkeypatch.setenv("CLINDEX_NOTIFY_SLACK_URL", server.url)
        shown = CliRunner().invoke(app, ["notify", "--run", str(run_id), "--dry-run", "--json"])
        assert (shown.exit_code, server.requests) == (0, [])
        found = NotifySummary.model_validate(json.loads(shown.stdout))
        assert found.message is not None
        assert [one.says for one in found.message.findings] == ["The index run broke off with an error."]
        sent = CliRunner().invoke(app, ["notify"])
        assert (sent.exit_code, len(server.requests)) == (0, 1)
        assert "slack: sent" in sent.stdout
        server.fail_next(fails(404))
        assert CliRunner().invoke(app, ["notify"]).exit_code == 1
        assert CliRunner().invoke(app, ["notify", "--run", str(uuid4())]).exit_code == 2


def test_telling_nobody_is_refused_and_nothing_is_nothing(seen: Settings, monkeypatch: pytest.MonkeyPatch):
    assert CliRunner().invoke(app, ["notify"]).exit_code == 2
    monkeypatch.setenv("CLINDEX_NOTIFY_ON", '["drift"]')
    nothing = CliRunner().invoke(app, ["notify", "--dry-run"])
    assert (nothing.exit_code, nothing.stdout.strip()) == (0, "There is nothing to tell.")
