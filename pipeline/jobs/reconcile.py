"""Reconciliation: read what is really in the index, prove that it equals truth, and write a plan for what does not. Reads only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.points import StoredPoint
from pipeline.domain.recipe import fingerprint_of
from pipeline.domain.vocabulary import DocumentKind, DocumentState, DriftClass
from pipeline.jobs import drift
from pipeline.jobs.collector import collector_paused
from pipeline.jobs.drift import DocumentFact, Finding, Tally
from pipeline.jobs.repair import PlanWriter, RepairPlan, apply_plan, world_of
from pipeline.jobs.summaries import ReconcileSummary
from pipeline.observability import ProgressReporter
from pipeline.storage import chunks as chunk_store
from pipeline.storage import index_state, runs
from pipeline.storage.secrets import ensure_site_secret
from pipeline.wiring import Services, utc_now

SCAN_BATCH = 5000  # points a request: 1.5 to 1.8 times as fast as 1,000 (docs/decisions/0003)


def run_reconcile(services: Services, *, repair: bool = False, approve: str | None = None) -> ReconcileSummary:
    """Compare, write a plan where something differs, and repair by it when asked.

    Args:
        services: The home.
        repair: Carry the plan out, unless a guard refuses it.
        approve: Path of a plan that a person has read: it is carried out although it is large, if the world has not moved since.

    Raises:
        GuardRefusedError: The plan deletes too large a share, or an approved plan no longer fits. Nothing was changed.
    """
    start = time.monotonic()
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, "reconcile", utc_now())
    state: runs.RunState = "failed"
    summary: ReconcileSummary | None = None
    try:
        plan = apply_plan(services, approve, approved=True) if approve is not None else None
        tally, path = detect(services, run_id)
        if repair and path is not None:
            summary, state = summarise(run_id, tally, path, None, time.monotonic() - start), "incomplete"  # should a guard refuse
            plan = apply_plan(services, path, approved=False)
            tally, path = detect(services, run_id)
        summary = summarise(run_id, tally, path, plan, time.monotonic() - start)
        state = "success" if summary.clean else "incomplete"
    finally:
        with services.db.begin() as tx:
            runs.finish_run(tx, run_id, state, summary.model_dump(mode="json") if summary else {}, utc_now())
    return summary


def summarise(run_id: UUID, tally: Tally, plan: str | None, carried_out: RepairPlan | None, seconds: float) -> ReconcileSummary:
    """Put a tally into words. All classes are named, also those with 0; repaired is what a plan had found and is not there any more."""
    before = carried_out.classes if carried_out else {}
    fewer = {name: count - tally.classes[DriftClass(name)] for name, count in before.items() if name != DriftClass.OK}
    return ReconcileSummary(
        run_id=str(run_id),
        expected=tally.expected,
        found=tally.found,
        clean=tally.sums_close and all(count == 0 for name, count in tally.classes.items() if name is not DriftClass.OK),
        classes={name.value: tally.classes[name] for name in DriftClass},
        sums_close=tally.sums_close,
        plan=plan,
        repaired={name: count for name, count in fewer.items() if count > 0},
        seconds=round(seconds, 3),
    )


def detect(services: Services, run_id: UUID) -> tuple[Tally, str | None]:
    """Compare both sides and write a plan if they differ.

    The index is held while truth is read, and writers flip only while they hold it: with the embedded index the two snapshots are of one
    moment. With a server a concurrent run's documents may show as drift; reconcile after indexing, not during.
    """
    tally = Tally()
    plan = PlanWriter(services.settings.reports_folder / "plans", run_id, secret=ensure_site_secret(services.settings, services.db))
    model = services.model_fingerprint
    with services.index.session() as index, services.db.read() as tx, collector_paused():
        services.require_collection()
        behind, never_indexed = _document_states(services, tx)
        with ProgressReporter("reconcile points", total=index.count()) as progress:
            findings = drift.merge(
                chunk_store.expected_points(tx),
                _counted(index.scan(batch_size=SCAN_BATCH), progress),
                model=model,
                behind=behind,
                lookup=lambda ids: _facts(tx, ids),
                tally=tally,
            )
            for finding in findings:
                plan.add(finding)
        for document in never_indexed:
            tally.expected += 1
            tally.classes[DriftClass.MISSING_DOCUMENT] += 1
            plan.add(Finding(DriftClass.MISSING_DOCUMENT, None, document, expected=True))
        _promote_missing_documents(tx, tally)
        path = plan.finish(tally, world=world_of(tx))
    return tally, path


def _counted(points: Iterator[StoredPoint], progress: ProgressReporter) -> Iterator[StoredPoint]:
    for number, point in enumerate(points, start=1):
        if number % 1000 == 0:
            progress.advance(1000)
        yield point


def _document_states(services: Services, tx: Connection) -> tuple[dict[UUID, DriftClass], list[UUID]]:
    """Return documents whose live points are of an older content, recipe or facets, and documents of which nothing is live."""
    behind: dict[UUID, DriftClass] = {}
    never: list[UUID] = []
    recipes: dict[tuple[str, str], str] = {}
    for row in index_state.scan(tx, collection=services.collection):
        if row.tombstoned:
            continue
        if row.live_generation is None:
            if row.state is not DocumentState.QUARANTINED:  # a quarantined document is absent on purpose, and reported elsewhere
                never.append(row.document_id)
            continue
        key = (row.kind, row.source)
        if key not in recipes:
            recipes[key] = services.recipe(DocumentKind(row.kind), row.source).id
        if row.live_fingerprint != fingerprint_of(row.content_hash, recipes[key]):
            behind[row.document_id] = DriftClass.STALE_FINGERPRINT
        elif row.live_facets_hash != row.facets_hash:
            behind[row.document_id] = DriftClass.PAYLOAD_DRIFT
    return behind, never


def _facts(tx: Connection, ids: list[UUID]) -> dict[UUID, DocumentFact]:
    return {key: DocumentFact(row.live_generation) for key, row in index_state.get_many(tx, ids).items() if not row.tombstoned}


def _promote_missing_documents(tx: Connection, tally: Tally) -> None:
    """Count a document's missing points as a missing document where none of its points is there."""
    affected = tally.missing_by_document
    rows = index_state.get_many(tx, list(affected))
    whole = sum(count for document, count in affected.items() if document in rows and rows[document].live_chunks == count)
    tally.classes[DriftClass.MISSING_POINT] -= whole
    tally.classes[DriftClass.MISSING_DOCUMENT] += whole
