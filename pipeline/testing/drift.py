"""Plants faults into an index, behind truth's back, the way crashes, other tools and people make them; and compares two indexes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.points import PointFilter, SparseVector, StoredPoint, StoredVectors
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import DriftClass
from pipeline.wiring import Services

FAULTS = 5  # points a fault touches

Snapshot = Counter[tuple[object, ...]]

_FIELDS = ("nct_id", "section", "ordinal", "piece", "text_hash", "fingerprint", "overall_status", "status_as_of", "is_exclusion")


def snapshot(services: Services) -> Snapshot:
    """Return a multiset of the points' payloads without generation numbers: two homes with equal snapshots serve the same."""
    with services.index.session() as index:
        return Counter(tuple(point.payload.get(name) for name in _FIELDS) for point in index.scan())


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which an index drifts: what it is found as, and what is done to a good point (with its vectors) for it.

    ``plant`` returns the ids of the points that are to be found.
    """

    drift: DriftClass
    plant: Callable[[VectorIndex, StoredPoint], list[UUID | int]]


def seed(services: Services, drift: DriftClass, *, faults: int = FAULTS) -> int:
    """Plant the first fault of a class at points spread over the collection. Returns how many points are affected.

    Raises:
        ValueError: No engine takes a point with such a fault (``duplicate_point``, ``wrong_dimensions``).
    """
    kind = next((kind for kind in KINDS.values() if kind.drift is drift), None)
    if kind is None:
        raise ValueError(f"{drift.value} cannot be planted")
    with services.index.session() as index:
        ids = [point.id for point in index.scan()]
        chosen = ids[:: max(1, len(ids) // faults)][:faults]
        return len({found for one in chosen for point in index.retrieve([one], vectors=True) for found in kind.plant(index, point)})


def _rewritten(change: Mapping[str, Any]) -> Callable[[VectorIndex, StoredPoint], list[UUID | int]]:
    """Return what changes fields of a point's payload."""

    def plant(index: VectorIndex, point: StoredPoint) -> list[UUID | int]:
        index.restore([StoredPoint(point.id, {**point.payload, **change}, point.vectors)])
        return [point.id]

    return plant


def _overwritten(index: VectorIndex, point: StoredPoint) -> list[UUID | int]:
    index.restore([StoredPoint(point.id, {"text": "somebody else's"}, point.vectors)])
    return [point.id]


def _twin(name: str, change: Callable[[StoredPoint], Mapping[str, Any]]) -> Callable[[VectorIndex, StoredPoint], list[UUID | int]]:
    """Return what adds a point that nobody expects, with the payload of a good one but for a change."""

    def plant(index: VectorIndex, point: StoredPoint) -> list[UUID | int]:
        stray = uuid5(NAMESPACE, f"{name}|{point.id}")
        index.restore([StoredPoint(stray, {**point.payload, **change(point)}, point.vectors)])
        return [stray]

    return plant


def _numbered(index: VectorIndex, point: StoredPoint) -> list[UUID | int]:
    stray = _uuid(point).int % 2**63
    index.restore([StoredPoint(stray, point.payload, point.vectors)])
    return [stray]


def _removed(index: VectorIndex, point: StoredPoint) -> list[UUID | int]:
    index.delete_points([point.id])
    return [point.id]


def _document_removed(index: VectorIndex, point: StoredPoint) -> list[UUID | int]:
    document = PointFilter(document_ids=(UUID(str(point.payload["document_id"])),))
    ids = [one.id for one in index.scan(document)]
    index.delete_points(ids)
    return ids


def _vectors(
    change: Callable[[Sequence[float], SparseVector | None], StoredVectors],
) -> Callable[[VectorIndex, StoredPoint], list[UUID | int]]:
    """Return what changes a point's vectors and leaves its payload."""

    def plant(index: VectorIndex, point: StoredPoint) -> list[UUID | int]:
        if point.vectors is None or point.vectors.dense is None:
            raise ValueError("a good point comes with its vectors")
        index.restore([StoredPoint(point.id, point.payload, change(point.vectors.dense, point.vectors.sparse))])
        return [point.id]

    return plant


def _heavier(sparse: SparseVector | None) -> SparseVector:
    """Return a vector whose first term weighs a tenth more; of a text without terms, one with a term."""
    if sparse is None:
        return SparseVector((7,), (1.0,))
    return SparseVector(sparse.indices, (sparse.values[0] * 1.1, *sparse.values[1:]))


def _uuid(point: StoredPoint) -> UUID:
    if not isinstance(point.id, UUID):
        raise TypeError("a clean index has UUIDs only")
    return point.id


KINDS: Final[Mapping[str, Fault]] = {
    "point removed": Fault(DriftClass.MISSING_POINT, _removed),
    "document removed": Fault(DriftClass.MISSING_DOCUMENT, _document_removed),
    "facet changed": Fault(DriftClass.PAYLOAD_DRIFT, _rewritten({"overall_status": "TAMPERED"})),
    "field added": Fault(DriftClass.PAYLOAD_DRIFT, _rewritten({"note": 1})),
    "made by another recipe": Fault(DriftClass.STALE_FINGERPRINT, _rewritten({"fingerprint": "0" * 32})),
    "made by another model": Fault(DriftClass.FOREIGN_MODEL, _rewritten({"model": "another"})),
    "payload overwritten": Fault(DriftClass.UNREADABLE, _overwritten),
    "stranger with a number": Fault(DriftClass.UNREADABLE, _numbered),
    "unknown document": Fault(
        DriftClass.ORPHAN_DOCUMENT, _twin("unknown", lambda point: {"document_id": str(uuid5(NAMESPACE, f"unknown document|{point.id}"))})
    ),
    "earlier generation": Fault(DriftClass.OLD_GENERATION, _twin("earlier", lambda _: {"generation": 0})),
    "twin of a point": Fault(DriftClass.ORPHAN_POINT, _twin("twin", lambda _: {})),
    "dense vector lost": Fault(DriftClass.MISSING_DENSE, _vectors(lambda _, sparse: StoredVectors(None, sparse))),
    "sparse vector lost": Fault(DriftClass.MISSING_SPARSE, _vectors(lambda dense, _: StoredVectors(dense, None))),
    "sparse vector emptied": Fault(DriftClass.MISSING_SPARSE, _vectors(lambda dense, _: StoredVectors(dense, SparseVector((), ())))),
    "all zeros": Fault(DriftClass.ZERO_VECTOR, _vectors(lambda dense, sparse: StoredVectors([0.0] * len(dense), sparse))),
    "not finite": Fault(
        DriftClass.NON_FINITE_VECTOR, _vectors(lambda dense, sparse: StoredVectors([float("inf"), *dense[1:]], sparse))
    ),  # engines divide by the length, and store NaN
    "another vector": Fault(DriftClass.VECTOR_DRIFT, _vectors(lambda dense, sparse: StoredVectors(list(dense[::-1]), sparse))),
    "one number changed": Fault(
        DriftClass.VECTOR_DRIFT, _vectors(lambda dense, sparse: StoredVectors([dense[0] + 0.01, *dense[1:]], sparse))
    ),
    "one weight changed": Fault(DriftClass.VECTOR_DRIFT, _vectors(lambda dense, sparse: StoredVectors(dense, _heavier(sparse)))),
}
