"""Both sides added up by slices of documents: where the sums agree, every point is as it must be, and nothing is compared one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.digest import MODULUS, SLICES, point_digest, slice_of, slice_of_text
from pipeline.domain.points import StoredPoint, payload_hash
from pipeline.domain.vocabulary import DocumentState, DriftClass
from pipeline.jobs.drift.merge import Finding
from pipeline.jobs.index_plan import Wanted
from pipeline.storage import digests, index_state
from pipeline.wiring import Services


@dataclass(slots=True)
class TruthSide:
    """What a collection must hold.

    Attributes:
        sums: Of the digests of live documents, by slice.
        points: Their points, by slice.
        behind: Documents whose live points are of an older content, recipe or state, and the class that this puts them into.
        never: One finding for each document of which nothing is live.
        doubtful: Slices that are compared whatever they add up to: of documents that are behind, or whose rows do not add up in truth itself.
    """

    sums: list[int] = field(default_factory=lambda: [0] * SLICES)
    points: list[int] = field(default_factory=lambda: [0] * SLICES)
    behind: dict[UUID, DriftClass] = field(default_factory=dict)
    never: list[Finding] = field(default_factory=list)
    doubtful: set[int] = field(default_factory=set)


@dataclass(slots=True)
class IndexSide:
    """What a collection does hold. ``strays``: points whose payload names no document as ours do, or that have a number for an id."""

    sums: list[int] = field(default_factory=lambda: [0] * SLICES)
    points: list[int] = field(default_factory=lambda: [0] * SLICES)
    strays: int = 0


def truth_side(services: Services, tx: Connection) -> TruthSide:
    """Add up truth, without reading a row of a chunk's."""
    side = TruthSide()
    wanted = Wanted(services)
    for row in index_state.scan(tx, collection=services.collection):
        if row.tombstoned:
            continue
        if row.live_generation is None:
            if row.state is not DocumentState.QUARANTINED:  # a quarantined document is absent on purpose, and reported elsewhere
                side.never.append(
                    Finding(DriftClass.MISSING_DOCUMENT, None, row.document_id, expected=True, source=row.source, kind=row.kind)
                )
            continue
        number = slice_of(row.document_id)
        side.points[number] += row.live_chunks
        if row.live_digest is None:
            side.doubtful.add(number)
        else:
            side.sums[number] += int(row.live_digest, 16)
        if row.live_fingerprint != wanted.fingerprint(row):
            side.behind[row.document_id] = DriftClass.STALE_FINGERPRINT
        elif row.live_facets_hash != row.facets_hash:
            side.behind[row.document_id] = DriftClass.PAYLOAD_DRIFT
    side.doubtful.update(slice_of(document) for document in side.behind)
    side.doubtful.update(slice_of(document) for document in digests.documents_without_their_rows(tx, collection=services.collection))
    return side


def index_side(points: Iterable[StoredPoint]) -> IndexSide:
    """Add up an index's points."""
    side = IndexSide()
    for point in points:
        number = _slice(point)
        if number is None or not isinstance(point.id, UUID):
            side.strays += 1
        else:
            side.points[number] += 1
            side.sums[number] += point_digest(point.id, payload_hash(point.payload))
    return side


def disagreeing(truth: TruthSide, index: IndexSide) -> set[int]:
    """Return the slices that must be compared point by point."""
    different = {
        number
        for number in range(SLICES)
        if truth.points[number] != index.points[number] or (truth.sums[number] - index.sums[number]) % MODULUS
    }
    return different | truth.doubtful


def in_slices(points: Iterable[StoredPoint], slices: set[int]) -> Iterator[StoredPoint]:
    """Yield the points of documents of these slices, and those that belong to none."""
    for point in points:
        number = _slice(point)
        if number is None or number in slices:
            yield point


def _slice(point: StoredPoint) -> int | None:
    return slice_of_text(point.payload.get("document_id")) if isinstance(point.id, UUID) else None
