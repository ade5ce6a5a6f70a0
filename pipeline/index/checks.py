"""What is checked before a point may reach an engine, and how points are cut into batches.

An engine is no place to find out: Qdrant Edge stores a NaN vector, counts it and never finds it, and of a batch with one bad point
it keeps the earlier ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import orjson

from pipeline.domain.points import CollectionSpec, Payload, Point, PointFilter, SparseVector
from pipeline.index.spec import UNIT_LENGTH_TOLERANCE

T = TypeVar("T")

_MAX_TERM = 2**32 - 1
_SPARSE_ENTRY_BYTES = 8  # a 32-bit index and a 32-bit weight; as JSON text about twice that, which the limit's reserve covers
_POINT_BYTES = 64  # id, names of the vectors, framing


def check_dense(vectors: Sequence[np.ndarray[Any, Any]], dimensions: int) -> None:
    """Refuse vectors that are not finite, not of unit length (1e-3) or not of ``dimensions`` numbers.

    Raises:
        ValueError: Says how many are bad and why, never their values.
    """
    if not vectors:
        return
    if wrong := sum(vector.shape != (dimensions,) for vector in vectors):
        raise ValueError(f"{wrong} of {len(vectors)} vectors do not have the shape ({dimensions},)")
    matrix = np.stack(vectors).astype(np.float64, copy=False)
    if infinite := int((~np.isfinite(matrix).all(axis=1)).sum()):
        raise ValueError(f"{infinite} of {len(vectors)} vectors hold a number that is not finite")
    lengths = np.sqrt((matrix * matrix).sum(axis=1))
    if off := int((np.abs(lengths - 1.0) > UNIT_LENGTH_TOLERANCE).sum()):
        raise ValueError(f"{off} of {len(vectors)} vectors are not of unit length")


def check_sparse(vector: SparseVector) -> None:
    """Refuse a sparse vector whose terms are not strictly ascending 32-bit numbers, or whose weights are not finite.

    Raises:
        ValueError: It is not well formed.
    """
    indices = vector.indices
    if len(indices) != len(vector.values):
        raise ValueError("a sparse vector has as many weights as terms")
    if any(left >= right for left, right in pairwise(indices)):
        raise ValueError("a sparse vector's terms are strictly ascending")
    if indices and not (indices[0] >= 0 and indices[-1] <= _MAX_TERM):
        raise ValueError("a sparse vector's terms are 32-bit numbers")
    if not all(map(math.isfinite, vector.values)):
        raise ValueError("a sparse vector's weights are finite")


def check_payload(payload: Payload) -> int:
    """Refuse a payload that is not plain JSON; return its size in bytes of JSON.

    Raises:
        ValueError: A value is of no JSON type, not finite, beyond 64 bits, or holds half a surrogate pair.
    """
    if not _is_plain(payload):
        raise ValueError("a payload holds a value that is no plain JSON")
    try:
        return len(orjson.dumps(payload))
    except (TypeError, ValueError):
        raise ValueError("a payload holds a text or number that JSON cannot carry") from None


def _is_plain(value: object) -> bool:
    kind = type(value)
    if kind in (str, int, bool, type(None)):
        return True
    if kind is float:
        return math.isfinite(value)  # type: ignore[arg-type]  # kind says float
    if isinstance(value, dict):
        return all(type(key) is str and _is_plain(item) for key, item in value.items())
    return isinstance(value, list | tuple) and all(map(_is_plain, value))


def check_query(vector: np.ndarray[Any, Any], using: str, spec: CollectionSpec) -> None:
    """Refuse a dense vector that cannot be compared with those of a name.

    Raises:
        ValueError: There are no vectors of that name, or it is not well formed.
    """
    dimensions = spec.dimensions_of(using)
    if dimensions is None:
        raise ValueError("the collection has no vectors of that name")
    check_dense([vector], dimensions)


def check_points(points: Sequence[Point], spec: CollectionSpec, *, bytes_per_number: int) -> list[int]:
    """Check all points; return the size of each in bytes as the engine will carry it.

    Raises:
        ValueError: One of them must not be written.
    """
    for one in spec.dense:
        check_dense([point.dense for point in points if point.vector == one.vector], one.dimensions)
    if any(spec.dimensions_of(point.vector) is None for point in points):
        raise ValueError("a point's vector has a name that the collection does not have")
    sizes = []
    for point in points:
        check_sparse(point.sparse)
        vectors = len(point.dense) * bytes_per_number + len(point.sparse.indices) * _SPARSE_ENTRY_BYTES
        sizes.append(check_payload(point.payload) + vectors + _POINT_BYTES)
    return sizes


def batches_of(items: Iterable[T], sizes: Iterable[int], limit: int) -> Iterator[list[T]]:
    """Cut items into batches of at most ``limit`` bytes; an item larger than that goes alone."""
    batch: list[T] = []
    held = 0
    for item, size in zip(items, sizes, strict=True):
        if batch and held + size > limit:
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += size
    if batch:
        yield batch


def check_delete_filter(where: PointFilter) -> None:
    """Refuse a filter that could address more than the named documents.

    Raises:
        ValueError: It is empty or names no document (an engine takes an empty filter as *everything*).
    """
    if where.is_empty or not where.document_ids:
        raise ValueError("a delete must name the documents whose points it removes")
