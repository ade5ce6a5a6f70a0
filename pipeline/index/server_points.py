"""Points and queries as a Qdrant server has them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from qdrant_client import models

from pipeline.domain.points import DENSE, CollectionSpec, Point, SparseVector, StoredPoint, StoredVectors
from pipeline.domain.ports import VectorQuery
from pipeline.index.checks import check_query, check_sparse
from pipeline.index.spec import SPARSE


def wire_id(point: UUID | int) -> str | int:
    """Return an id as it is sent."""
    return point if isinstance(point, int) else str(point)


def id_of(value: object) -> UUID | int:
    """Return an id as it came."""
    return value if isinstance(value, int | UUID) else UUID(str(value))


def stored_point(record: models.Record, *, vectors: bool) -> StoredPoint:
    """Return a record as it was read, with its vectors where they were asked for."""
    payload = record.payload or {}
    if not vectors:
        return StoredPoint(id_of(record.id), payload)
    held = dict(record.vector) if isinstance(record.vector, dict) else {}
    sparse = held.pop(SPARSE, None)
    name, dense = next(iter(held.items()), (DENSE, None))
    return StoredPoint(
        id_of(record.id),
        payload,
        StoredVectors(
            dense=cast("list[float]", dense) if isinstance(dense, list) else None,
            sparse=SparseVector(tuple(sparse.indices), tuple(sparse.values)) if isinstance(sparse, models.SparseVector) else None,
            vector=name,
        ),
    )


def new_point(point: Point) -> models.PointStruct:
    """Return a point to be written; a text without terms has no sparse vector."""
    vectors = _vectors(point.vector, point.dense.tolist(), point.sparse if point.sparse.indices else None)
    return models.PointStruct(id=str(point.id), vector=vectors, payload=dict(point.payload))


def restored_point(point: StoredPoint) -> models.PointStruct:
    """Return a point as it was read, to be written back.

    Raises:
        ValueError: It comes without its vectors.
    """
    if point.vectors is None:
        raise ValueError("a point to be restored comes with its vectors")
    vectors = _vectors(point.vectors.vector, point.vectors.dense, point.vectors.sparse)
    return models.PointStruct(id=wire_id(point.id), vector=vectors, payload=dict(point.payload))


def _vectors(name: str, dense: Sequence[float] | None, sparse: SparseVector | None) -> dict[str, Any]:
    vectors: dict[str, Any] = {} if dense is None else {name: list(dense)}
    if sparse is not None:
        vectors[SPARSE] = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
    return vectors


def query_of(query: VectorQuery, spec: CollectionSpec) -> tuple[str, Any] | None:
    """Return the name of the vectors to compare with, and the engine's query; ``None`` for a sparse one without terms, which finds nothing.

    Raises:
        ValueError: The vector is not well formed.
    """
    vector = query.vector
    if not isinstance(vector, SparseVector):
        check_query(vector, query.using, spec)
        return query.using, vector.tolist()
    check_sparse(vector)
    return (SPARSE, models.SparseVector(indices=list(vector.indices), values=list(vector.values))) if vector.indices else None
