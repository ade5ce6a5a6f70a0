"""Brings truth to what people decided, and back where they have withdrawn it; the index follows at its next run.

An acceptance needs nothing here: whoever holds something back asks for it. May be called any number of times.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from sqlalchemy import select

from pipeline.domain.errors import RecordError, StoreCorruptError, SuppressedError
from pipeline.domain.review import Action, FindingKind
from pipeline.domain.vocabulary import FailureCategory, NoticeCategory, RunKind
from pipeline.jobs.take import TAKERS
from pipeline.observability import log_event
from pipeline.storage import documents, holds, review, runs, suppressions
from pipeline.storage.crawls import ListedRecord
from pipeline.storage.review import Kept
from pipeline.storage.runs import RunOutcome
from pipeline.storage.tables import documents as documents_table
from pipeline.wiring import Services, utc_now

STAGE: Final = "review"

#: Why a decision has to wait.
Waits = FailureCategory | NoticeCategory


def obey(services: Services) -> int:
    """Carry out what waits, as one run. Returns how many decisions still wait: a legal hold, or a record that cannot be read.

    Raises:
        StoreUnavailableError: Landing or the database is away.
    """
    with services.db.read() as tx:
        waiting = review.waiting(tx)
    if not waiting:
        return 0
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, RunKind.REVIEW, utc_now())
    failures: list[RunOutcome] = []
    try:
        for kept in waiting:
            failure = _carry_out(services, run_id, kept)
            if failure is not None:
                failures.append(RunOutcome(STAGE, "failure", failure.value, source_key=kept.decision.about.subject))
    finally:
        counts = {"decisions": len(waiting), "failed": len(failures)}
        with services.db.begin() as tx:
            runs.add_outcomes(tx, run_id, failures)
            runs.finish_run(tx, run_id, "incomplete" if failures else "success", counts, utc_now())
    log_event("review_obeyed", run_id=str(run_id), **counts)
    return len(failures)


def suppression_id(decision_id: str) -> UUID:
    """Return what stands in a suppression where a deletion's id stands otherwise."""
    return UUID(decision_id)


def _carry_out(services: Services, run_id: UUID, kept: Kept) -> Waits | None:
    """Carry out one decision; returns why it has to wait."""
    one = kept.decision
    failure: Waits | None = None
    match one.action:
        case Action.SUPPRESS if kept.active:
            return _suppress(services, kept)
        case Action.SUPPRESS:
            failure = _lift(services, run_id, kept)
        case Action.FIX if one.fix is not None and one.fix.changes_document:
            failure = _take_anew(services, run_id, UUID(one.about.subject))
        case Action.ACCEPT if one.about.kind is FindingKind.SUSPECTED_PHI and not kept.active:
            with services.db.begin() as tx:
                review.make_anew(tx, UUID(one.about.subject))
        case _:
            pass
    if failure is None:
        with services.db.begin() as tx:
            review.obeyed(tx, one.decision_id, utc_now())
    return failure


def _suppress(services: Services, kept: Kept) -> Waits | None:
    """Let nobody find or take a document from this commit on; the next index run removes its points. Its record stays in landing."""
    now, key = utc_now(), UUID(kept.decision.about.subject)
    with services.db.begin() as tx:
        suppressions.in_turn(tx, alone=True)
        if holds.held(tx, [key]):
            return NoticeCategory.ON_HOLD
        if suppressions.get(tx, str(key)) is None:  # deleted for good meanwhile: that is more
            suppressions.suppress(tx, [str(key)], suppression_id(kept.decision.decision_id), now)
        documents.tombstone(tx, [key], now)
        review.obeyed(tx, kept.decision.decision_id, now)
    return None


def _lift(services: Services, run_id: UUID, kept: Kept) -> Waits | None:
    """Let a document be taken again, and take it where its record is still in landing; otherwise the next ingestion does."""
    subject = kept.decision.about.subject
    with services.db.begin() as tx:
        suppressions.in_turn(tx, alone=True)
        found = suppressions.get(tx, subject)
        mine = found is not None and found.deletion_id == suppression_id(kept.decision.decision_id)
        if mine:
            suppressions.lift(tx, subject)
    return _take_anew(services, run_id, UUID(subject), although_gone=True) if mine else None


def _take_anew(services: Services, run_id: UUID, document_id: UUID, *, although_gone: bool = False) -> Waits | None:
    """Take a document's record from landing once more, by what people say of it now. One that is not here is taken so when it comes."""
    columns = (documents_table.c.source, documents_table.c.source_key, documents_table.c.payload_sha256, documents_table.c.tombstoned_at)
    with services.db.read() as tx:
        row = tx.execute(select(*columns).where(documents_table.c.document_id == document_id)).one_or_none()
    if row is None or not row.payload_sha256 or (row.tombstoned_at is not None and not although_gone):
        return None
    if not services.landing.contains(row.payload_sha256):
        return None if although_gone else FailureCategory.NOT_FOUND
    try:
        TAKERS[row.source](services, run_id, ListedRecord(row.source_key, row.payload_sha256, 0), lambda _done, _total: None)
    except SuppressedError:
        return None
    except RecordError as error:
        return FailureCategory(error.category)
    except StoreCorruptError:
        return FailureCategory.UNREADABLE_FILE
    return None
