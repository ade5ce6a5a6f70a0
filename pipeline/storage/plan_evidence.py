"""What truth can say about a plan's deletions: whether ids have changed, whether truth is older than the index, how the sources' listings ended."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

from sqlalchemy import Connection, and_, exists, func, select
from sqlalchemy.orm import aliased

from pipeline.storage.source_state import moment_of
from pipeline.storage.tables import chunks, crawls, documents, index_state, source_state

_IN_BATCH: Final = 500
T = TypeVar("T")


def generations_given(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the highest generation that was ever given out for each of these documents, over all collections; 0 for one never indexed."""
    query = (
        select(documents.c.document_id, func.coalesce(func.max(index_state.c.generation), 0))
        .outerjoin(index_state, index_state.c.document_id == documents.c.document_id)
        .group_by(documents.c.document_id)
    )
    return {key: top for batch in _batches(ids) for key, top in tx.execute(query.where(documents.c.document_id.in_(batch)))}


def owners_of_texts(tx: Connection, hashes: Collection[str]) -> dict[str, set[UUID]]:
    """Return which documents that are alive have a chunk of each of these texts, by the text's hash."""
    found: dict[str, set[UUID]] = {}
    query = select(chunks.c.text_hash, chunks.c.document_id).join(documents, documents.c.document_id == chunks.c.document_id).distinct()
    for batch in _batches(sorted(hashes)):
        for text, document in tx.execute(query.where(documents.c.tombstoned_at.is_(None), chunks.c.text_hash.in_(batch))):
            found.setdefault(text, set()).add(document)
    return found


def owners_of_keys(tx: Connection, keys: Collection[str]) -> dict[str, set[UUID]]:
    """Return which documents that are alive have each of these source keys, of whatever source."""
    found: dict[str, set[UUID]] = {}
    query = select(documents.c.source_key, documents.c.document_id).where(documents.c.tombstoned_at.is_(None))
    for batch in _batches(sorted(keys)):
        for key, document in tx.execute(query.where(documents.c.source_key.in_(batch))):
            found.setdefault(key, set()).add(document)
    return found


def replaced_by_equals(tx: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the documents that are deleted while another one, alive, was made from the very same bytes."""
    other = aliased(documents)
    twin = exists().where(
        and_(
            other.c.payload_sha256 == documents.c.payload_sha256,
            other.c.document_id != documents.c.document_id,
            other.c.tombstoned_at.is_(None),
        )
    )
    query = select(documents.c.document_id).where(documents.c.tombstoned_at.is_not(None), twin)
    return {key for batch in _batches(ids) for key in tx.execute(query.where(documents.c.document_id.in_(batch))).scalars()}


def incomplete_sources(tx: Connection, sources: Collection[str]) -> tuple[str, ...]:
    """Return the sources whose last listing did not end complete: the last of all, or the last of a scope that was complete before."""
    scopes = {tuple(row) for row in tx.execute(select(source_state.c.source, source_state.c.scope))}
    found = set()
    for source in sources:
        newest: dict[str, tuple[datetime, str]] = {}
        rows = tx.execute(select(crawls.c.scope, crawls.c.started_at, crawls.c.state).where(crawls.c.source == source))
        for scope, started, state in rows:
            newest[scope] = max(newest.get(scope, (started, state)), (started, state))
        last = max(newest.values(), default=None)
        watched = [state for scope, (_, state) in newest.items() if (source, scope) in scopes]
        if any(state != "complete" for state in ([last[1]] if last else []) + watched):
            found.add(source)
    return tuple(sorted(found))


def sources_gone_back(tx: Connection, sources: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return the sources whose last listing shows older data than an earlier one, with both times as ISO 8601: newest, then last."""
    found: dict[str, tuple[str, str]] = {}
    for source in sources:
        seen = tx.execute(select(crawls.c.started_at, crawls.c.data_timestamp).where(crawls.c.source == source)).all()
        known = tx.execute(select(source_state.c.data_timestamp).where(source_state.c.source == source)).scalars()
        dated = [(started, moment) for started, text in seen if (moment := moment_of(text)) is not None]
        if not dated:
            continue
        last = max(dated)[1]
        newest = max([moment for _, moment in dated] + [moment for text in known if (moment := moment_of(text)) is not None])
        if last < newest:
            found[source] = (newest.isoformat(), last.isoformat())
    return found


def _batches(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _IN_BATCH):
        yield items[start : start + _IN_BATCH]
