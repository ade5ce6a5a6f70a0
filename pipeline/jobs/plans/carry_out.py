"""Carries a plan out: saves what it will touch, deletes what is not expected, rewrites payloads, indexes the rest anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from pipeline.domain.errors import GuardRefusedError, WriteVerificationError
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.index import begin_run, end_run, index_batches
from pipeline.jobs.index_plan import batches
from pipeline.jobs.plans.approving import record_approval, refuse_unless_approved
from pipeline.jobs.plans.distrust import forget_damaged_vectors
from pipeline.jobs.plans.findings import in_batches, read_findings
from pipeline.jobs.plans.model import RepairPlan
from pipeline.jobs.plans.reading import read_plan
from pipeline.jobs.plans.undo_file import UndoWriter, finished_key, undo_path
from pipeline.jobs.plans.world import refuse_moved_world, world_of
from pipeline.jobs.summaries import IndexSummary
from pipeline.jobs.upkeep import update_payloads
from pipeline.observability import ProgressReporter, log_event
from pipeline.storage import chunks as chunk_store
from pipeline.storage import meta
from pipeline.wiring import Services, utc_now

# Ids in one request. Each point is read with its vectors before it is deleted: 25 MB of Python's numbers at 384 a vector.
_BATCH: Final = 1000
_EXPECTED_ONLY: Final = (DriftClass.MISSING_POINT, DriftClass.MISSING_DOCUMENT)


@dataclass(slots=True)
class _Work:
    """What a plan's findings come to, document by document."""

    payload: set[UUID] = field(default_factory=set)  # documents whose payloads to rewrite
    index: set[UUID] = field(default_factory=set)  # documents to index anew
    replaced: dict[UUID | int, UUID] = field(default_factory=dict)  # points that re-indexing replaces, and whose they are
    unexpected: int = 0


def approve_plan(services: Services, path: str, *, by: str | None = None, reason: str | None = None) -> RepairPlan:
    """Record that a person approved a plan, and carry it out.

    Raises:
        UsageError: There is no plan at ``path``.
        GuardRefusedError: It was changed, the world has moved, or a guard refuses what no approval lifts. Nothing was changed or recorded.
    """
    return _apply(services, path, approved=True, by=by, reason=reason)


def apply_plan(services: Services, path: str) -> RepairPlan:
    """Carry a plan out that no guard refuses.

    Raises:
        UsageError: There is no plan at ``path``.
        GuardRefusedError: A guard refuses, the plan was changed, or the world has moved. Nothing was changed.
    """
    return _apply(services, path, approved=False)


def _apply(services: Services, path: str, *, approved: bool, by: str | None = None, reason: str | None = None) -> RepairPlan:
    plan, findings = read_plan(path, secret=services.secret)
    if plan.collection != services.collection:
        raise GuardRefusedError(
            f"plan {plan.run_id} is of collection {plan.collection}, and {services.collection} is live now",
            remedy="Run `clindex reconcile` for a new plan.",
        )
    undo = undo_path(findings.parent, plan.run_id)
    if undo.exists():
        raise GuardRefusedError(
            f"plan {plan.run_id} was carried out already, or begun; the index has changed since",
            remedy="Run `clindex reconcile` for a new plan, or `clindex reconcile --undo PLAN` to go back.",
        )
    refuse_moved_world(services, plan)
    refuse_unless_approved(services, plan, findings, approved=approved)
    if approved:
        record_approval(services, plan, by=by, reason=reason)
    _carry_out(services, plan, findings, undo)
    return plan


