"""Reads a feed of FHIR resources into truth: each is checked, lands, and has one outcome; what a source deleted is gone. No document yet.

A few hundred resources are one transaction. A load that was killed is begun anew by the next one and does no harm: a resource that is there
with the same bytes is only named again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.errors import ClindexError, GuardRefusedError
from pipeline.domain.fhir import (
    BrokenEntry,
    FeedEntry,
    RawResource,
    RemovedResource,
    ResourceFeed,
    Waiting,
)
from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import FailureCategory, FhirVersion, NoticeCategory, ResourceOutcome, RunKind, Source
from pipeline.jobs.fhir.hidden import hidden_among, hide_aliases, remove_hidden
from pipeline.jobs.fhir.keys import Keys
from pipeline.jobs.fhir.rows import Taken, is_older, removed_row, row_of, row_of_older
from pipeline.jobs.fhir.summaries import LoadSummary
from pipeline.jobs.fhir.versions import LANDED, Batch, Read, Removal, is_before
from pipeline.jobs.guards import refuse_large_deletion
from pipeline.jobs.heartbeat import Heartbeat
from pipeline.jobs.summaries import RecordFailure
from pipeline.observability import ProgressReporter, log_event
from pipeline.storage import fhir_loads, fhir_resources, holds, runs
from pipeline.storage.fhir_resources import ResourceRow
from pipeline.storage.runs import RunOutcome
from pipeline.wiring import Services, utc_now

#: Resources of one transaction.
BATCH: Final = 500
_OLDER: Final = "older_version"  # a newer one is there: neither taken nor lost


@dataclass(slots=True)
class _Load:
    """A load while it goes on."""

    services: Services
    feed: ResourceFeed
    run_id: UUID
    load_id: UUID
    default: FhirVersion
    keys: Keys
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)  # by type and outcome
    broken: int = 0
    unchanged: int = 0
    unresolved: int = 0
    bad_attachments: int = 0


def load_feed(services: Services, feed: ResourceFeed, *, default: FhirVersion = FhirVersion.R4) -> LoadSummary:
    """Read a whole feed.

    Args:
        services: The home.
        feed: Read to its end.
        default: Release of FHIR of resources that do not tell theirs.

    Raises:
        GuardRefusedError: So many resources vanished from a complete full load that the feed itself is suspect; none was removed.
        SourceUnavailableError, SourceRefusedError, SourceProtocolError: See the feed. What came is kept; the load is incomplete.
    """
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, RunKind.LOAD_FHIR, utc_now())
        load_id = fhir_loads.begin(tx, run_id, scope=feed.scope, is_full=feed.is_full, now=utc_now())
    load = _Load(services, feed, run_id, load_id, default, Keys(services.secret, feed.authority))
    finished = False
    try:
        _read_all(load)
        finished = True
    finally:
        if not finished:
            with services.db.begin() as tx:
                runs.finish_run(tx, run_id, "failed", {}, utc_now())
                fhir_loads.abandon(tx, feed.scope)
    return _end(load)


def _read_all(load: _Load) -> None:
    heart = Heartbeat(load.services, load.run_id)
    entries = load.feed.entries()
    try:
        with ProgressReporter("read resources", total=None) as progress:
            for batch in _batches(entries, heart):
                _take(load, batch)
                progress.advance(len(batch))
    finally:
        if isinstance(entries, Generator):
            entries.close()  # a server's export is cleared away at once, whatever happened


def _batches(entries: Iterator[FeedEntry], heart: Heartbeat) -> Iterator[list[FeedEntry]]:
    """Yield entries in batches; those that came before a feed fails, too."""
    batch: list[FeedEntry] = []
    try:
        for entry in entries:
            heart.beat()
            if not isinstance(entry, Waiting):
                batch.append(entry)
            if len(batch) == BATCH:
                yield batch
                batch = []
    except ClindexError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _take(load: _Load, entries: Sequence[FeedEntry]) -> None:
    """Take some entries in one transaction, their bytes first."""
    outcomes: list[RunOutcome] = []
    batch = _sorted_out(load, entries, outcomes)
    with load.services.db.read() as tx:
        before = fhir_resources.known(tx, [*batch.read, *batch.removed])
        hidden = hidden_among(tx, batch.offered())
    taken = _rows(load, batch, before, hidden, outcomes)
    same = [one for one in taken if _is_unchanged(load, one, before)]
    load.unchanged += sum(one.is_newest for one in same)
    unchanged = {one.row.resource_key for one in same}
    changed = [one for one in taken if one.row.resource_key not in unchanged]
    used = {one.used.key: one.used for one in changed if one.used is not None and one.used.checked.outcome in LANDED}
    now = utc_now()
    with load.services.db.begin() as tx:
        hide_aliases(tx, [one for one in batch.offered() if one.key in hidden], now)
        fhir_resources.put(tx, [one.row for one in changed], load_id=load.load_id, scope=load.feed.scope, now=now)
        fhir_resources.touch(tx, unchanged, load_id=load.load_id, scope=load.feed.scope, now=now)
        fhir_resources.put_references(tx, {key: load.keys.references(one) for key, one in used.items()})
        fhir_resources.put_patients(tx, {key: (one.pseudonym or "", one.aliases) for key, one in used.items() if one.aliases})
        _remove(load, tx, [one for key, one in batch.removed.items() if key not in hidden], before)
        runs.add_outcomes(tx, load.run_id, outcomes)


def _sorted_out(load: _Load, entries: Sequence[FeedEntry], outcomes: list[RunOutcome]) -> Batch:
    batch = Batch(lambda kind: load.counts.update([(kind, _OLDER)]))
    for entry in entries:
        if isinstance(entry, BrokenEntry):
            load.broken += 1
            outcomes.append(RunOutcome("fetch", "failure", entry.category.value, value=entry.detail, origin=entry.origin))
        elif isinstance(entry, RemovedResource):
            removal = load.keys.removal(entry)
            if batch.remove(removal):
                load.counts[removal.resource_type, ResourceOutcome.REMOVED.value] += 1
        elif isinstance(entry, RawResource):
            batch.add(load.keys.read(entry, default=load.default))
    return batch


def _rows(load: _Load, batch: Batch, before: dict[str, ResourceRow], hidden: set[str], outcomes: list[RunOutcome]) -> list[Taken]:
    """Return what truth has to say of each resource now; bytes land here."""
    taken: list[Taken] = []
    services, authority = load.services, load.feed.authority
    for key, one in batch.read.items():
        checked, old = one.checked, before.get(key)
        kind = checked.resource_type
        if key in hidden:
            load.counts[kind, ResourceOutcome.SUPPRESSED.value] += 1
            outcomes.append(RunOutcome("fetch", "notice", NoticeCategory.SUPPRESSED.value, source_key=key))
        elif old is not None and is_older(one, old):
            load.counts[kind, _OLDER] += 1
            taken.append(row_of_older(services, authority, one, old))
        else:
            load.counts[kind, checked.outcome.value] += 1
            load.unresolved += checked.unresolved
            load.bad_attachments += len(checked.bad_attachments)
            outcomes += _told(one)
            taken.append(row_of(services, authority, one, old))
    return taken


def _is_unchanged(load: _Load, one: Taken, before: dict[str, ResourceRow]) -> bool:
    sha256 = one.row.payload_sha256
    return one.row == before.get(one.row.resource_key) and (sha256 is None or load.services.landing.contains(sha256))


def _told(one: Read) -> list[RunOutcome]:
    """Return what the report has to say of a resource: path and rule, never a value."""
    checked, origin = one.checked, one.raw.origin
    found: list[RunOutcome] = []
    if checked.outcome is ResourceOutcome.QUARANTINED:
        path = f"{checked.resource_type}.{checked.path}"
        category = FailureCategory.INVALID_RESOURCE.value
        found.append(RunOutcome("normalize", "failure", category, source_key=one.key, field=path, value=checked.rule, origin=origin))
    for path in checked.bad_attachments:
        category = FailureCategory.UNREADABLE_ATTACHMENT.value
        found.append(RunOutcome("normalize", "failure", category, source_key=one.key, field=path, origin=origin))
    return found


def _remove(load: _Load, tx: Connection, removed: Sequence[Removal], before: dict[str, ResourceRow]) -> None:
    """Mark what is gone. What was never seen leaves a row where its deletion says when it was: older versions may come yet."""
    held = holds.held(tx, [document_id(Source.FHIR, one.key) for one in removed])
    now = utc_now()
    rows: list[ResourceRow] = []
    for one in removed:
        old = before.get(one.key)
        if old is not None and is_before(one.order_key, old.order_key):
            load.counts[one.resource_type, ResourceOutcome.REMOVED.value] -= 1
            load.counts[one.resource_type, _OLDER] += 1
        elif document_id(Source.FHIR, one.key) not in held and (old is not None or one.order_key):
            rows.append(removed_row(one, old))
    fhir_resources.mark_removed(tx, [row.resource_key for row in rows], now)
    fhir_resources.put(tx, rows, load_id=load.load_id, scope=load.feed.scope, now=now)


def _end(load: _Load) -> LoadSummary:
    remove_hidden(load.services)
    services, end = load.services, load.feed.end()
    complete = end.complete and not load.broken
    vanished, refused = 0, None
    now = utc_now()
    with services.db.begin() as tx:
        if complete and load.feed.is_full:
            gone = fhir_resources.unnamed(tx, scope=load.feed.scope, load_id=load.load_id)
            try:
                total = fhir_resources.count_of(tx, load.feed.scope)
                refuse_large_deletion(services.settings, len(gone), total, what="FHIR resources vanished from a full load")
                held = holds.held(tx, [document_id(Source.FHIR, key) for key in gone])
                gone = [key for key in gone if document_id(Source.FHIR, key) not in held]
                fhir_resources.mark_removed(tx, gone, now)
                vanished = len(gone)
            except GuardRefusedError as error:
                refused = error
        done = complete and refused is None
        summary = _summary(load, vanished=vanished, complete=done, promised=end.promised, read=end.read, skipped=dict(end.skipped))
        fhir_loads.finish(tx, load.load_id, end, summary.by_type, complete=done, now=now)
        state: runs.RunState = "success" if done and not summary.failed else "incomplete"
        runs.finish_run(tx, load.run_id, state, summary.model_dump(mode="json", exclude={"failures"}), now)
        summary = summary.model_copy(update={"failures": _failures(tx, load.run_id)})
    log_event("fhir_loaded", run_id=str(load.run_id), complete=done, **summary.outcomes)
    if refused:
        raise refused
    return summary


def _failures(tx: Connection, run_id: UUID) -> list[RecordFailure]:
    return [
        RecordFailure(source_key=one.source_key, category=one.category, origin=one.origin, field=one.field, rule=one.value)
        for one in runs.outcomes_of(tx, run_id)
        if one.severity == "failure"
    ]


def _summary(load: _Load, *, vanished: int, complete: bool, promised: int | None, read: int, skipped: dict[str, int]) -> LoadSummary:
    by_type: dict[str, dict[str, int]] = {}
    outcomes: Counter[str] = Counter()
    for (kind, outcome), count in sorted((+load.counts).items()):
        by_type.setdefault(kind, {})[outcome] = count
        outcomes[outcome] += count
    return LoadSummary(
        run_id=str(load.run_id),
        scope=load.feed.scope,
        complete=complete,
        full=load.feed.is_full,
        files=promised,
        files_read=read,
        entries=sum(outcomes.values()) + load.broken,
        outcomes=dict(outcomes),
        by_type=by_type,
        broken=load.broken,
        unchanged=load.unchanged,
        vanished=vanished,
        unresolved_references=load.unresolved,
        bad_attachments=load.bad_attachments,
        skipped=skipped,
        failed=load.broken + outcomes[ResourceOutcome.QUARANTINED.value] + load.bad_attachments,
    )
