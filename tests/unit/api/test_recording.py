"""The log of searches and feedback: ids, counts, enum values and keyed hashes; no log, no answer; two ways compared on live searches."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from pipeline.api.app import create_app
from pipeline.api.interleaving import draft
from pipeline.domain.errors import StoreUnavailableError
from pipeline.index.edge_store import shared_store
from pipeline.jobs.audit.searches import verify_log
from pipeline.jobs.deletion.run import run_delete
from pipeline.jobs.feedback import sign_test, summarise_feedback
from pipeline.settings import Settings
from pipeline.storage import search_log
from pipeline.storage.retrieval_tables import interleavings
from pipeline.wiring import Services

TEXT = "zebulon quartermain oddfellow"


@pytest.fixture
def client(home: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(home), base_url="http://localhost", raise_server_exceptions=False) as opened:
        yield opened
    shared_store(home.index_folder, home.collection).stop_lingering()


def rows(services: Services) -> list[Any]:
    with services.db.read() as tx:
        return list(search_log.rows_of(tx))


def test_every_answer_that_shows_a_document_is_logged_with_what_it_showed(client: TestClient, services: Services):
    found = client.post("/search", json={"query": "pregnancy", "limit": 3}).json()
    shown = [hit["document_id"] for hit in found["hits"]]
    client.get(f"/documents/{shown[0]}")
    client.get(f"/citations/{found['hits'][0]['token']}")
    client.get(f"/documents/{uuid4()}")
    client.post("/ask", json={"query": "May pregnant women take part?", "limit": 3})
    logged = [(row.entry.endpoint, [str(one) for one in row.entry.documents]) for row in rows(services)]
    assert logged[:3] == [("/search", shown), ("/documents", shown[:1]), ("/citations", shown[:1])]
    assert [endpoint for endpoint, _ in logged[3:]] == ["/ask"]
    assert str(rows(services)[0].entry.search_id) == found["search_id"]
    assert verify_log(services).passed


def test_no_word_of_a_request_is_logged(client: TestClient, services: Services):
    filters = {"conditions": [TEXT], "departments": [TEXT], "kinds": [TEXT, "trial"], "sections": ["INTERVENTION"], "threshold": 0.5}
    client.post("/search", json={"query": TEXT, **filters})
    client.post("/search", json={"query": TEXT, **filters})
    first, second = rows(services)
    assert TEXT not in repr(first)
    assert first.entry.query_hash == second.entry.query_hash
    assert first.entry.filters == second.entry.filters
    assert first.entry.filters["sections"] == ["INTERVENTION"]
    assert first.entry.filters["threshold"] == 0.5
    assert "limit" not in first.entry.filters
    for path in services.settings.home.glob("truth.sqlite*"):
        assert TEXT.encode() not in path.read_bytes()


def test_what_cannot_be_logged_is_not_answered(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    document = client.post("/search", json={"query": "pregnancy"}).json()["hits"][0]["document_id"]

    def full(*_: Any, **__: Any) -> None:
        raise StoreUnavailableError("the disk is full")

    monkeypatch.setattr("pipeline.storage.search_log.append", full)
    for answer in (client.post("/search", json={"query": "pregnancy"}), client.get(f"/documents/{document}")):
        assert answer.status_code == 503
        assert set(answer.json()) == {"error"}


def test_a_deletion_of_what_was_shown_breaks_no_chain(client: TestClient, services: Services):
    hit = client.post("/search", json={"query": "pregnancy"}).json()["hits"][0]
    run_delete(services, documents=[rows(services)[0].entry.documents[0]], reason="test")
    report = verify_log(services)
    assert (report.passed, report.rows) == (True, 1)
    assert client.get(f"/documents/{hit['document_id']}").status_code == 404


def test_feedback_is_kept_of_shown_documents_alone_and_counted(client: TestClient, services: Services):
    found = client.post("/search", json={"query": "pregnancy"}).json()
    said = {"search_id": found["search_id"], "document_id": found["hits"][1]["document_id"]}
    for event in ("opened", "useful", "useful", "exported", "not_useful"):
        assert client.post("/feedback", json={**said, "event": event}).status_code == 201
    assert client.post("/feedback", json={"search_id": found["search_id"], "event": "refined"}).status_code == 201
    assert client.post("/feedback", json={**said, "event": "opened", "document_id": str(uuid4())}).status_code == 404
    assert client.post("/feedback", json={**said, "event": "opened", "search_id": str(uuid4())}).status_code == 404
    assert client.post("/feedback", json={**said, "event": TEXT}).status_code == 422
    assert client.post("/feedback", json={**said, "event": "opened", "words": TEXT}).status_code == 422
    summary = summarise_feedback(services)
    assert summary.events == {"opened": 1, "useful": 2, "not_useful": 1, "refined": 1, "exported": 1}
    assert (summary.searches, summary.comparisons) == (1, [])


def test_two_ways_are_interleaved_and_credited_by_what_readers_do(home: Settings, services: Services):
    settings = home.model_copy(update={"interleave": "dense:sparse"})
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        for query in ("pregnancy", "heart failure", "breast cancer", "asthma in children"):
            found = client.post("/search", json={"query": query, "limit": 6}).json()
            documents = [hit["document_id"] for hit in found["hits"]]
            assert len(documents) == len(set(documents)) == 6
            with services.db.read() as tx:
                teams = _teams(tx, found["search_id"])
            assert set(teams) == set(documents)
            assert Counter(teams.values()) == {"dense": 3, "sparse": 3}
            taken = next(document for document in documents if teams[document] == "sparse")
            for event in ("opened", "useful"):
                client.post("/feedback", json={"search_id": found["search_id"], "document_id": taken, "event": event})
        plain = client.post("/search", json={"query": "pregnancy", "mode": "dense"}).json()
        with services.db.read() as tx:
            assert _teams(tx, plain["search_id"]) == {}
    (one,) = summarise_feedback(services).comparisons
    assert (one.first, one.second, one.first_wins, one.second_wins, one.ties) == ("dense", "sparse", 0, 4, 0)
    assert one.p_value == pytest.approx(0.125)


def _teams(tx: Any, search_id: str) -> dict[str, str]:
    found = tx.execute(select(interleavings.c.teams).where(interleavings.c.search_id == UUID(search_id))).scalar_one_or_none()
    return found or {}


def hits(names: str) -> list[Any]:
    return [SimpleNamespace(document_id=name) for name in names]


@pytest.mark.parametrize("seed", range(20))
def test_each_list_picks_its_best_that_is_left(seed: int):
    picked = draft(hits("abcd"), hits("bcde"), limit=4, seed=seed)
    names = [hit.document_id for hit, _ in picked]
    assert len(set(names)) == 4
    assert sorted(team for _, team in picked) == [0, 0, 1, 1]
    for team, ranking in ((0, "abcd"), (1, "bcde")):
        mine = [name for name, (_, of) in zip(names, picked, strict=True) if of == team]
        assert mine == sorted(mine, key=ranking.index)


def test_the_coin_lets_either_list_begin_and_a_short_list_leaves_the_rest_to_the_other():
    assert {draft(hits("ab"), hits("cd"), limit=2, seed=seed)[0][1] for seed in range(20)} == {0, 1}
    assert [hit.document_id for hit, _ in draft(hits("ab"), [], limit=5, seed=1)] == ["a", "b"]
    assert draft([], [], limit=5, seed=1) == []


@pytest.mark.parametrize(
    ("wins", "losses", "p"), [(0, 0, 1.0), (1, 1, 1.0), (5, 0, 0.0625), (0, 5, 0.0625), (9, 1, 22 / 1024), (8, 2, 112 / 1024)]
)
def test_the_sign_test_is_exact(wins: int, losses: int, p: float):
    assert sign_test(wins, losses) == pytest.approx(p)


def test_metrics_count_and_quote_nothing(home: Settings):
    with TestClient(create_app(home.model_copy(update={"open_access": "operator"})), base_url="http://localhost") as client:
        client.post("/search", json={"query": TEXT}, headers={})
        client.post("/search", json={"query": TEXT})
        client.get(f"/citations/{TEXT}")
        client.get(f"/{TEXT}")
        client.post("/search", json={"query": "x"}, headers={"X-API-Key": f"clx_{TEXT}"})
        page = client.get("/metrics").text
    assert 'clindex_requests_total{code="200",endpoint="/search"} 2.0' in page
    assert 'clindex_requests_total{code="401",endpoint="/search"} 1.0' in page
    assert 'clindex_requests_total{code="404",endpoint="/citations/{token}"} 1.0' in page
    assert 'clindex_result_cache_total{outcome="hit"} 1.0' in page
    assert TEXT.split()[0] not in page
    assert json.dumps(TEXT) not in page
