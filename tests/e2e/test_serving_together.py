"""Services beside everything else: two on one home, kills while they log, and re-indexing, promotion and deletion while they are asked."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from uuid import UUID

import httpx
import pytest
from fastapi.testclient import TestClient

from pipeline.api.app import create_app
from pipeline.index.edge_store import shared_store
from pipeline.jobs.audit.searches import verify_log
from pipeline.jobs.deletion.run import run_delete
from pipeline.jobs.index import run_index
from pipeline.jobs.reindex.candidate import run_candidate, run_promotion
from pipeline.settings import Settings
from pipeline.storage import feedback, search_log
from pipeline.wiring import Services, open_services

WANTED = {"query": "pregnancy", "limit": 50, "mode": "fused"}
STARTS_WITHIN = 120.0  # seconds; a loaded machine reads models slowly


@dataclass
class Service:
    """A process that serves a home."""

    process: subprocess.Popen[bytes]
    client: httpx.Client

    def search(self, **changes: object) -> httpx.Response:
        return self.client.post("/search", json={**WANTED, **changes})

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def start(home: Settings) -> Iterator[Callable[[], Service]]:
    """Returns a function that starts one more service of the home, as the command does."""
    environment = {**os.environ, "CLINDEX_HOME": str(home.home), "CLINDEX_MODELS_PATH": str(home.models_folder)}
    environment |= {"CLINDEX_REQUESTS_PER_MINUTE": "1000000", "CLINDEX_LOCK_TIMEOUT_SECONDS": "60"}
    started: list[Service] = []

    def one() -> Service:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "pipeline.cli.main", "serve", "--port", str(port)]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        service = Service(process, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120))
        started.append(service)
        _wait_for(service)
        return service

    yield one
    for service in started:
        service.client.close()
        if service.process.poll() is None:
            service.kill()


def _wait_for(service: Service) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < end:
        assert service.process.poll() is None, "the service has ended"
        try:
            if service.client.get("/health").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail("the service did not start")


def test_two_services_on_one_home_answer_alike_and_make_one_chain(start: Callable[[], Service], home: Settings):
    two = (start(), start())
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda number: two[number % 2].search(query=f"pregnancy {number // 2}"), range(40)))
    assert {answer.status_code for answer in answers} == {200}
    for mine, other in zip(answers[::2], answers[1::2], strict=True):
        assert [hit["document_id"] for hit in mine.json()["hits"]] == [hit["document_id"] for hit in other.json()["hits"]] != []
    deleted = answers[0].json()["hits"][0]["document_id"]
    with open_services(home) as services:
        run_delete(services, documents=[UUID(deleted)], reason="test")
        report = verify_log(services)
    assert (report.passed, report.rows) == (True, 40)
    for service in two:
        again = service.search(query="pregnancy 0").json()["hits"]
        assert again
        assert deleted not in {hit["document_id"] for hit in again}
        assert service.client.get(f"/documents/{deleted}").status_code == 404


@pytest.mark.parametrize("seconds", [0.3, 0.9])
def test_a_service_killed_while_it_logs_leaves_a_whole_chain_and_whole_feedback(
    start: Callable[[], Service], home: Settings, seconds: float
):
    killed = start()
    answered: list[str] = []

    def ask(number: int) -> None:
        try:
            found = killed.search(query=f"pregnancy {number}").json()
            said = {"search_id": found["search_id"], "document_id": found["hits"][0]["document_id"], "event": "useful"}
            if killed.client.post("/feedback", json=said).status_code == 201:
                answered.append(found["search_id"])
        except httpx.TransportError:
            pass

    killed.search()
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask, number) for number in range(400)]
        time.sleep(seconds)
        killed.kill()
        for one in asked:
            one.result()
    with open_services(home) as services:
        report = verify_log(services)
        with services.db.read() as tx:
            logged = {str(row.entry.search_id) for row in search_log.rows_of(tx)}
            useful = feedback.counts(tx).get("useful", 0)
    assert report.passed, report.problems
    assert set(answered) <= logged  # what was answered is on record
    assert useful >= len(answered)
    follower = start()
    assert follower.search().status_code == 200
    with open_services(home) as services:
        after = verify_log(services)
    assert (after.passed, after.rows) == (True, report.rows + 1)


@dataclass
class Load:
    """What readers were answered: the moment they asked, and the documents shown."""

    client: TestClient
    answers: list[tuple[float, int, set[str]]] = field(default_factory=list)

    def ask(self, query: str = "pregnancy") -> list[str]:
        asked = time.monotonic()
        answer = self.client.post("/search", json={**WANTED, "query": query})
        shown = [hit["document_id"] for hit in answer.json().get("hits", ())]
        self.answers.append((asked, answer.status_code, set(shown)))
        return shown

    @contextmanager
    def going_on(self) -> Iterator[None]:
        over, numbers = threading.Event(), count()

        def read() -> None:
            while not over.wait(0.05):  # readers read: the embedded index is not held all the while
                number = next(numbers)
                self.ask("pregnancy" if number % 2 else f"pregnancy {number}")  # from memory, and not

        with ThreadPoolExecutor(3) as pool:
            readers = [pool.submit(read) for _ in range(3)]
            try:
                yield
            finally:
                over.set()
            for one in readers:
                one.result()


def test_readers_meet_no_error_and_nothing_deleted_whatever_is_done_meanwhile(home: Settings, services: Services):
    settings = home.model_copy(update={"requests_per_minute": 1_000_000, "lock_timeout_seconds": 60.0})
    deleted: dict[str, float] = {}

    def delete_one(load: Load) -> None:
        hit = load.ask()[0]
        run_delete(services, documents=[UUID(hit)], reason="test")
        deleted[hit] = time.monotonic()
        assert hit not in load.ask()

    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as client:
        load = Load(client)
        with load.going_on():
            run_index(services, force=True)
            delete_one(load)
            run_candidate(services, reason="test")
            delete_one(load)
            run_promotion(services)
            delete_one(load)
    shared_store(home.index_folder, home.collection).stop_lingering()
    assert {status for _, status, _ in load.answers} == {200}
    assert len(deleted) == 3
    for document, moment in deleted.items():
        later = [shown for asked, _, shown in load.answers if asked > moment]
        assert not any(document in shown for shown in later)
    assert all(shown for _, _, shown in load.answers)
    assert verify_log(services).passed
