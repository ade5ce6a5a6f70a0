"""The HTTP application: it answers many at once, says errors without quoting anybody, and lets other processes have the index."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient

from pipeline.api.app import create_app
from pipeline.index.edge_store import shared_store
from pipeline.settings import Settings

TEXT = "Zebulon Quartermain-Oddfellow"


@pytest.fixture
def client(home: Settings) -> Iterator[TestClient]:
    operating = home.model_copy(update={"open_access": "operator"})
    with TestClient(create_app(operating), base_url="http://localhost", raise_server_exceptions=False) as client:
        yield client
    shared_store(home.index_folder, home.collection).stop_lingering()


def test_searches_and_cites(client: TestClient):
    answer = client.post("/search", json={"query": "HER2-positive breast cancer", "limit": 3, "criteria_only": True})
    assert answer.status_code == 200
    assert len(answer.json()["hits"]) == 3
    assert "criterion" in answer.json()["hits"][0]["citation"]
    assert client.get("/status").json()["drift_check"] == "clean"
    health = client.get("/health").json()
    assert (health["status"], health["drift_check"], health["findings"]) == ("ok", "clean", [])


def test_more_requests_than_threads_are_all_answered(client: TestClient):
    with ThreadPoolExecutor(80) as pool:  # the server has 40
        answers = list(pool.map(lambda n: client.post("/search", json={"query": f"pregnancy {n}"}), range(80)))
    assert {answer.status_code for answer in answers} == {200}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"query": " "}, "query"),
        ({"query": TEXT, "limit": TEXT}, "limit"),
        ({"query": TEXT, TEXT: 1}, "body"),
        ([TEXT], "body"),
        ({"query": TEXT * 400}, "query"),
    ],
)
def test_a_request_that_is_none_is_answered_without_quoting_it(client: TestClient, body: object, named: str):
    answer = client.post("/search", json=body)
    assert answer.status_code == 422
    assert TEXT not in answer.text
    assert named in answer.json()["error"]["message"]


def test_a_defect_is_answered_and_logged_without_its_message(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
):
    def break_down(*_: object, **__: object) -> None:
        raise ValueError(TEXT)

    monkeypatch.setattr("pipeline.api.answering.search", break_down)
    answer = client.post("/search", json={"query": TEXT})
    assert answer.status_code == 500
    assert answer.json()["error"]["type"] == "InternalError"
    assert TEXT not in answer.text + caplog.text + "".join(capfd.readouterr())


def test_a_missing_report_is_an_error_with_a_remedy(client: TestClient):
    answer = client.get("/report")
    assert answer.status_code == 400
    assert "clindex report" in answer.json()["error"]["remedy"]


def test_a_server_that_keeps_the_index_open_lets_an_indexing_run_have_it(client: TestClient, home: Settings):
    assert client.post("/search", json={"query": "pregnancy"}).status_code == 200
    assert shared_store(home.index_folder, home.collection)._lingering
    environment = {**os.environ, "CLINDEX_HOME": str(home.home), "CLINDEX_MODELS_PATH": str(home.models_folder)}
    environment["CLINDEX_LOCK_TIMEOUT_SECONDS"] = "10"
    other = subprocess.Popen([sys.executable, "-m", "pipeline.cli.main", "index", "--all"], env=environment, stderr=subprocess.PIPE)
    while other.poll() is None:
        answer = client.post("/search", json={"query": "pregnancy", "limit": 5})
        assert (answer.status_code, len(answer.json()["hits"])) == (200, 5)
    assert other.returncode == 0, other.stderr and other.stderr.read()
    assert client.get("/status").json()["drift_check"] == "clean"
