"""``/metrics``: the service's own figures and the home's, by one catalogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from pipeline.api.app import create_app
from pipeline.api.metrics import HomeFigures, Metrics
from pipeline.domain.errors import StoreUnavailableError
from pipeline.jobs.metrics import catalog
from pipeline.jobs.metrics.model import Family, Sample
from pipeline.settings import Settings

ONE = Family(catalog.LEGAL_HOLDS, (Sample((), 1.0),))


@pytest.fixture
def client(home: Settings) -> Iterator[TestClient]:
    opened = home.model_copy(update={"open_access": "operator"})
    with TestClient(create_app(opened), base_url="http://localhost") as served:
        yield served


def values(page: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def test_searches_and_the_home_are_on_one_page(client: TestClient):
    client.post("/search", json={"query": "diabetes"})
    client.post("/search", json={"query": "NCT99999999"})
    found = values(client.get("/metrics").text)
    at_search = frozenset({("endpoint", "/search")})
    assert found["clindex_searches_total", at_search] == 2
    assert found["clindex_zero_hit_searches_total", at_search] == 1
    assert found["clindex_request_seconds_count", at_search] == 2
    assert found["clindex_home_up", frozenset()] == 1
    assert found["clindex_index_points_expected", frozenset()] == 1152


def test_every_series_is_in_the_catalogue(client: TestClient):
    client.post("/search", json={"query": "diabetes"})
    ours = {sample for sample, _ in values(client.get("/metrics").text)}
    assert {name for name in ours if not name.endswith("_created")} <= catalog.series()


def test_a_home_that_cannot_be_read_is_said_and_the_service_counts_on():
    def read() -> list[Family]:
        raise StoreUnavailableError("the database does not answer")

    metrics = Metrics(HomeFigures(read, max_age_seconds=0))
    metrics.shown("/search", 3)
    found = values(metrics.page(None).decode())
    assert found["clindex_home_up", frozenset()] == 0
    assert found["clindex_hits_total", frozenset({("endpoint", "/search")})] == 3


def test_the_home_is_read_once_for_all_who_ask_within_the_age():
    reads: list[int] = []

    def read() -> list[Family]:
        reads.append(1)
        return [ONE]

    within, every = Metrics(HomeFigures(read, max_age_seconds=600)), Metrics(HomeFigures(read, max_age_seconds=0))
    within.page(None), within.page(None)
    assert len(reads) == 1
    every.page(None)
    every.page(None)
    assert len(reads) > 2
