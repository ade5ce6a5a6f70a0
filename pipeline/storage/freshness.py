"""When each study's status was last confirmed by its source. Reads truth only.

A listing confirms what it names as truth holds it, and a listing of what changed confirms the rest as well: what it does not name has not
changed. That holds only for a chain without a gap: each one must begin before the day of the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, and_, exists, false, or_, select

from pipeline.storage.study_tables import studies
from pipeline.storage.tables import crawls, documents, listing

EVERYTHING: Final = "all"

_SINCE: Final = re.compile(r"(?:(?P<base>.+) )?since:(?P<day>\d{4}-\d\d-\d\d)\Z", re.ASCII | re.DOTALL)
_QUERY: Final = "query:"
_IN_BATCH: Final = 500
_BATCH: Final = 2000  # rows held at once


@dataclass(frozen=True, slots=True)
class Confirmation:
    """When a source last said that a study's status is what truth holds.

    Attributes:
        outdated: A listing after ``confirmed_at`` names other bytes, which were not taken: the status may have changed since.
    """

    document_id: UUID
    source: str
    status: str | None
    confirmed_at: datetime
    outdated: bool

    def age_hours(self, now: datetime) -> float:
        """Return how long ago that was; never below 0, whatever the clocks say."""
        return max(0.0, (now - self.confirmed_at).total_seconds() / 3600)


@dataclass(frozen=True, slots=True)
class _Chain:
    """Complete listings of one base scope, each beginning where the one before ended. ``crawl_id`` is the full one's."""

    source: str
    scope: str
    crawl_id: UUID
    confirmed_at: datetime


def confirmations(tx: Connection, ids: Collection[UUID] | None = None, *, status: str | None = None) -> Iterator[Confirmation]:
    """Yield the live studies' confirmations.

    Args:
        tx: A transaction.
        ids: Only of these documents; those without a status are left out.
        status: Only of studies with this overall status.
    """
    chains = _chains(tx)
    if ids is None:
        yield from _read(tx, chains, status, None)
        return
    wanted = sorted(ids)
    for start in range(0, len(wanted), _IN_BATCH):
        yield from _read(tx, chains, status, documents.c.document_id.in_(wanted[start : start + _IN_BATCH]))


def base_scope(scope: str) -> tuple[str, date | None]:
    """Return a listing's scope without its date, and the date."""
    found = _SINCE.match(scope)
    if found is None:
        return scope, None
    return found["base"] or EVERYTHING, date.fromisoformat(found["day"])


def _read(tx: Connection, chains: list[_Chain], status: str | None, only: ColumnElement[bool] | None) -> Iterator[Confirmation]:
    whole = {one.source: one.confirmed_at for one in chains if one.scope == EVERYTHING}
    queries = [one for one in chains if one.scope != EVERYTHING]
    within = [_named_by(one.crawl_id).label(f"within_{number}") for number, one in enumerate(queries)]
    columns = [documents.c[name] for name in ("document_id", "source", "seen_at", "updated_at")]
    query = (
        select(*columns, studies.c.overall_status, _outdated(tx).label("outdated"), *within)
        .join(studies, studies.c.document_id == documents.c.document_id)
        .where(documents.c.tombstoned_at.is_(None), studies.c.overall_status.is_not(None))
    )
    if status is not None:
        query = query.where(studies.c.overall_status == status)
    if only is not None:
        query = query.where(only)
    for row in tx.execute(query.execution_options(yield_per=_BATCH)):
        yield Confirmation(row.document_id, row.source, row.overall_status, _confirmed(row, whole, queries), bool(row.outdated))


def _confirmed(row: Any, whole: Mapping[str, datetime], queries: list[_Chain]) -> datetime:
    taken: datetime = row.updated_at
    if row.outdated:
        return taken
    moments: list[datetime] = [taken, row.seen_at, whole.get(row.source, taken)]
    moments += [one.confirmed_at for number, one in enumerate(queries) if row._mapping[f"within_{number}"] and one.source == row.source]
    return max(moments)


def _named_by(crawl_id: UUID) -> ColumnElement[bool]:
    return exists().where(listing.c.crawl_id == crawl_id, listing.c.source_key == documents.c.source_key)


def _outdated(tx: Connection) -> ColumnElement[bool]:
    """Whether a listing after a document's last change names other bytes than truth holds."""
    kept = exists().where(listing.c.crawl_id == crawls.c.crawl_id)
    alternatives = [
        and_(
            documents.c.source == row.source,
            documents.c.updated_at < row.started_at,
            exists().where(
                listing.c.crawl_id == row.crawl_id,
                listing.c.source_key == documents.c.source_key,
                listing.c.payload_sha256 != documents.c.payload_sha256,
            ),
        )
        for row in tx.execute(select(crawls.c.crawl_id, crawls.c.source, crawls.c.started_at).where(kept))
    ]
    return or_(false(), *alternatives)


def _chains(tx: Connection) -> list[_Chain]:
    """Return how far each full listing reaches by the listings of changes that followed it without a gap."""
    columns = (crawls.c.crawl_id, crawls.c.source, crawls.c.scope, crawls.c.started_at)
    found: dict[tuple[str, str], _Chain] = {}
    for row in tx.execute(select(*columns).where(crawls.c.state == "complete").order_by(crawls.c.started_at)):
        base, since = base_scope(row.scope)
        if base != EVERYTHING and not base.startswith(_QUERY):
            continue
        before = found.get((row.source, base))
        if since is None:
            found[row.source, base] = _Chain(row.source, base, row.crawl_id, row.started_at)
        elif before is not None and since < before.confirmed_at.date():
            found[row.source, base] = _Chain(row.source, base, before.crawl_id, row.started_at)
    return list(found.values())
