"""Crawls and what they named: pages are added as they come, then the listing is compared with the documents, set by set."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Connection, Select, and_, delete, exists, func, insert, or_, select, update

from pipeline.domain.ports import SourceVersion
from pipeline.storage.source_state import SourceState, load_source_state, refuse_older, save_source_state, scope_key
from pipeline.storage.tables import crawls, documents, listing
from pipeline.storage.upsert import insert_or_update

CrawlState = Literal["open", "complete", "incomplete", "failed"]

_IN_BATCH: Final = 500  # values in one IN list; SQLite allows 32,766 variables, long lists gain nothing


@dataclass(frozen=True, slots=True)
class Crawl:
    """One walk through a source's listing.

    Attributes:
        resumed: It was begun by an earlier run; ``next_token`` says where to go on.
        promised: Records in all, as the source said on its first page.
        received: Readable records that came, duplicates included.
        failed: Records that could not be read.
        listed: Different source keys among those received: compare this with ``promised`` (a page that shifts while it is
            walked repeats one record and leaves out another).
    """

    crawl_id: UUID
    source: str
    scope: str
    state: str
    next_token: str | None
    promised: int | None
    received: int
    pages: int
    failed: int
    data_timestamp: str | None
    started_at: datetime
    resumed: bool = False
    listed: int = 0


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """One record as a crawl named it. ``position`` counts within its page; ``updated`` is the source's own ISO date."""

    source_key: str
    payload_sha256: str
    position: int
    updated: str | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A record whose key the crawl had named before.

    Attributes:
        origin: Where the second one came from.
        identical: Both have the same bytes.
        replaced: The second one is newer by its own date and is the one that counts.
    """

    source_key: str
    origin: str
    identical: bool
    replaced: bool


def open_crawl(
    tx: Connection,
    *,
    source: str,
    scope: str,
    parameters_hash: str,
    version: SourceVersion,
    now: datetime,
    max_age: timedelta,
) -> Crawl:
    """Resume the open crawl of the same source, scope, parameters and data, or begin a new one and close what was open as incomplete.

    A crawl that is older than ``max_age``, whose data timestamp is another, or that had received its last page, is not resumed.

    Raises:
        SourceWentBackError: The source's data are older than those of an earlier crawl.
    """
    refuse_older(tx, source, version.data_timestamp)
    query = select(crawls).where(
        crawls.c.source == source,
        crawls.c.scope == scope_key(scope),
        crawls.c.parameters_hash == parameters_hash,
        crawls.c.state == "open",
    )
    resumable: Crawl | None = None
    for row in tx.execute(query.order_by(crawls.c.started_at)):
        finished = row.pages > 0 and row.next_token is None
        if now - row.started_at <= max_age and row.data_timestamp == version.data_timestamp and not finished:
            resumable = _crawl(row, resumed=True, listed=_listed(tx, row.crawl_id))
    others = and_(crawls.c.source == source, crawls.c.scope == scope_key(scope), crawls.c.state == "open")
    if resumable is not None:
        others = and_(others, crawls.c.crawl_id != resumable.crawl_id)
    tx.execute(update(crawls).where(others).values(state="incomplete", finished_at=now, updated_at=now))
    if resumable is not None:
        return resumable
    crawl_id = uuid4()
    values = {
        "crawl_id": crawl_id,
        "source": source,
        "scope": scope_key(scope),
        "parameters_hash": parameters_hash,
        "state": "open",
        "data_timestamp": version.data_timestamp,
        "api_version": version.api_version,
        "started_at": now,
        "updated_at": now,
    }
    tx.execute(insert(crawls).values(**values))
    return get_crawl(tx, crawl_id)


def get_crawl(tx: Connection, crawl_id: UUID) -> Crawl:
    """Return a crawl.

    Raises:
        KeyError: There is none.
    """
    row = tx.execute(select(crawls).where(crawls.c.crawl_id == crawl_id)).one_or_none()
    if row is None:
        raise KeyError(str(crawl_id))
    return _crawl(row, resumed=False, listed=_listed(tx, crawl_id))


def add_page(
    tx: Connection,
    crawl_id: UUID,
    records: Sequence[ListedRecord],
    *,
    failed: int,
    next_token: str | None,
    total: int | None,
    now: datetime,
    left_out: int = 0,
) -> list[Duplicate]:
    """List a page's records and keep the token that follows them, in the caller's one transaction.

    ``left_out``: records that came and are not listed, because they were deleted for good: they count as received.

    Of two records with one key the one with the later ``updated`` counts (as text: ISO dates); on a tie, or without a date, the
    first. Returns every record that came second, in order.
    """
    received: int = tx.execute(select(crawls.c.received).where(crawls.c.crawl_id == crawl_id)).scalar_one()
    known = _listed_records(tx, crawl_id, [record.source_key for record in records])
    winners: dict[str, ListedRecord] = {}
    duplicates: list[Duplicate] = []
    for index, record in enumerate(records):
        first = winners.get(record.source_key) or known.get(record.source_key)
        newer = first is not None and (record.updated or "") > (first.updated or "")
        if first is not None:
            identical = record.payload_sha256 == first.payload_sha256
            duplicates.append(Duplicate(record.source_key, record.origin, identical=identical, replaced=newer and not identical))
            if identical or not newer:
                continue
        winners[record.source_key] = ListedRecord(record.source_key, record.payload_sha256, received + index, record.updated, record.origin)
    rows = [{"crawl_id": crawl_id, **_fields(record)} for record in winners.values()]
    insert_or_update(tx, listing, rows, keys=["crawl_id", "source_key"], update=["payload_sha256", "position", "updated", "origin"])
    changes: dict[str, Any] = {
        "received": crawls.c.received + len(records) + left_out,
        "failed": crawls.c.failed + failed,
        "pages": crawls.c.pages + 1,
        "next_token": next_token,
        "updated_at": now,
    }
    if total is not None:
        changes["promised"] = total
    tx.execute(update(crawls).where(crawls.c.crawl_id == crawl_id).values(**changes))
    return duplicates


def restart(tx: Connection, crawl_id: UUID, now: datetime) -> None:
    """Forget what a crawl listed: its source began anew, and what came before counts no more."""
    tx.execute(delete(listing).where(listing.c.crawl_id == crawl_id))
    values = {"received": 0, "failed": 0, "pages": 0, "promised": None, "next_token": None, "updated_at": now}
    tx.execute(update(crawls).where(crawls.c.crawl_id == crawl_id).values(**values))


def close_crawl(tx: Connection, crawl_id: UUID, state: CrawlState, now: datetime) -> None:
    """End a crawl."""
    tx.execute(update(crawls).where(crawls.c.crawl_id == crawl_id).values(state=state, finished_at=now, updated_at=now))


def changed(tx: Connection, crawl_id: UUID, *, keys: Collection[str] | None = None) -> list[ListedRecord]:
    """Return listed records whose bytes truth does not have: changed, unknown, or tombstoned; of ``keys`` only, where given."""
    query = _against_documents(crawl_id, select(*_LISTED)).where(_differs()).order_by(listing.c.position, listing.c.source_key)
    if keys is None:
        return [ListedRecord(*row) for row in tx.execute(query)]
    wanted = sorted(set(keys))
    found: list[ListedRecord] = []
    for start in range(0, len(wanted), _IN_BATCH):
        batch = query.where(listing.c.source_key.in_(wanted[start : start + _IN_BATCH]))
        found += [ListedRecord(*row) for row in tx.execute(batch)]
    return sorted(found, key=lambda record: (record.position, record.source_key))


def unchanged_count(tx: Connection, crawl_id: UUID) -> int:
    """Return how many listed records truth has already, byte for byte."""
    count: int = tx.execute(_against_documents(crawl_id, select(func.count())).where(~_differs())).scalar_one()
    return count


def vanished(tx: Connection, crawl_id: UUID, source: str, *, now: datetime, roots: Sequence[str] | None = None) -> list[tuple[UUID, str]]:
    """Return id and key of each live document of a source that the listing does not name. Means something for a complete one only.

    None has vanished from a listing that another crawl of the scope, complete meanwhile, had forgotten (``is_overtaken``), and none that
    another run took or saw since the listing began: it may be newer than the listing. A document that is seen in the future was seen by a
    clock that was wrong, which protects nothing.

    Args:
        tx: A transaction.
        crawl_id: The listing.
        source: Whose documents.
        now: The present moment.
        roots: Only documents of these folders, where the source lists folders.
    """
    named = exists().where(listing.c.crawl_id == crawl_id, listing.c.source_key == documents.c.source_key)
    began = select(crawls.c.started_at).where(crawls.c.crawl_id == crawl_id).scalar_subquery()
    query = select(documents.c.document_id, documents.c.source_key).where(
        documents.c.source == source,
        documents.c.tombstoned_at.is_(None),
        or_(documents.c.seen_at <= began, documents.c.seen_at > now),
        ~named,
        ~_overtaken(crawl_id),
    )
    if roots is not None:
        query = query.where(documents.c.root.in_(roots))
    return [(row.document_id, row.source_key) for row in tx.execute(query.order_by(documents.c.source_key))]


def is_overtaken(tx: Connection, crawl_id: UUID) -> bool:
    """Whether another crawl of the scope was complete while this one's records were taken, and forgot its listing: it says nothing any more."""
    overtaken: bool = tx.execute(select(_overtaken(crawl_id))).scalar_one()
    return overtaken