def _carry_out(services: Services, plan: RepairPlan, findings: Path, undo: Path) -> None:
    work = _work_of(findings)
    head: dict[str, object] = {"version": 1, "plan": plan.run_id, "collection": plan.collection, "created_at": utc_now().isoformat()}
    with UndoWriter(undo, secret=services.secret, head=head) as saved:
        _save(services, saved, work.replaced)
        with ProgressReporter("delete points", total=work.unexpected) as progress:
            removed = _delete(services, saved, (one.point_id for one in read_findings(findings) if not one.expected), progress)
        rewritten = sorted(work.payload - work.index)
        for batch in in_batches(rewritten, services.settings.index_batch_documents):
            _save_documents(services, saved, batch)
        _, broken = update_payloads(services, rewritten)
        anew = sorted(work.index.union(broken))
        forget_damaged_vectors(services, anew)
        _reindex(services, saved, anew)
        # A point whose payload is not ours is not found by its document: what re-indexing replaced is removed by id.
        removed += _delete(services, None, iter(work.replaced), None)
        with services.index.session() as index, services.db.read() as tx:
            saved.end(world_of(tx, collection=services.collection), index.count())
        with services.db.begin() as tx:
            meta.put(tx, finished_key(plan.run_id), "finished")
    log_event("plan_applied", run_id=plan.run_id, deleted=removed, reindexed=len(anew), payloads=len(rewritten))


def _work_of(findings: Path) -> _Work:
    work = _Work()
    for finding in read_findings(findings):
        if not finding.expected:
            work.unexpected += 1
        elif finding.document_id is None:
            continue
        elif finding.drift is DriftClass.PAYLOAD_DRIFT:
            work.payload.add(finding.document_id)
        else:
            work.index.add(finding.document_id)
            if finding.drift not in _EXPECTED_ONLY and finding.point_id is not None:
                work.replaced[finding.point_id] = finding.document_id
    return work


def _save(services: Services, saved: UndoWriter, points: dict[UUID | int, UUID]) -> None:
    """Save points by id, with the documents that they stand for: their payloads may not say."""
    with services.index.session() as index:
        for batch in in_batches(points, _BATCH):
            saved.save(index.retrieve(batch, vectors=True), points)
    saved.commit()


def _save_documents(services: Services, saved: UndoWriter, documents: list[UUID]) -> None:
    """Save every point that names one of these documents, before any is written."""
    saved.touch(documents)
    with services.index.session() as index:
        saved.save(index.scan(PointFilter(document_ids=tuple(documents)), batch_size=_BATCH, vectors=True))
    saved.commit()


def _delete(services: Services, saved: UndoWriter | None, points: Iterator[UUID | int | None], progress: ProgressReporter | None) -> int:
    """Delete points by id, but for those that truth expects: a document that could not be indexed anew keeps what is live of it."""
    removed = 0
    for batch in in_batches((key for key in points if key is not None), _BATCH):
        with services.index.session() as index:
            known = [key for key in batch if isinstance(key, UUID)]
            with services.db.read() as tx:
                expected = chunk_store.rows_by_point(tx, known, collection=services.collection)
            gone = [key for key in batch if key not in expected]
            if saved is not None:
                saved.save(index.retrieve(gone, vectors=True))
                saved.commit()
            index.delete_points(gone)
            if left := len(index.retrieve(gone)):
                raise WriteVerificationError(f"{left} of {len(gone)} points are still there after their deletion")
        removed += len(gone)
        if progress is not None:
            progress.advance(len(batch))
    return removed


def _reindex(services: Services, saved: UndoWriter, documents: list[UUID]) -> None:
    if not documents:
        return
    run_id = begin_run(services, reason="repair")
    summary = IndexSummary(run_id=str(run_id))
    finished = False
    work = list(batches(documents, services.settings.index_batch_documents))
    try:
        with ProgressReporter("index documents anew", total=len(documents)) as progress:
            for batch, done in zip(work, index_batches(services, run_id, _saving(services, saved, work), force=True), strict=True):
                summary += done
                progress.advance(len(batch))
        finished = True
    finally:
        end_run(services, run_id, summary, finished=finished)


def _saving(services: Services, saved: UndoWriter, work: Iterable[list[UUID]]) -> Iterator[list[UUID]]:
    """Yield batches, each after its points are saved: indexing asks for the next batch before it writes the one before it."""
    for batch in work:
        _save_documents(services, saved, batch)
        yield batch
