"""What is remembered is never older than truth, and never another's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from fakeredis import TcpFakeServer
from fastapi.testclient import TestClient

from pipeline.api import answering
from pipeline.api.app import create_app
from pipeline.index.edge_store import shared_store
from pipeline.jobs.deletion.run import run_delete
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reindex.candidate import run_candidate, run_promotion
from pipeline.search.caches import QueryVectors
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.embedder import HashEmbedder
from pipeline.wiring import Services

STUDY = "NCT99000001"
WANTED = {"query": "any", "nct_ids": [STUDY]}


@pytest.fixture(params=["in the process", "in Redis"])
def client(request: pytest.FixtureRequest, home: Settings) -> Iterator[TestClient]:
    server = TcpFakeServer(("127.0.0.1", 0))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"redis://127.0.0.1:{server.server_address[1]}/0" if request.param == "in Redis" else None
    settings = Settings(**{**home.model_dump(exclude_none=True), "redis_url": url})
    with TestClient(create_app(settings), base_url="http://localhost") as opened:
        yield opened
    shared_store(home.index_folder, home.collection).stop_lingering()
    server.shutdown()
    server.server_close()


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that were really searched."""
    seen: list[str] = []
    search = answering.search

    def counted(services: Services, request: Any, **options: Any) -> Any:
        seen.append(request.query)
        return search(services, request, **options)

    monkeypatch.setattr(answering, "search", counted)
    return seen


def ask(client: TestClient, **changes: Any) -> dict[str, Any]:
    answer = client.post("/search", json={**WANTED, **changes})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_same_search_is_searched_once_and_answered_and_logged_each_time(client: TestClient, searches: list[str]):
    first, second = ask(client), ask(client)
    assert searches == ["any"]
    assert first["hits"] == second["hits"] != []
    assert first["search_id"] != second["search_id"]
    ask(client, limit=3)
    ask(client, query="another")
    assert searches == ["any", "any", "another"]


def test_a_deleted_document_is_gone_from_the_next_answer(client: TestClient, services: Services, searches: list[str]):
    (hit,) = ask(client)["hits"]
    assert ask(client)["hits"] == [hit]
    run_delete(services, documents=[UUID(hit["document_id"])], reason="test")
    assert ask(client)["hits"] == []


def test_a_changed_status_is_in_the_next_answer(client: TestClient, services: Services, edit_study):
    def change(study: dict[str, Any]) -> None:
        study["protocolSection"]["statusModule"]["overallStatus"] = "TERMINATED"

    assert [hit["status"] for hit in ask(client)["hits"]] == ["RECRUITING"]
    ingest(services, StudyFiles([edit_study(STUDY, change)], services.settings))
    assert [hit["status"] for hit in ask(client)["hits"]] == ["TERMINATED"]


def test_a_reindex_and_a_promotion_are_searched_anew(client: TestClient, services: Services, searches: list[str]):
    ask(client)
    run_index(services, force=True)
    ask(client)
    assert len(searches) == 2
    run_candidate(services, reason="test")
    before = len(searches)
    ask(client)
    run_promotion(services)
    ask(client)
    assert len(searches) > before


def test_vectors_of_queries_are_made_once_and_kept_without_the_words():
    model = HashEmbedder()
    asked: list[str] = []
    real = model.embed_query
    model.embed_query = lambda text: asked.append(text) or real(text)  # type: ignore[method-assign, func-returns-value]
    vectors = QueryVectors(model, secret=b"secret", size=2, hours=1)
    for text in ("one", "one", "two", "three", "one"):
        assert vectors.embed_query(text).tolist() == real(text).tolist()
    assert asked == ["one", "two", "three", "one"]  # two at most are kept
    assert (vectors.hits, vectors.misses) == (1, 4)
    assert b"three" not in repr(vectors._known).encode()
    with pytest.raises(ValueError):
        vectors.embed_query("one")[0] = 1.0


def test_a_vector_is_forgotten_after_its_time():
    model = HashEmbedder()
    vectors = QueryVectors(model, secret=b"secret", size=2, hours=1e-9)
    vectors.embed_query("one")
    vectors.embed_query("one")
    assert (vectors.hits, vectors.misses) == (0, 2)