def _overtaken(crawl_id: UUID) -> ColumnElement[bool]:
    received = exists().where(crawls.c.crawl_id == crawl_id, crawls.c.received > 0)
    kept = exists().where(listing.c.crawl_id == crawl_id)
    return and_(received, ~kept)


def touch_seen(tx: Connection, crawl_id: UUID, now: datetime) -> int:
    """Record that a crawl named its documents; returns how many live ones there are."""
    source = select(crawls.c.source).where(crawls.c.crawl_id == crawl_id).scalar_subquery()
    named = select(listing.c.source_key).where(listing.c.crawl_id == crawl_id)
    touched = tx.execute(
        update(documents)
        .where(documents.c.source == source, documents.c.source_key.in_(named), documents.c.tombstoned_at.is_(None))
        .values(seen_at=now)
    )
    return touched.rowcount


def advance(tx: Connection, crawl_id: UUID, now: datetime) -> SourceState:
    """Let a complete crawl move its scope's watermark (never back), and forget the listings of the scope's other crawls.

    One that was overtaken changes nothing: the other's listing is the last complete one.

    Raises:
        SourceWentBackError: A later crawl of the scope, with newer data, was complete first.
    """
    crawl = tx.execute(select(crawls).where(crawls.c.crawl_id == crawl_id)).one()
    newest = tx.execute(select(func.max(listing.c.updated)).where(listing.c.crawl_id == crawl_id)).scalar_one()
    others = crawls.c.source == crawl.source, crawls.c.scope == crawl.scope
    tx.execute(select(crawls.c.crawl_id).where(*others).order_by(crawls.c.crawl_id).with_for_update()).all()  # of two, one is the later
    before = load_source_state(tx, crawl.source, crawl.scope)
    if before is not None and is_overtaken(tx, crawl_id):
        return before
    state = SourceState(
        source=crawl.source,
        scope=crawl.scope,
        data_timestamp=crawl.data_timestamp or (before.data_timestamp if before else None),
        api_version=crawl.api_version or (before.api_version if before else None),
        watermark=max(filter(None, (newest, before.watermark if before else None)), default=None),
        last_complete_at=now,
        last_complete_crawl=crawl_id,
    )
    save_source_state(tx, state)
    done = select(crawls.c.crawl_id).where(*others, crawls.c.state != "open", crawls.c.crawl_id != crawl_id)
    tx.execute(delete(listing).where(listing.c.crawl_id.in_(done)))
    return state


