"""Detection of drift: index and truth are added up by slices, compared point by point where the sums differ, and put into a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.digest import SLICES
from pipeline.domain.points import StoredPoint
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.collector import collector_paused
from pipeline.jobs.drift import merge as drift
from pipeline.jobs.drift.examine import examine
from pipeline.jobs.drift.merge import DocumentFact, Finding, Tally
from pipeline.jobs.drift.slices import TruthSide, disagreeing, in_slices, index_side, truth_side
from pipeline.jobs.plans.writer import PlanWriter
from pipeline.observability import ProgressReporter
from pipeline.storage import chunks as chunk_store
from pipeline.storage import digests, index_state
from pipeline.wiring import Services

SCAN_BATCH: Final = 5000  # points a request: 1.5 to 1.8 times as fast as 1,000 (docs/decisions/0003)
VECTOR_BATCH: Final = 1000  # points a request with their vectors: 25 MB of Python's numbers at 384 a vector
_SUMS_ARE_WORTH: Final = 0.5  # share of slices; where truth alone casts doubt on more, adding up first would read most points twice


@dataclass(frozen=True, slots=True)
class _Scope:
    """What is compared point by point: these slices (``None``: everything), and with vectors or without."""

    slices: set[int] | None
    vectors: bool


def detect(services: Services, run_id: UUID, *, deep: bool = False) -> tuple[Tally, str | None]:
    """Compare both sides and write a plan if they differ.

    The index is held while truth is read, and writers flip only while they hold it: with the embedded index the two snapshots are of one
    moment. With a server a concurrent run's documents may show as drift; reconcile after indexing, not during.

    Args:
        services: The home, as seen from the collection that is compared.
        run_id: Names the plan.
        deep: Compare every point and every vector, and not only where sums differ.
    """
    tally = Tally()
    plan = PlanWriter(services, run_id)
    with services.index.session() as index:
        services.require_collection()
        _fill_digests(services)
        with services.db.read() as tx, collector_paused():
            truth = truth_side(services, tx)
            with ProgressReporter("reconcile points", total=index.count()) as progress:
                scope = _scope(services, tx, index, truth, tally, deep=deep, progress=progress)
                if scope is not None:
                    for finding in _compare(services, tx, index, truth, tally, scope, progress):
                        plan.add(finding)
            for finding in truth.never:
                tally.expected += 1
                tally.classes[finding.drift] += 1
                plan.add(finding)
            if tally.depth == "digest":
                tally.unmarked = digests.lacking_expected(tx, collection=services.collection).unmarked
            _promote_missing_documents(services, tx, tally)
            path = plan.finish(tally, tx=tx, index=index)
    return tally, path


def _fill_digests(services: Services) -> None:
    with services.db.read() as tx:
        missing = digests.without_digest(tx, collection=services.collection)
    if missing:
        with services.db.begin() as tx:
            digests.fill_digests(tx, missing, collection=services.collection)


def _scope(
    services: Services, tx: Connection, index: VectorIndex, truth: TruthSide, tally: Tally, *, deep: bool, progress: ProgressReporter
) -> _Scope | None:
    """Return what must be compared point by point, ``None`` where nothing must, and count what need not be."""
    if deep or _vectors_are_lacking(services, tx, index):
        tally.depth = "deep"
        return _Scope(None, vectors=True)
    if len(truth.doubtful) > SLICES * _SUMS_ARE_WORTH:
        return _Scope(None, vectors=False)
    found = index_side(_counted(index.scan(batch_size=SCAN_BATCH), progress))
    differing = disagreeing(truth, found)
    agreed = sum(truth.points) - sum(truth.points[number] for number in differing)
    tally.expected = tally.found = tally.classes[DriftClass.OK] = agreed
    return _Scope(differing, vectors=False) if differing or found.strays else None


def _vectors_are_lacking(services: Services, tx: Connection, index: VectorIndex) -> bool:
    """Whether another number of points is without a vector than truth knows to have none: then all are looked at."""
    may = digests.lacking_expected(tx, collection=services.collection)
    return index.lacking(dense=True) > 0 or not may.without_terms <= index.lacking(dense=False) <= may.without_terms + may.unmarked


def _compare(
    services: Services, tx: Connection, index: VectorIndex, truth: TruthSide, tally: Tally, scope: _Scope, progress: ProgressReporter
) -> Iterator[Finding]:
    found = index.scan(batch_size=VECTOR_BATCH if scope.vectors else SCAN_BATCH, vectors=scope.vectors)
    found = _counted(found, progress) if scope.slices is None else in_slices(found, scope.slices)
    yield from drift.merge(
        chunk_store.expected_points(tx, collection=services.collection, slices=scope.slices),
        examine(found, dimensions=services.dimensions, further=services.spec.further),
        model=services.fingerprint_of,
        behind=truth.behind,
        lookup=lambda ids: _facts(services, tx, ids),
        tally=tally,
    )


def _counted(points: Iterator[StoredPoint], progress: ProgressReporter) -> Iterator[StoredPoint]:
    for number, point in enumerate(points, start=1):
        if number % 1000 == 0:
            progress.advance(1000)
        yield point


def _facts(services: Services, tx: Connection, ids: list[UUID]) -> dict[UUID, DocumentFact]:
    rows = index_state.get_many(tx, ids, collection=services.collection)
    return {key: DocumentFact(row.live_generation, row.source, row.kind) for key, row in rows.items() if not row.tombstoned}


def _promote_missing_documents(services: Services, tx: Connection, tally: Tally) -> None:
    """Count a document's missing points as a missing document where none of its points is there."""
    affected = tally.missing_by_document
    rows = index_state.get_many(tx, list(affected), collection=services.collection)
    whole = sum(count for document, count in affected.items() if document in rows and rows[document].live_chunks == count)
    tally.classes[DriftClass.MISSING_POINT] -= whole
    tally.classes[DriftClass.MISSING_DOCUMENT] += whole
