"""Faults of vectors are repaired by writing their documents anew, from the cache, which is not believed where it is wrong; others stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from pipeline.domain.points import SparseVector, StoredPoint, StoredVectors
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.reconcile import run_reconcile
from pipeline.storage import chunks as chunk_store
from pipeline.testing.drift import seed
from pipeline.wiring import Services

IN_THE_ENGINE = (
    DriftClass.MISSING_DENSE,
    DriftClass.MISSING_SPARSE,
    DriftClass.ZERO_VECTOR,
    DriftClass.NON_FINITE_VECTOR,
    DriftClass.VECTOR_DRIFT,
)


def contents(services: Services) -> dict[object, bytes]:
    """What the index holds by id, every number of it."""
    with services.index.session() as index:
        return {point.id: _bytes(point) for point in index.scan(vectors=True)}


def _bytes(point: StoredPoint) -> bytes:
    assert point.vectors is not None
    dense = b"" if point.vectors.dense is None else np.asarray(point.vectors.dense, dtype="<f4").tobytes()
    return dense + repr((point.vectors.sparse, sorted(point.payload.items()))).encode()


def documents_of(services: Services, points: Sequence[object]) -> set[UUID]:
    with services.db.read() as tx:
        rows = chunk_store.rows_by_point(tx, [point for point in points if isinstance(point, UUID)])
    return {row.document_id for row in rows.values()}


def points_of(services: Services, documents: set[UUID]) -> set[object]:
    with services.index.session() as index:
        return {point.id for point in index.scan() if UUID(point.payload["document_id"]) in documents}


@pytest.mark.parametrize("drift", IN_THE_ENGINE)
def test_is_repaired_from_the_cache_and_other_documents_stay_as_they_are(services: Services, drift: DriftClass, monkeypatch):
    good = contents(services)
    affected = seed(services, drift)
    now = contents(services)
    documents = documents_of(services, [point for point in good if good[point] != now[point]])
    mine = points_of(services, documents)
    found = run_reconcile(services, deep=True)
    assert found.classes[drift.value] == affected
    monkeypatch.setattr(services.embedder, "embed_documents", lambda _: pytest.fail("what is cached was embedded"))
    repaired = run_reconcile(services, repair=True, deep=True)
    assert repaired.clean
    assert repaired.depth == "deep"
    assert repaired.repaired == {drift.value: affected}
    after = contents(services)
    assert {key: value for key, value in after.items() if key in good} == {key: good[key] for key in good if key not in mine}
    assert len(after) == len(good)


@pytest.mark.parametrize("wrong", ["another unit vector", "zeros", "no number"])
def test_a_damaged_vector_does_not_come_back_from_a_damaged_cache(services: Services, wrong: str):
    with services.db.read() as tx:
        some = list(chunk_store.expected_points(tx))[::300]
        rows = chunk_store.rows_by_point(tx, [one.point_id for one in some])
    right = services.cache.get_many([row.text_hash for row in rows.values()], fingerprint=services.model_fingerprint)
    bad = {key: _damaged(vector, wrong) for key, vector in right.items()}
    services.cache.delete_many(list(bad))
    services.cache.put_many(bad, fingerprint=services.model_fingerprint)
    with services.index.session() as index:
        points = index.retrieve(list(rows), vectors=True)
        assert all(isinstance(point.id, UUID) for point in points)
        hashes = {point.id: rows[point.id].text_hash for point in points}  # type: ignore[index]
        index.restore([_with_dense(point, bad[hashes[point.id]]) for point in points])
    assert not run_reconcile(services, deep=True).clean
    assert run_reconcile(services, repair=True, deep=True).clean
    held = services.cache.get_many(list(right), fingerprint=services.model_fingerprint)
    assert all(float(held[key] @ vector) == pytest.approx(1.0, abs=1e-4) for key, vector in right.items())


def _damaged(vector: Any, wrong: str) -> Any:
    if wrong == "zeros":
        return np.zeros_like(vector)
    return np.roll(vector, 1) if wrong == "another unit vector" else np.full_like(vector, np.nan)


def _with_dense(point: StoredPoint, dense: Any) -> StoredPoint:
    assert point.vectors is not None
    return replace(point, vectors=StoredVectors(dense.tolist(), point.vectors.sparse))


class Showing:
    """An index that shows points otherwise than they are, as no engine at hand can be made to."""

    def __init__(self, inner: Any, show: Callable[[StoredPoint], list[StoredPoint]]) -> None:
        self._inner = inner
        self._show = show

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @contextmanager
    def session(self) -> Iterator[Showing]:
        with self._inner.session():
            yield self

    def scan(self, *arguments: Any, **named: Any) -> Iterator[StoredPoint]:
        for point in self._inner.scan(*arguments, **named):
            yield from self._show(point)


@pytest.mark.parametrize("drift", [DriftClass.DUPLICATE_POINT, DriftClass.WRONG_DIMENSIONS])
def test_what_only_a_cluster_shows_is_repaired_by_writing_the_document_anew(services: Services, drift: DriftClass):
    chosen = sorted(contents(services), key=str)[7]

    def show(point: StoredPoint) -> list[StoredPoint]:
        if point.id != chosen:
            return [point]
        if drift is DriftClass.DUPLICATE_POINT:
            return [point, point]
        sparse = point.vectors.sparse if point.vectors else SparseVector((), ())
        return [point if point.vectors is None else replace(point, vectors=StoredVectors([1.0, 0.0], sparse))]

    services.index = Showing(services.index, show)  # type: ignore[assignment]
    assert run_reconcile(services, deep=True).classes[drift.value] == 1
    repaired = run_reconcile(services, repair=True, deep=True)
    assert repaired.clean
    assert repaired.repaired[drift.value] == 1
    assert chosen not in contents(services)


def test_a_vector_that_an_engine_wrote_wrong_while_repairing_is_found_though_only_digests_were_compared(services: Services):
    """The payloads read back right, so sums agree: the documents that were written anew are looked at deeper."""
    seed(services, DriftClass.STALE_FINGERPRINT, faults=1)
    inner = services.index

    class Dropping(Showing):
        def upsert(self, points: Sequence[Any]) -> None:
            inner.upsert(points)
            first = points[0]
            inner.restore([StoredPoint(first.id, first.payload, StoredVectors([1.0] + [0.0] * (services.dimensions - 1), first.sparse))])

    services.index = Dropping(inner, lambda point: [point])  # type: ignore[assignment]
    repaired = run_reconcile(services, repair=True)
    assert not repaired.clean
    assert repaired.depth == "deep"
    assert repaired.classes["vector_drift"] == 1
    services.index = inner
    assert run_reconcile(services, repair=True, deep=True).clean
