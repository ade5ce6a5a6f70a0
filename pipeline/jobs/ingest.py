"""Ingestion of records: list and land, normalise what changed, complete. Three functions, one for each Airflow task.

Fetching lands bytes and writes the listing; only records whose bytes changed are parsed. One record is one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.errors import (
    ConfigurationError,
    GuardRefusedError,
    RecordError,
    StoreCorruptError,
    SuppressedError,
    TransientError,
)
from pipeline.domain.identifiers import fingerprint, sha256_hex
from pipeline.domain.ports import FetchedPage, FetchedRecord, RecordSource
from pipeline.domain.vocabulary import FailureCategory, NoticeCategory, RunKind, Source
from pipeline.jobs.certificates.forgotten import recall
from pipeline.jobs.heartbeat import Heartbeat
from pipeline.jobs.readings import OnPage
from pipeline.jobs.summaries import IngestSummary, RecordFailure
from pipeline.jobs.suppressed import forget_landed, is_suppressed, suppressed_keys
from pipeline.jobs.suppressed import notice as suppressed_notice
from pipeline.jobs.take import TAKERS, Taken
from pipeline.jobs.vanished import tombstone_vanished
from pipeline.observability import ProgressReporter, log_event
from pipeline.storage import crawls, erasure, runs
from pipeline.storage.crawls import Crawl, ListedRecord
from pipeline.storage.runs import RunOutcome
from pipeline.storage.source_state import raise_watermark
from pipeline.wiring import Services, utc_now

RUN_KINDS: Final[Mapping[str, RunKind]] = MappingProxyType(
    {Source.CLINICALTRIALS_GOV.value: RunKind.INGEST, Source.DOCUMENTS.value: RunKind.INGEST_DOCUMENTS}
)

# An open crawl older than this starts again: the registry's page tokens and the listing they belong to have aged.
CRAWL_MAX_AGE = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A finished listing: what the other two tasks need."""

    run_id: UUID
    crawl_id: UUID
    scope: str
    source: str
    complete: bool
    resumed: bool
    seen: int
    failed: int
    changed: int  # records whose bytes truth does not have
    unchanged: int
    proves_absence: bool
    base_scope: str
    roots: Sequence[str] | None = None  # folders that were listed whole; None: the source has none


def fetch(services: Services, source: RecordSource) -> Fetched:
    """List a source, land every record, and find which ones changed.

    Raises:
        SourceWentBackError: The source's data are older than last time; nothing was fetched.
        SourceUnavailableError, SourceRefusedError, SourceProtocolError: See the source. What was landed stays; the next run resumes.
    """
    recall(services)
    version = source.version()
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, RUN_KINDS[source.name], utc_now())
        crawl = crawls.open_crawl(
            tx,
            source=source.name,
            scope=source.scope,
            parameters_hash=fingerprint([source.name, source.scope]),
            version=version,
            now=utc_now(),
            max_age=CRAWL_MAX_AGE,
        )
    finished = False
    try:
        _walk(services, source, run_id, crawl)
        finished = True
    finally:
        if not finished:
            with services.db.begin() as tx:
                runs.finish_run(tx, run_id, "failed", {}, utc_now())
    return _close(services, source, run_id, crawl)


def _walk(services: Services, source: RecordSource, run_id: UUID, crawl: Crawl) -> None:
    with ProgressReporter("fetch records", total=crawl.promised) as progress:
        progress.advance(crawl.received)
        for page in source.pages(resume_from=crawl.next_token):
            progress.total = page.total or progress.total
            if page.restarted:
                with services.db.begin() as tx:
                    crawls.restart(tx, crawl.crawl_id, utc_now())
            _land_page(services, run_id, source.name, crawl.crawl_id, page)
            progress.advance(len(page.records))


def _land_page(services: Services, run_id: UUID, source: str, crawl_id: UUID, page: FetchedPage) -> None:
    """Keep a page's bytes first, then list them in one commit with the token that follows. What was deleted for good is left out."""
    listed: list[ListedRecord] = []
    outcomes: list[RunOutcome] = []
    with services.db.read() as tx:
        deleted = suppressed_keys(services, tx, source, page.records)
    left_out = 0
    for position, record in enumerate(page.records):
        if record.failure is not None or record.source_key is None:
            outcomes.append(_failure(record))
            continue
        if record.source_key in deleted:
            outcomes.append(suppressed_notice("fetch", record))
            left_out += 1
            continue
        if record.asked_as is not None:
            outcomes.append(_alias(record))
        sha256 = sha256_hex(record.data)
        for attached in (*record.attachments, record.data):
            services.landing.put(attached)
        listed.append(ListedRecord(record.source_key, sha256, position=position, updated=record.updated, origin=record.origin))
    with services.db.begin() as tx:
        duplicates = crawls.add_page(
            tx,
            crawl_id,
            listed,
            failed=sum(one.severity == "failure" for one in outcomes),
            next_token=page.next_token,
            total=page.total,
            left_out=left_out,
            now=utc_now(),
        )
        for one in duplicates:
            outcomes.append(_duplicate(one))
        runs.add_outcomes(tx, run_id, outcomes)
        runs.beat(tx, run_id, utc_now())


