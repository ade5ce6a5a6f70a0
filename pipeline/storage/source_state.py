"""How fresh each source said it was, and up to where it has been read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, select, union_all, update

from pipeline.domain.errors import SourceWentBackError
from pipeline.storage.tables import crawls, source_state
from pipeline.storage.upsert import insert_or_update

_LONGEST_SCOPE: Final = 512  # what the column holds


@dataclass(frozen=True, slots=True)
class SourceState:
    """What the last complete crawl of a scope left behind.

    Attributes:
        data_timestamp: ISO 8601, as the source sent it.
        watermark: ISO date of the newest update that was taken; the next incremental listing begins before it.
    """

    source: str
    scope: str
    data_timestamp: str | None = None
    api_version: str | None = None
    watermark: str | None = None
    last_complete_at: datetime | None = None
    last_complete_crawl: UUID | None = None


def load_source_state(tx: Connection, source: str, scope: str) -> SourceState | None:
    """Return a scope's state, or ``None`` where no crawl of it was ever complete."""
    query = select(source_state).where(source_state.c.source == source, source_state.c.scope == scope_key(scope))
    row = tx.execute(query).one_or_none()
    return None if row is None else SourceState(**row._mapping)


def save_source_state(tx: Connection, state: SourceState) -> None:
    """Keep a scope's state.

    Raises:
        SourceWentBackError: Its data timestamp is older than the scope's last one.
    """
    before = load_source_state(tx, state.source, state.scope)
    _refuse(state.source, state.data_timestamp, [before.data_timestamp if before else None])
    row = {name: getattr(state, name) for name in SourceState.__dataclass_fields__}
    row["scope"] = scope_key(state.scope)
    update = [name for name in row if name not in ("source", "scope")]
    insert_or_update(tx, source_state, [row], keys=["source", "scope"], update=update)


def refuse_older(tx: Connection, source: str, data_timestamp: str | None) -> None:
    """Refuse a source whose data are older than any crawl of it has seen. A timestamp that cannot be read refuses nothing.

    Raises:
        SourceWentBackError: They are.
    """
    seen = union_all(
        select(source_state.c.data_timestamp).where(source_state.c.source == source),
        select(crawls.c.data_timestamp).where(crawls.c.source == source).distinct(),
    )
    _refuse(source, data_timestamp, tx.execute(seen).scalars())


def _refuse(source: str, data_timestamp: str | None, seen: Iterable[str | None]) -> None:
    offered = moment_of(data_timestamp)
    newest = max((moment for moment in map(moment_of, seen) if moment is not None), default=None)
    if offered is not None and newest is not None and offered < newest:
        raise SourceWentBackError(
            f"{source} offers data of {offered.isoformat()}, older than {newest.isoformat()} which was taken already",
            remedy="wait until the source has recovered: an older copy would undo updates and look like deletions",
        )


def scope_key(scope: str) -> str:
    """Return a scope as it is stored: itself, or where it is too long for a key its beginning and its hash."""
    if len(scope) <= _LONGEST_SCOPE:
        return scope
    digest = hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{scope[: _LONGEST_SCOPE - len(digest) - 1]}#{digest}"


def moment_of(text: str | None) -> datetime | None:
    """Return a source's data timestamp as a moment, ``None`` where it cannot be read."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def raise_watermark(tx: Connection, source: str, scope: str, watermark: str | None) -> None:
    """Move a scope's watermark forward after an incremental listing of it; never back, and only where a full listing was complete."""
    state = load_source_state(tx, source, scope)
    if state is None or watermark is None or (state.watermark or "") >= watermark:
        return
    where = (source_state.c.source == source, source_state.c.scope == scope_key(scope))
    tx.execute(update(source_state).where(*where).values(watermark=watermark))
