"""Indexing: brings the vector index to what truth says, document by document, in batches that survive a kill."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import DocumentState, FailureCategory, RunKind
from pipeline.jobs.ahead import one_ahead
from pipeline.jobs.deletion import finish_open
from pipeline.jobs.generation import write_generations
from pipeline.jobs.heartbeat import Heartbeat
from pipeline.jobs.index_plan import Action, IndexPlan, batches, plan_index
from pipeline.jobs.pointer import ensure_pointer
from pipeline.jobs.prepare import Prepared, StageFailure, prepare
from pipeline.jobs.quality.gate import hold_back
from pipeline.jobs.review.obey import obey
from pipeline.jobs.summaries import DocumentCounts, IndexSummary, RecordFailure
from pipeline.jobs.upkeep import finish_clean, remove_documents, update_payloads
from pipeline.observability import ProgressReporter, log_event
from pipeline.storage import index_state, quarantine
from pipeline.storage.runs import RunOutcome, RunState, add_outcomes, finish_run, start_run
from pipeline.wiring import Services, utc_now

# What is appended stays in memory until it settles: about 10 KB a point were seen while a million points were written without settling.
SETTLE_EVERY_POINTS = 25_000


def run_index(
    services: Services,
    *,
    documents: Sequence[UUID] | None = None,
    force: bool = False,
    reason: str | None = None,
    kind: RunKind = RunKind.INDEX,
) -> IndexSummary:
    """Index what needs it, as one run with its outcomes recorded.

    Args:
        services: The home.
        documents: Only these; ``None`` means all.
        force: Write a new generation even where nothing changed.
        reason: Why, in a person's words; kept with the run.
        kind: Of the run, as it is recorded: a candidate's is ``REINDEX``.

    Raises:
        UsageError: One of ``documents`` is unknown.
    """
    services.require_collection()
    ensure_pointer(services)
    if documents is not None:
        _refuse_unknown(services, documents)
    finish_open(services)
    obey(services)
    plan = plan_index(services, documents=documents, force=force)
    run_id = begin_run(services, reason=reason, kind=kind)
    summary = IndexSummary(documents=DocumentCounts(skipped=plan.skipped), run_id=str(run_id))
    finished = False
    settled = 0
    try:
        with ProgressReporter("index documents", total=len(plan.work)) as progress:
            work = plan_batches(plan, services.settings.index_batch_documents)
            for batch, done in zip(work, index_batches(services, run_id, work, force=force), strict=True):
                summary += done
                progress.advance(len(batch))
                if summary.points_written - settled >= SETTLE_EVERY_POINTS:
                    settle(services, summary)
                    settled = summary.points_written
        settle(services, summary)
        finished = True
    finally:
        end_run(services, run_id, summary, finished=finished)
    return summary


def _refuse_unknown(services: Services, documents: Sequence[UUID]) -> None:
    with services.db.read() as tx:
        unknown = set(documents) - set(index_state.get_many(tx, documents))
    if unknown:
        raise UsageError(
            f"{len(unknown)} of {len(documents)} documents are unknown, such as {min(unknown)}", remedy="`clindex search --json` shows ids."
        )


def settle(services: Services, summary: IndexSummary) -> None:
    """Let the index put itself in order after a run that wrote points."""
    if summary.points_written:
        with services.index.session() as index:
            index.settle()


def plan_batches(plan: IndexPlan, size: int) -> list[list[UUID]]:
    """Cut a plan's documents into batches, deletions first."""
    return list(batches([document for _, document in plan.work], size))


def begin_run(services: Services, *, reason: str | None = None, kind: RunKind = RunKind.INDEX) -> UUID:
    """Record that an index run has begun, and why."""
    with services.db.begin() as tx:
        run_id = start_run(tx, kind.value, utc_now())
        if reason is not None:
            add_outcomes(tx, run_id, [RunOutcome(stage="index", severity="notice", category="reason", value=reason)])
        return run_id


def end_run(services: Services, run_id: UUID, summary: IndexSummary, *, finished: bool = True) -> None:
    """Record how an index run ended."""
    state: RunState = "failed" if not finished else "incomplete" if is_incomplete(summary) else "success"
    with services.db.begin() as tx:
        finish_run(tx, run_id, state, summary.model_dump(mode="json", exclude={"failures"}), utc_now())
    log_event("index_finished", run_id=str(run_id), state=state, **summary.documents.model_dump())


def is_incomplete(summary: IndexSummary) -> bool:
    """Whether a run left something out."""
    return bool(summary.documents.failed or summary.documents.quarantined)


@dataclass(frozen=True, slots=True)
class _Planned:
    """What a batch of documents needs, and the new generations prepared for those that need one."""

    plan: IndexPlan
    rows: dict[UUID, index_state.IndexRow] = field(repr=False)
    prepared: list[Prepared] = field(repr=False)
    failures: list[StageFailure]
    seconds: float


