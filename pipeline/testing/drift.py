"""Seeds faults into an index, behind truth's back, the way crashes, other tools and people make them; and compares two indexes."""

from __future__ import annotations

from collections import Counter
from uuid import UUID, uuid5

import numpy as np

from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.points import Point, SparseVector, StoredPoint
from pipeline.domain.vocabulary import DriftClass
from pipeline.wiring import Services

FAULTS = 5  # points a fault touches

Snapshot = Counter[tuple[object, ...]]

_FIELDS = ("nct_id", "section", "ordinal", "piece", "text_hash", "fingerprint", "overall_status", "status_as_of", "is_exclusion")


def snapshot(services: Services) -> Snapshot:
    """Return a multiset of the points' payloads without generation numbers: two homes with equal snapshots serve the same."""
    with services.index.session() as index:
        return Counter(tuple(point.payload.get(name) for name in _FIELDS) for point in index.scan())


def seed(services: Services, drift: DriftClass, *, faults: int = FAULTS) -> int:
    """Make ``faults`` points drift in one way, spread over the collection. Returns how many points are affected."""
    with services.index.session() as index:
        points = list(index.scan())
        chosen = points[:: max(1, len(points) // faults)][:faults]
        match drift:
            case DriftClass.MISSING_POINT:
                index.delete_points([point.id for point in chosen])
            case DriftClass.PAYLOAD_DRIFT:
                index.set_payload([(_uuid(point), {**point.payload, "overall_status": "TAMPERED"}) for point in chosen])
            case DriftClass.STALE_FINGERPRINT:
                index.set_payload([(_uuid(point), {**point.payload, "fingerprint": "0" * 32}) for point in chosen])
            case DriftClass.FOREIGN_MODEL:
                index.set_payload([(_uuid(point), {**point.payload, "model": "another"}) for point in chosen])
            case DriftClass.UNREADABLE:
                index.set_payload([(_uuid(point), {"text": "somebody else's"}) for point in chosen])
            case DriftClass.ORPHAN_DOCUMENT:
                index.upsert([_copy(services, point, document=uuid5(NAMESPACE, str(point.id))) for point in chosen])
            case DriftClass.OLD_GENERATION:
                index.upsert([_copy(services, point, generation=0) for point in chosen])
            case DriftClass.ORPHAN_POINT:
                index.upsert([_copy(services, point) for point in chosen])
            case _:
                raise ValueError(f"{drift.value} cannot be seeded by points")
    return len(chosen)


def _uuid(point: StoredPoint) -> UUID:
    if not isinstance(point.id, UUID):
        raise TypeError("a clean index has UUIDs only")
    return point.id


def _copy(services: Services, point: StoredPoint, *, document: UUID | None = None, generation: int | None = None) -> Point:
    """Return a stray twin of a point under another id."""
    payload = dict(point.payload)
    if document is not None:
        payload["document_id"] = str(document)
    if generation is not None:
        payload["generation"] = generation
    dense = np.zeros(services.dimensions, dtype=np.float32)
    dense[0] = 1.0
    return Point(uuid5(NAMESPACE, f"stray|{point.id}"), dense, SparseVector((7,), (1.0,)), payload)
