"""Points and queries as Qdrant Edge has them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

import qdrant_edge as edge

from pipeline.domain.points import DENSE, CollectionSpec, Point, SparseVector, StoredPoint, StoredVectors
from pipeline.domain.ports import VectorQuery
from pipeline.index.checks import check_query, check_sparse
from pipeline.index.edge_payload import from_edge, to_edge
from pipeline.index.spec import SPARSE


def id_of(value: object) -> UUID | int:
    """Return an id: Edge answers with these two only; its stub adds str, which it takes."""
    return cast("UUID | int", value)


def stored_point(record: Any, *, vectors: bool) -> StoredPoint:
    """Return a record as it was read, with its vectors where they were asked for."""
    payload = from_edge(record.payload)
    if not vectors:
        return StoredPoint(id_of(record.id), payload)
    held = dict(record.vector) if isinstance(record.vector, dict) else {}
    sparse = held.pop(SPARSE, None)
    name, dense = next(iter(held.items()), (DENSE, None))
    terms = None if sparse is None else SparseVector(tuple(sparse.indices), tuple(sparse.values))
    return StoredPoint(id_of(record.id), payload, StoredVectors(dense, terms, name))


def new_point(point: Point, payload: dict[str, Any]) -> edge.Point:
    """Return a point to be written, with its payload as Edge keeps it; a text without terms has no sparse vector."""
    sparse = point.sparse if point.sparse.indices else None
    return edge.Point(id=point.id, vector=_vectors(point.vector, point.dense.tolist(), sparse), payload=payload)


def restored_point(point: StoredPoint) -> edge.Point:
    """Return a point as it was read, to be written back.

    Raises:
        ValueError: It comes without its vectors.
    """
    if point.vectors is None:
        raise ValueError("a point to be restored comes with its vectors")
    held = point.vectors
    return edge.Point(id=point.id, vector=_vectors(held.vector, held.dense, held.sparse), payload=to_edge(point.payload))


def _vectors(name: str, dense: Sequence[float] | None, sparse: SparseVector | None) -> dict[str, Any]:
    vectors: dict[str, Any] = {} if dense is None else {name: list(dense)}
    if sparse is not None:
        vectors[SPARSE] = edge.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
    return vectors


def query_of(query: VectorQuery, spec: CollectionSpec) -> Any | None:
    """Return the engine's query; ``None`` for a sparse vector without terms, which finds nothing.

    Raises:
        ValueError: The vector is not well formed.
    """
    vector = query.vector
    if not isinstance(vector, SparseVector):
        check_query(vector, query.using, spec)
        return edge.Query.Nearest(vector.tolist(), using=query.using)
    check_sparse(vector)
    if not vector.indices:
        return None
    return edge.Query.Nearest(edge.SparseVector(indices=list(vector.indices), values=list(vector.values)), using=SPARSE)
