"""Ingestion of records: list and land (``fetch``), normalise what changed, complete. Three functions, one for each Airflow task.

Only records whose bytes changed are parsed. One record is one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from pipeline.domain.errors import (
    ConfigurationError,
    GuardRefusedError,
    RecordError,
    StoreCorruptError,
    SuppressedError,
    TransientError,
)
from pipeline.domain.ports import RecordSource
from pipeline.domain.vocabulary import FailureCategory
from pipeline.jobs.fetch import Fetched, KeyRange, failed_keys, fetch
from pipeline.jobs.heartbeat import Heartbeat
from pipeline.jobs.readings import OnPage
from pipeline.jobs.summaries import IngestSummary, RecordFailure
from pipeline.jobs.suppressed import forget_landed, is_suppressed
from pipeline.jobs.suppressed import notice as suppressed_notice
from pipeline.jobs.take import TAKERS, Taken
from pipeline.jobs.vanished import tombstone_vanished
from pipeline.observability import ProgressReporter
from pipeline.storage import crawls, erasure, runs
from pipeline.storage.crawls import ListedRecord
from pipeline.storage.runs import RunOutcome
from pipeline.storage.source_state import raise_watermark
from pipeline.wiring import Services, utc_now


def normalize_batch(services: Services, fetched: Fetched, within: KeyRange | None = None) -> dict[str, int]:
    """Take changed records into truth, one transaction each. A retried batch finds what is done unchanged and skips it.

    Returns:
        Counts ``new``, ``changed``, ``failed``, and ``pages:OUTCOME`` of files with pages.
    """
    with services.db.read() as tx:
        todo = crawls.changed(tx, fetched.crawl_id)
    if within is not None:
        todo = [record for record in todo if within.first <= record.source_key <= within.last]
    counts: Counter[str] = Counter(new=0, changed=0, failed=0)
    heart = Heartbeat(services, fetched.run_id)
    with ProgressReporter("normalise records", total=len(todo)) as progress:

        def on_page(done: int, total: int) -> None:
            heart.beat()
            progress.within(done, total)

        for record in todo:
            heart.beat()
            taken = _normalize(services, fetched.run_id, fetched.source, record, on_page)
            counts[taken.state] += 1
            counts.update({f"pages:{outcome}": pages for outcome, pages in taken.pages.items()})
            progress.advance()
    return dict(counts)


def _normalize(services: Services, run_id: UUID, source: str, record: ListedRecord, on_page: OnPage) -> Taken:
    try:
        if is_suppressed(services, source, record.source_key):
            return _leave_out(services, run_id, source, record)
        return TAKERS[source](services, run_id, record, on_page)
    except SuppressedError:
        return _leave_out(services, run_id, source, record)
    except RecordError as error:
        _note(services, run_id, record, FailureCategory(error.category), None)
    except (TransientError, ConfigurationError):
        raise  # the database or the landing is away, or Tesseract is not installed: that concerns every record
    except StoreCorruptError as error:
        services.landing.delete(record.payload_sha256)  # so that the next run lands it again: a damaged object would stay for ever
        _note(services, run_id, record, FailureCategory.NORMALIZE_FAILED, type(error).__name__)
    except Exception as error:  # noqa: BLE001 - one record's defect must not stop the others
        _note(services, run_id, record, FailureCategory.NORMALIZE_FAILED, type(error).__name__)
    return Taken("failed")


def _leave_out(services: Services, run_id: UUID, source: str, record: ListedRecord) -> Taken:
    """Take nothing of a record that was deleted for good after it was listed, and leave nothing of it in landing."""
    if services.landing.contains(record.payload_sha256):
        forget_landed(services, source, [record.source_key])
    with services.db.begin() as tx:
        erasure.forget_names(tx, source, [record.source_key])
        runs.add_outcomes(tx, run_id, [suppressed_notice("normalize", record)])
    return Taken("suppressed")


def _note(services: Services, run_id: UUID, record: ListedRecord, category: FailureCategory, detail: str | None) -> None:
    outcome = RunOutcome(
        stage="normalize",
        severity="failure",
        category=category.value,
        source_key=record.source_key,
        origin=record.origin,
        value=detail,
    )
    with services.db.begin() as tx:
        runs.add_outcomes(tx, run_id, [outcome])


def complete(services: Services, fetched: Fetched, counts: Sequence[dict[str, int]], *, lost_batches: int = 0) -> IngestSummary:
    """End an ingestion: tombstone what vanished from a complete full listing, move the watermark, write the run.

    Args:
        services: The home.
        fetched: What was listed.
        counts: What each batch did.
        lost_batches: Batches that ended without a result; the run is incomplete then.

    Raises:
        GuardRefusedError: So many records vanished that the listing itself is suspect; nothing was tombstoned.
    """
    refused: GuardRefusedError | None = None
    tombstoned = 0
    with services.db.begin() as tx:
        crawls.touch_seen(tx, fetched.crawl_id, utc_now())
        if fetched.proves_absence and fetched.complete:
            failed = failed_keys(tx, fetched.run_id) if fetched.roots is not None else set()
            try:
                tombstoned = tombstone_vanished(
                    tx,
                    services.settings,
                    run_id=fetched.run_id,
                    crawl_id=fetched.crawl_id,
                    source=fetched.source,
                    roots=fetched.roots,
                    failed=failed,
                )
            except GuardRefusedError as error:
                refused = error
    summary = _summarise(services, fetched, counts, tombstoned)
    state: runs.RunState = "incomplete" if is_incomplete(summary) or refused or lost_batches else "success"
    with services.db.begin() as tx:
        if state == "success" or (fetched.roots is not None and fetched.complete and not (refused or lost_batches)):
            # A folder with one file that cannot be read is listed all the same, every night.
            state_now = crawls.advance(tx, fetched.crawl_id, utc_now())
            raise_watermark(tx, fetched.source, fetched.base_scope, state_now.watermark)
        runs.finish_run(tx, fetched.run_id, state, summary.model_dump(mode="json", exclude={"failures"}), utc_now())
    if refused:
        raise refused
    return summary


def _summarise(services: Services, fetched: Fetched, counts: Sequence[dict[str, int]], tombstoned: int) -> IngestSummary:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    with services.db.read() as tx:
        outcomes = runs.outcomes_of(tx, fetched.run_id)
        run = runs.get_run(tx, fetched.run_id)
    failures = [
        RecordFailure(source_key=one.source_key, category=one.category, origin=one.origin) for one in outcomes if one.severity == "failure"
    ]
    notices = Counter(one.category for one in outcomes if one.severity == "notice")
    return IngestSummary(
        run_id=str(fetched.run_id),
        crawl_id=str(fetched.crawl_id),
        scope=fetched.scope,
        complete=fetched.complete,
        resumed=fetched.resumed,
        seen=fetched.seen + fetched.failed,
        new=total["new"],
        changed=total["changed"],
        unchanged=fetched.unchanged,
        tombstoned=tombstoned,
        failed=len(failures),
        failures=failures,
        notices=dict(notices),
        pages={name.removeprefix("pages:"): count for name, count in sorted(total.items()) if name.startswith("pages:")},
        seconds=round((utc_now() - run.started_at).total_seconds(), 3) if run else 0.0,
    )


def is_incomplete(summary: IngestSummary) -> bool:
    """Whether a run left a record out or could not list all."""
    return bool(summary.failed) or not summary.complete


def ingest(services: Services, source: RecordSource) -> IngestSummary:
    """Do all three steps in one process."""
    fetched = fetch(services, source)
    counts = normalize_batch(services, fetched)
    return complete(services, fetched, [counts])
