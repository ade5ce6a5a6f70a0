"""The canary compares what the engine finds within a filter with every vector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid5

import numpy as np
import pytest

from pipeline.domain.points import CollectionSpec, Point, PointFilter, ScoredPoint, SparseVector
from pipeline.index.edge import EdgeIndex
from pipeline.jobs.reindex.recall import QUERIES_A_FILTER, K, filtered_recall
from pipeline.settings import Settings
from pipeline.testing.night_jobs import hashing_services
from pipeline.wiring import Services

DIMENSIONS = 8
SPACE = UUID(int=7)


class Forgetful(EdgeIndex):
    """An engine that is approximate: it overlooks a share of what a filter wants."""

    keeps = K

    def query(self, **asked) -> list[ScoredPoint]:  # type: ignore[override]
        return super().query(**asked)[: self.keeps]


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Services]:
    """A collection of 120 points: two sources, two statuses, two sections; a third of the vectors are the same."""
    index = Forgetful(tmp_path / "index", name="c", lock_timeout_seconds=5, batch_bytes=1 << 20)
    spec = CollectionSpec(name="c", model="m", dimensions=DIMENSIONS, sparse="s")
    index.create(spec)
    rng = np.random.default_rng(3)
    points = []
    for number in range(120):
        vector = np.eye(DIMENSIONS, dtype=np.float32)[0] if number % 3 == 0 else rng.standard_normal(DIMENSIONS).astype(np.float32)
        payload = {
            "source": "a" if number % 2 else "b",
            "overall_status": "RECRUITING" if number % 4 < 2 else "COMPLETED",
            "section": "INCLUSION_CRITERION" if number % 5 else "EXCLUSION_CRITERION",
            "kind": "trial",
        }
        points.append(Point(uuid5(SPACE, str(number)), vector / np.linalg.norm(vector), SparseVector((1,), (1.0,)), payload))
    index.upsert(points)
    settings = Settings(home=tmp_path)
    services = Services.__new__(Services)
    services.settings = settings
    services.__dict__.update(index=index, spec=spec)
    yield services
    index.close()


def test_an_exact_engine_has_recall_one_in_every_filter_and_ties_count(there: Services):
    found = filtered_recall(there)
    assert (found.lowest, found.mean) == (1.0, 1.0)
    assert found.filters == 2 + 4 + 2 + 1
    assert found.queries == found.filters * QUERIES_A_FILTER


def test_what_the_engine_overlooks_lowers_recall(there: Services):
    there.index.keeps = 7  # type: ignore[attr-defined]
    found = filtered_recall(there)
    assert found.lowest == pytest.approx(0.7)
    assert found.worst


def test_hits_outside_the_filter_do_not_count(there: Services):
    index = there.index
    inner = EdgeIndex.query

    def blind(**asked) -> list[ScoredPoint]:
        return inner(index, **{**asked, "where": PointFilter()})  # type: ignore[arg-type]

    index.query = blind  # type: ignore[method-assign]
    assert filtered_recall(there).lowest < 1.0


def test_an_empty_collection_has_nothing_to_find(tmp_path: Path, there: Services):
    with there.index.session() as index:
        index.delete_points([point.id for point in index.scan()])
    found = filtered_recall(there)
    assert (found.queries, found.lowest, found.worst) == (0, 1.0, "")


def test_a_home_of_real_payloads_is_read(small: Settings):
    with hashing_services(small) as services:
        found = filtered_recall(services)
    assert found.lowest == 1.0
    assert found.filters > 4
