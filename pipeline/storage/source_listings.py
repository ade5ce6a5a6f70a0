"""What sources listed last, against what truth holds: kept listings joined with documents, set by set. Reads only.

The last complete listing of each scope is kept (``crawls.advance`` forgets earlier ones). Several scopes of one source overlap (a full
listing, the changes since, single ids): the one that began last has the last word on a record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, and_, case, exists, func, or_, select

from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import RunKind, SourceClass
from pipeline.storage.tables import crawls, documents, listing, run_outcomes, runs

_BATCH: Final = 1000  # rows held at once
_RUNS_SEARCHED: Final = 200  # newest ingestions among which a crawl's run is looked for; older ones have nothing to say of a kept listing

_FOLDERS: Final = "folders:"
_EVERYTHING: Final = "all"


@dataclass(frozen=True, slots=True)
class Listing:
    """The last complete listing of one scope.

    Attributes:
        listed: Different records that it names.
        failed: Records that it named and that could not be read.
        proves_absence: What it does not name, is not there (within its folders, where it has any).
        roots: Fingerprints of the folders it walked, ``None``: its source has none.
        run_id: The run that made it, ``None`` where it is no longer known.
    """

    crawl_id: UUID
    source: str
    scope: str
    started_at: datetime
    finished_at: datetime | None
    listed: int
    failed: int
    proves_absence: bool
    roots: tuple[str, ...] | None
    run_id: UUID | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One record on which a source and truth do not say the same. ``document_id`` is the id it has or would have."""

    document_id: UUID
    source_key: str
    found: SourceClass


def last_complete(tx: Connection) -> list[Listing]:
    """Return the newest complete listing of each scope, by source, newest first."""
    query = select(crawls).where(crawls.c.state == "complete").order_by(crawls.c.source, crawls.c.started_at.desc(), crawls.c.crawl_id)
    newest: dict[tuple[str, str], Any] = {}
    for row in tx.execute(query):
        newest.setdefault((row.source, row.scope), row)
    run_of = _runs_by_crawl(tx)
    found = []
    for row in newest.values():
        listed: int = tx.execute(select(func.count()).select_from(listing).where(listing.c.crawl_id == row.crawl_id)).scalar_one()
        if listed == 0 and row.received:  # forgotten: a wider listing took its place
            continue
        roots = _roots(tx, row)
        proves = row.scope == _EVERYTHING or roots is not None
        run_id = run_of.get(str(row.crawl_id))
        found.append(
            Listing(row.crawl_id, row.source, row.scope, row.started_at, row.finished_at, listed, row.failed, proves, roots, run_id)
        )
    return found


def differences(tx: Connection, of: Listing) -> Iterator[Difference]:
    """Yield listed records that truth does not hold as listed: missing, changed, tombstoned, or overruled by a later listing (superseded)."""
    found = case(
        (_later(of), SourceClass.SUPERSEDED.value),
        (documents.c.document_id.is_(None), SourceClass.MISSING_IN_TRUTH.value),
        (documents.c.tombstoned_at.is_not(None), SourceClass.TOMBSTONED.value),
        else_=SourceClass.CHANGED.value,
    )
    joined = listing.outerjoin(documents, and_(documents.c.source == of.source, documents.c.source_key == listing.c.source_key))
    query = (
        select(listing.c.source_key, documents.c.document_id, found.label("found"))
        .select_from(joined)
        .where(listing.c.crawl_id == of.crawl_id, _differs())
        .order_by(listing.c.source_key)
    )
    for row in tx.execute(query.execution_options(yield_per=_BATCH)):
        yield Difference(row.document_id or document_id(of.source, row.source_key), row.source_key, SourceClass(row.found))


