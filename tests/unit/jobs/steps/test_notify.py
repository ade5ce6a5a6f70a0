"""What Airflow's callback does with the home: one message, figures, and a home that cannot be opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.domain.errors import IncompleteRunError
from pipeline.jobs.notify import Message
from pipeline.jobs.steps.notify import dag_ended
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.testing.http_faults import fails
from pipeline.testing.receivers import Receiver
from pipeline.wiring import open_services, utc_now


@pytest.fixture
def seen(home: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    return home


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with Receiver() as server:
        monkeypatch.setenv("CLINDEX_NOTIFY_WEBHOOK_URL", server.url + "/hook")
        yield server


def a_failed_run(home: Settings) -> datetime:
    began = utc_now()
    with open_services(home) as services, services.db.begin() as tx:
        runs.finish_run(tx, runs.start_run(tx, "index", utc_now()), "failed", {}, utc_now())
    return began


def ended(since: datetime | None, *, failed: bool = True) -> dict[str, object]:
    return dag_ended(dag="index_documents", dag_run="manual__1", kinds=["index"], failed=failed, since=since)


def test_one_message_and_the_figures(seen: Settings, receiver: Receiver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_OTLP_ENDPOINT", receiver.url)
    assert ended(a_failed_run(seen)) == {"told": True, "channels": ["webhook"]}
    assert sorted(request.path for request in receiver.requests) == ["/hook", "/v1/metrics"]


def test_a_green_run_sends_nothing(seen: Settings, receiver: Receiver):
    assert ended(datetime.now(UTC), failed=False) == {"told": False, "channels": []}
    assert receiver.requests == []


def test_without_a_channel_nothing_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "none"))
    assert ended(None) == {"told": False, "channels": []}


def test_a_home_that_cannot_be_opened_is_told(tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(tmp_path / "none"))
    assert ended(utc_now()) == {"told": True, "channels": ["webhook"]}
    found = Message.model_validate(json.loads(receiver.requests[0].body))
    assert (found.dag, found.runs) == ("index_documents", [])


def test_a_message_that_did_not_go_out_fails_the_callback(seen: Settings, receiver: Receiver):
    receiver.fail_next(fails(502))
    with pytest.raises(IncompleteRunError, match=r"webhook \(502\)"):
        ended(a_failed_run(seen))


def test_a_run_whose_process_died_is_told(seen: Settings, receiver: Receiver):
    began = utc_now()
    with open_services(seen) as services, services.db.begin() as tx:
        run_id = runs.start_run(tx, "index", utc_now())
        runs.hand_on(tx, run_id, began.replace(year=began.year - 1))
    ended(began)
    found = Message.model_validate(json.loads(receiver.requests[0].body))
    assert [run.state for run in found.runs] == ["killed"]
