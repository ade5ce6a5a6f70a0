"""Listing a source: bytes are landed, the listing is written, and what changed is found. Nothing of a record is parsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.identifiers import fingerprint, sha256_hex
from pipeline.domain.ports import FetchedPage, FetchedRecord, RecordSource
from pipeline.domain.vocabulary import FailureCategory, NoticeCategory, RunKind, Source
from pipeline.jobs.certificates.forgotten import recall
from pipeline.jobs.suppressed import notice as suppressed_notice
from pipeline.jobs.suppressed import suppressed_keys
from pipeline.observability import ProgressReporter, log_event
from pipeline.storage import crawls, runs
from pipeline.storage.crawls import Crawl, ListedRecord
from pipeline.storage.runs import RunOutcome
from pipeline.wiring import Services, utc_now

RUN_KINDS: Final[Mapping[str, RunKind]] = MappingProxyType(
    {
        Source.CLINICALTRIALS_GOV.value: RunKind.INGEST,
        Source.DOCUMENTS.value: RunKind.INGEST_DOCUMENTS,
        Source.FHIR.value: RunKind.INGEST_FHIR,
    }
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
        unnamed = now_is.failed - (0 if source.roots is None else len(failed_keys(tx, run_id)))
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


def failed_keys(tx: Connection, run_id: UUID) -> set[str]:
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