def _duplicate(one: crawls.Duplicate) -> RunOutcome:
    """The same bytes twice are worth a notice; two versions of one id are a failure of the listing (the newer one is taken)."""
    if one.identical:
        return RunOutcome("fetch", "notice", NoticeCategory.DUPLICATE_IDENTICAL.value, source_key=one.source_key, origin=one.origin)
    kept = "later one kept" if one.replaced else "earlier one kept"
    return RunOutcome("fetch", "failure", FailureCategory.DUPLICATE_ID.value, source_key=one.source_key, origin=one.origin, value=kept)


def _alias(record: FetchedRecord) -> RunOutcome:
    return RunOutcome("fetch", "notice", NoticeCategory.ALIAS_REDIRECT.value, source_key=record.source_key, value=record.asked_as)


def _failure(record: FetchedRecord) -> RunOutcome:
    return RunOutcome(
        stage="fetch",
        severity="failure",
        category=record.failure or FailureCategory.NOT_A_STUDY.value,
        source_key=record.source_key,
        origin=record.origin,
    )


def _close(services: Services, source: RecordSource, run_id: UUID, crawl: Crawl) -> Fetched:
    """Say whether the listing is complete: everything promised came, and each record could be read."""
    with services.db.begin() as tx:
        now_is = crawls.get_crawl(tx, crawl.crawl_id)
        left_out = _left_out(tx, run_id)
        missing = (now_is.promised or 0) - now_is.listed - now_is.failed - left_out
        unnamed = now_is.failed - (0 if source.roots is None else len(_failed_keys(tx, run_id)))
        complete = unnamed <= 0 and missing <= 0
        if missing > 0:
            outcome = RunOutcome(
                stage="fetch",
                severity="failure",
                category=FailureCategory.MISSING_FROM_LISTING.value,
                value=f"{now_is.listed + now_is.failed + left_out} of {now_is.promised}",
                count=missing,
            )
            runs.add_outcomes(tx, run_id, [outcome])
        crawls.close_crawl(tx, crawl.crawl_id, "complete" if complete else "incomplete", utc_now())
        changed = len(crawls.changed(tx, crawl.crawl_id))
        unchanged = crawls.unchanged_count(tx, crawl.crawl_id)
    log_event("fetched", crawl_id=str(crawl.crawl_id), seen=now_is.received, changed=changed, complete=complete)
    return Fetched(
        run_id=run_id,
        crawl_id=crawl.crawl_id,
        scope=source.scope,
        source=source.name,
        complete=complete,
        resumed=crawl.resumed,
        seen=now_is.received,
        failed=now_is.failed,
        changed=changed,
        unchanged=unchanged,
        # A query's listing loses studies that merely changed.
        proves_absence=source.can_prove_absence and (source.scope == "all" or source.roots is not None),
        base_scope=source.base_scope,
        roots=source.roots,
    )


def _left_out(tx: Connection, run_id: UUID) -> int:
    """Return how many records came and are not listed because they were deleted for good. A source may promise its total on every page."""
    suppressed = NoticeCategory.SUPPRESSED.value
    return len({one.source_key for one in runs.outcomes_of(tx, run_id) if one.stage == "fetch" and one.category == suppressed})


def _failed_keys(tx: Connection, run_id: UUID) -> set[str]:
    """Return keys that the listing named and could not read: what stands under them has not vanished."""
    return {
        one.source_key
        for one in runs.outcomes_of(tx, run_id)
        if one.stage == "fetch" and one.severity == "failure" and one.source_key is not None
    }


@dataclass(frozen=True, slots=True)
class KeyRange:
    """A stretch of source keys, both ends included, in ascending order: small enough for XCom whatever it spans."""

    first: str
    last: str


def key_ranges(services: Services, crawl_id: UUID, *, size: int) -> list[KeyRange]:
    """Cut the changed records of a listing into stretches of at most ``size``."""
    with services.db.read() as tx:
        keys = sorted(record.source_key for record in crawls.changed(tx, crawl_id))
    return [KeyRange(keys[i], keys[min(i + size, len(keys)) - 1]) for i in range(0, len(keys), size)]


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
            failed = _failed_keys(tx, fetched.run_id) if fetched.roots is not None else set()
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
