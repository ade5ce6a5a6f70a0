"""Limits: a minute's requests a key, bytes a request; here and in a Redis that several processes share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
import redis
from fakeredis import TcpFakeServer
from fastapi.testclient import TestClient

from pipeline.api.app import create_app
from pipeline.api.limits import Limiter, LimiterHere, LimiterInRedis
from pipeline.api.stores import redis_client
from pipeline.domain.errors import TooManyRequestsError
from pipeline.domain.visibility import OPEN_ONLY, Limits, Visibility
from pipeline.search.caches import ResultsInRedis, result_key
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.settings import Settings

SECRET = b"sixteen characters and more"
ERRORS = (redis.RedisError, OSError)


class Clock:
    def __init__(self) -> None:
        self.now = 600.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def redis_port() -> Iterator[int]:
    """The port of a server that speaks Redis' protocol."""
    server = TcpFakeServer(("127.0.0.1", 0))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(redis_port: int) -> Iterator[redis.Redis]:
    with redis.Redis(host="127.0.0.1", port=redis_port, socket_timeout=2) as opened:
        yield opened


def spent(limiter: Limiter, asker: str) -> int:
    """How many requests pass at once."""
    for number in range(100):
        try:
            limiter.take(asker)
        except TooManyRequestsError:
            return number
    return 100


def test_a_bucket_holds_a_minutes_requests_and_fills_evenly():
    clock = Clock()
    limiter = LimiterHere(30, clock=clock)
    assert spent(limiter, "a") == 30
    with pytest.raises(TooManyRequestsError) as refused:
        limiter.take("a")
    assert refused.value.retry_after_seconds == 2
    clock.now += 2
    assert spent(limiter, "a") == 1
    clock.now += 3600
    assert spent(limiter, "a") == 30


def test_one_askers_requests_are_not_anothers():
    limiter = LimiterHere(3, clock=Clock())
    assert [spent(limiter, asker) for asker in ("a", "b")] == [3, 3]


def test_two_processes_count_together_in_redis(client: redis.Redis):
    clock = Clock()
    one, other = (LimiterInRedis(client, errors=ERRORS, per_minute=10, clock=clock) for _ in range(2))
    for _ in range(6):
        one.take("a")
    assert spent(other, "a") == 4
    with pytest.raises(TooManyRequestsError) as refused:
        one.take("a")
    assert refused.value.retry_after_seconds == 60
    clock.now += 60
    assert spent(one, "a") == 10


def test_without_redis_each_process_counts_by_itself():
    gone = redis_client("redis://127.0.0.1:1/0")
    assert spent(LimiterInRedis(gone, errors=ERRORS, per_minute=5), "a") == 5


def result(words: str) -> SearchResult:
    return SearchResult(query=words, route="hybrid", refused=False, hits=[], dropped={}, seconds=0.1)


def test_results_in_redis_are_shared_expire_and_cannot_be_read_there(client: redis.Redis):
    one, other = (ResultsInRedis(client, errors=ERRORS, secret=SECRET, seconds=60) for _ in range(2))
    one.put("k", result("words of a query"))
    assert other.get("k") == result("words of a query")
    assert other.get("another") is None
    (name,) = client.keys("*")
    assert b"words" not in client.get(name)
    assert 0 < client.ttl(name) <= 60
    assert ResultsInRedis(client, errors=ERRORS, secret=b"another site's secret", seconds=60).get("k") is None


def test_an_unreachable_redis_forgets():
    gone = ResultsInRedis(redis_client("redis://127.0.0.1:1/0"), errors=ERRORS, secret=SECRET, seconds=60)
    gone.put("k", result("words"))
    assert gone.get("k") is None


def test_a_result_is_known_by_all_that_it_depends_on():
    same: dict[str, Any] = {"visible": None, "collection": "c", "version": "v", "today": date(2031, 5, 17), "secret": SECRET}
    request = SearchRequest(query="one")
    others = [
        result_key(SearchRequest(query="two"), **same),
        result_key(SearchRequest(query="one", limit=3), **same),
        result_key(request, **{**same, "visible": OPEN_ONLY}),
        result_key(request, **{**same, "visible": Visibility(Limits(labels=("internal",)))}),
        result_key(request, **{**same, "visible": Visibility(Limits(departments=("internal",)))}),
        result_key(request, **{**same, "collection": "d"}),
        result_key(request, **{**same, "version": "w"}),
        result_key(request, **{**same, "today": date(2031, 5, 18)}),
        result_key(request, **{**same, "secret": b"another"}),
    ]
    assert len({result_key(request, **same), *others}) == len(others) + 1
    assert result_key(SearchRequest(query="one"), **same) == result_key(request, **same)


def test_the_service_says_when_to_ask_again_and_reads_no_more_than_it_may(home: Settings, redis_port: int):
    limits = {"requests_per_minute": 3, "max_request_bytes": 2000, "redis_url": f"redis://127.0.0.1:{redis_port}/0"}
    settings = Settings(**{**home.model_dump(exclude_none=True), **limits})
    with TestClient(create_app(settings), base_url="http://localhost") as client:
        answers = [client.post("/search", json={"query": "pregnancy"}) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
        assert [hit["text"] for hit in answers[0].json()["hits"]] == [hit["text"] for hit in answers[2].json()["hits"]]
        assert client.get("/health").status_code == 200

        def pieces() -> Iterator[bytes]:  # without a length in the header
            for _ in range(30):
                yield b" " * 100

        assert client.post("/search", content=pieces()).status_code == 413
        assert client.post("/search", json={"query": "x" * 2000}).status_code == 413
