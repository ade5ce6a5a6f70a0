"""Points as they were read from the index, measured for the comparison: payload's hash, and what is to be said of the vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from typing import Final
from uuid import UUID

from pipeline.domain.points import CollectionSpec, DenseModel, Payload, SparseVector, StoredPoint, StoredVectors, payload_hash
from pipeline.domain.vector_marks import DENSE_TOLERANCE, NO_TERMS, SPARSE_TOLERANCE, dense_marks, sparse_marks
from pipeline.domain.vocabulary import DriftClass
from pipeline.storage.chunks import ExpectedPoint

_TOGETHER: Final = 500  # points whose vectors become one array: 0.8 MB of 384 numbers each


@dataclass(frozen=True, slots=True)
class Seen:
    """One point of the index. ``vectors`` is ``None`` where they were not read."""

    id: UUID | int
    payload: Payload = field(repr=False)
    content: str  # hash of the payload
    vectors: SeenVectors | None = None


@dataclass(frozen=True, slots=True)
class SeenVectors:
    """What a point's vectors are, without the numbers.

    Attributes:
        fault: What is wrong with them whatever truth says, ``None`` where nothing is. A missing sparse vector is no fault in itself.
        dense_mark: See ``pipeline.domain.vector_marks``; NaN where there is a fault of the dense vector.
        sparse_mark: Likewise; ``NO_TERMS`` where there is no sparse vector.
        has_terms: Whether there is a sparse vector with terms in it.
    """

    fault: DriftClass | None
    dense_mark: float
    sparse_mark: float
    has_terms: bool

    def compared_with(self, expected: ExpectedPoint) -> DriftClass:
        """Return the class of vectors of a point that truth expects. What truth has no mark of is not compared."""
        if self.fault is not None:
            return self.fault
        if expected.sparse_mark is not None and expected.sparse_mark != NO_TERMS and not self.has_terms:
            return DriftClass.MISSING_SPARSE
        if expected.dense_mark is not None and not abs(self.dense_mark - expected.dense_mark) <= DENSE_TOLERANCE:
            return DriftClass.VECTOR_DRIFT
        if expected.sparse_mark is not None and not abs(self.sparse_mark - expected.sparse_mark) <= SPARSE_TOLERANCE:
            return DriftClass.VECTOR_DRIFT
        return DriftClass.OK


def examine(points: Iterable[StoredPoint], *, dimensions: int, further: Sequence[DenseModel] = ()) -> Iterator[Seen]:
    """Yield points measured, in their order; vectors where they were read.

    Args:
        points: As the index gave them.
        dimensions: Of the vectors of the home's own model.
        further: Models that some kinds of documents have: the dense vector of such a point must have its model's name.
    """
    spec = CollectionSpec("", "", dimensions, "", further=tuple(further))
    stream = iter(points)
    while batch := list(islice(stream, _TOGETHER)):
        if batch[0].vectors is None:
            for point in batch:
                yield Seen(point.id, point.payload, payload_hash(point.payload))
            continue
        wanted = [spec.dense_of(point.payload.get("kind")) for point in batch] if further else [spec.dense[0]] * len(batch)
        measured = _measure([point.vectors or _NONE for point in batch], wanted)
        for point, vectors in zip(batch, measured, strict=True):
            yield Seen(point.id, point.payload, payload_hash(point.payload), vectors)


_NONE: Final = StoredVectors(dense=None, sparse=None)
_NO_SPARSE: Final = SparseVector((), ())


def _measure(vectors: list[StoredVectors], wanted: list[DenseModel]) -> list[SeenVectors]:
    import numpy as np

    faults: list[DriftClass | None] = [None] * len(vectors)
    finite, zero = np.zeros(len(vectors), dtype=bool), np.zeros(len(vectors), dtype=bool)
    of_dense = np.zeros(len(vectors))
    for model in set(wanted):
        places = [place for place, one in enumerate(wanted) if one == model]
        dense = np.zeros((len(places), model.dimensions), dtype=np.float32)
        for row, place in enumerate(places):
            one = vectors[place]
            if one.dense is None or one.vector != model.vector:
                faults[place] = DriftClass.MISSING_DENSE
            elif len(one.dense) != model.dimensions:
                faults[place] = DriftClass.WRONG_DIMENSIONS
            else:
                dense[row] = one.dense
        finite[places] = np.isfinite(dense).all(axis=1)
        zero[places] = np.count_nonzero(dense, axis=1) == 0
        of_dense[places] = dense_marks(dense)
    sparse = [one.sparse or _NO_SPARSE for one in vectors]
    of_sparse = sparse_marks(sparse)
    seen = []
    for place, fault in enumerate(faults):
        if fault is None and not (finite[place] and isfinite(of_sparse[place])):
            fault = DriftClass.NON_FINITE_VECTOR
        elif fault is None and zero[place]:
            fault = DriftClass.ZERO_VECTOR
        seen.append(SeenVectors(fault, float(of_dense[place]), of_sparse[place], has_terms=bool(sparse[place].indices)))
    return seen