def equal_count(tx: Connection, of: Listing) -> int:
    """Return how many listed records truth holds byte for byte."""
    joined = listing.join(documents, and_(documents.c.source == of.source, documents.c.source_key == listing.c.source_key))
    query = select(func.count()).select_from(joined).where(listing.c.crawl_id == of.crawl_id, ~_differs())
    count: int = tx.execute(query).scalar_one()
    return count


def vanished(tx: Connection, of: Listing) -> Iterator[Difference]:
    """Yield documents that are alive in truth although a listing that proves absence does not name them, nor any source since."""
    if not of.proves_absence:
        return
    named = exists().where(listing.c.crawl_id == of.crawl_id, listing.c.source_key == documents.c.source_key)
    query = select(documents.c.document_id, documents.c.source_key).where(*_alive(of), documents.c.seen_at < of.started_at, ~named)
    for row in tx.execute(query.order_by(documents.c.source_key).execution_options(yield_per=_BATCH)):
        yield Difference(row.document_id, row.source_key, SourceClass.VANISHED)


def alive_count(tx: Connection, of: Listing) -> int:
    """Return how many live documents of the listing's source (and folders) truth holds."""
    count: int = tx.execute(select(func.count()).select_from(documents).where(*_alive(of))).scalar_one()
    return count


def told(tx: Connection, run_id: UUID | None, keys: Collection[str]) -> dict[str, str]:
    """Return what a run recorded of these records: source key to the category of its failure, or else of its last notice."""
    if run_id is None or not keys:
        return {}
    query = select(run_outcomes.c.source_key, run_outcomes.c.category).where(
        run_outcomes.c.run_id == run_id, run_outcomes.c.source_key.in_(sorted(keys))
    )
    return {row.source_key: row.category for row in tx.execute(query.order_by(run_outcomes.c.severity.desc(), run_outcomes.c.id))}


def _alive(of: Listing) -> tuple[ColumnElement[bool], ...]:
    mine = (documents.c.source == of.source, documents.c.tombstoned_at.is_(None))
    return mine if of.roots is None else (*mine, documents.c.root.in_(of.roots))


def _differs() -> ColumnElement[bool]:
    return or_(
        documents.c.document_id.is_(None),
        documents.c.tombstoned_at.is_not(None),
        documents.c.payload_sha256 != listing.c.payload_sha256,
    )


def _later(of: Listing) -> ColumnElement[bool]:
    """Whether a listing that began later names the record: a complete one, or one that broke off but brought what truth holds."""
    other, its = listing.alias("other"), crawls.alias("its")
    return exists().where(
        its.c.source == of.source,
        its.c.started_at > of.started_at,
        other.c.crawl_id == its.c.crawl_id,
        other.c.source_key == listing.c.source_key,
        or_(its.c.state == "complete", other.c.payload_sha256 == documents.c.payload_sha256),
    )


def _roots(tx: Connection, crawl: Any) -> tuple[str, ...] | None:
    """Return a listing's folders: from its scope, or where that is cut (``source_state.scope_key``), from the documents that it named."""
    if not crawl.scope.startswith(_FOLDERS):
        return None
    if "#" not in crawl.scope:
        return tuple(crawl.scope.removeprefix(_FOLDERS).split(","))
    named = select(listing.c.source_key).where(listing.c.crawl_id == crawl.crawl_id)
    query: Select[Any] = select(documents.c.root).where(documents.c.source == crawl.source, documents.c.source_key.in_(named))
    return tuple(sorted(root for root in tx.execute(query.distinct()).scalars() if root is not None))


def _runs_by_crawl(tx: Connection) -> dict[str, UUID]:
    kinds = (RunKind.INGEST.value, RunKind.INGEST_DOCUMENTS.value, RunKind.INGEST_FHIR.value)
    query = select(runs.c.run_id, runs.c.counts).where(runs.c.kind.in_(kinds)).order_by(runs.c.started_at.desc()).limit(_RUNS_SEARCHED)
    return {str((row.counts or {}).get("crawl_id")): row.run_id for row in tx.execute(query)}