def index_batches(services: Services, run_id: UUID, ids: Iterable[Sequence[UUID]], *, force: bool = False) -> Iterator[IndexSummary]:
    """Do for each document of each batch what it needs now, and yield each batch's summary (a retried batch repeats nothing).

    What a batch needs is decided from truth shortly before its turn, never from an old plan; the next batch is prepared while this
    one is embedded. A document that changes or goes in between is caught by ``claim`` and by the flip.
    """
    heart = Heartbeat(services, run_id)
    for planned in one_ahead(ids, lambda batch: _plan(services, batch, force=force)):
        heart.beat()
        yield _carry_out(services, run_id, planned)


def _plan(services: Services, ids: Sequence[UUID], *, force: bool) -> _Planned:
    start = time.monotonic()
    plan = plan_index(services, documents=ids, force=force)
    with services.db.read() as tx:
        rows = index_state.get_many(tx, list(ids), collection=services.collection)
    prepared, failures = prepare(services, [rows[key] for key in plan.index])
    return _Planned(plan, rows, prepared, failures, time.monotonic() - start)


def _carry_out(services: Services, run_id: UUID, planned: _Planned) -> IndexSummary:
    plan, rows = planned.plan, planned.rows
    summary = IndexSummary(documents=DocumentCounts())
    if plan.delete:
        removed = sum(remove_documents(there, plan.delete) for there in services.deletes_from())
        summary += IndexSummary(documents=DocumentCounts(deleted=len(plan.delete)), points_deleted=removed)
    if plan.clean:
        removed = finish_clean(services, [rows[key] for key in plan.clean])
        summary += IndexSummary(documents=DocumentCounts(skipped=len(plan.clean)), points_deleted=removed)
    if plan.payload:
        updated, broken = update_payloads(services, plan.payload)
        summary += IndexSummary(documents=DocumentCounts(payload_only=len(plan.payload) - len(broken)), payloads_updated=updated)
        if broken:
            summary += _write(services, run_id, *prepare(services, [rows[key] for key in broken]))
    if plan.index:
        summary += _write(services, run_id, planned.prepared, planned.failures)
        summary += IndexSummary(seconds={"prepare": planned.seconds})
    return summary


def _write(services: Services, run_id: UUID, prepared: Sequence[Prepared], failures: Sequence[StageFailure]) -> IndexSummary:
    prepared, blocked = hold_back(services, prepared)
    failures = [*failures, *blocked]
    counts = _record_failures(services, run_id, failures)
    done = write_generations(services, prepared)
    if done.flipped:
        with services.db.begin() as tx:
            quarantine.clear(tx, done.flipped, collection=services.collection)
    return IndexSummary(
        documents=counts + DocumentCounts(indexed=len(done.flipped), overtaken=len(done.lost)),
        chunks=done.chunks,
        embedded=done.embedded,
        cached=done.cached,
        points_written=done.points_written,
        points_deleted=done.points_deleted,
        unexplained=sum(item.chunked.loss.unexplained for item in prepared),
        failures=[RecordFailure(source_key=one.source_key, category=one.category.value, origin=one.detail) for one in failures],
        seconds=done.seconds,
    )


def _record_failures(services: Services, run_id: UUID, failures: Sequence[StageFailure]) -> DocumentCounts:
    """Keep failures with their documents and in the run; a document that the gate refused is taken out of the index."""
    if not failures:
        return DocumentCounts()
    refused = [one for one in failures if one.category is FailureCategory.GATE_REFUSED]
    if refused:
        with services.db.begin() as tx:
            quarantine.hold(tx, [one.held for one in refused if one.held is not None], utc_now())
        remove_documents(
            services,
            [one.document_id for one in refused],
            state=DocumentState.QUARANTINED,
            category=FailureCategory.GATE_REFUSED.value,
        )
    with services.db.begin() as tx:
        for one in failures:
            if one.category is not FailureCategory.GATE_REFUSED:
                index_state.mark(
                    tx, one.document_id, DocumentState.FAILED, utc_now(), collection=services.collection, category=one.category.value
                )
        add_outcomes(
            tx,
            run_id,
            [
                RunOutcome(stage="index", severity="failure", category=one.category.value, source_key=one.source_key, value=one.detail)
                for one in failures
            ],
        )
    return DocumentCounts(failed=len(failures) - len(refused), quarantined=len(refused))


def describe_plan(plan: IndexPlan) -> dict[str, int]:
    """Return a plan's counts by action, for a dry run."""
    counts = {Action.SKIP.value: plan.skipped}
    for action, _ in plan.work:
        counts[action.value] = counts.get(action.value, 0) + 1
    return counts