_LISTED: Final = (listing.c.source_key, listing.c.payload_sha256, listing.c.position, listing.c.updated, listing.c.origin)


def _against_documents(crawl_id: UUID, query: Select[Any]) -> Select[Any]:
    joined = listing.join(crawls, crawls.c.crawl_id == listing.c.crawl_id).outerjoin(
        documents, and_(documents.c.source == crawls.c.source, documents.c.source_key == listing.c.source_key)
    )
    return query.select_from(joined).where(listing.c.crawl_id == crawl_id)


def _differs() -> ColumnElement[bool]:
    return or_(
        documents.c.document_id.is_(None),
        documents.c.tombstoned_at.is_not(None),
        documents.c.payload_sha256 != listing.c.payload_sha256,
    )


def _listed_records(tx: Connection, crawl_id: UUID, keys: Sequence[str]) -> dict[str, ListedRecord]:
    found: dict[str, ListedRecord] = {}
    for start in range(0, len(keys), _IN_BATCH):
        query = select(*_LISTED).where(listing.c.crawl_id == crawl_id, listing.c.source_key.in_(keys[start : start + _IN_BATCH]))
        found.update({row.source_key: ListedRecord(*row) for row in tx.execute(query)})
    return found


def _fields(record: ListedRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ListedRecord.__dataclass_fields__}


def _listed(tx: Connection, crawl_id: UUID) -> int:
    count: int = tx.execute(select(func.count()).select_from(listing).where(listing.c.crawl_id == crawl_id)).scalar_one()
    return count


def _crawl(row: Any, *, resumed: bool, listed: int) -> Crawl:
    names = [name for name in Crawl.__dataclass_fields__ if name not in ("resumed", "listed")]
    return Crawl(**{name: getattr(row, name) for name in names}, resumed=resumed, listed=listed)
