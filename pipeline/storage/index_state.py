"""The state of each document in a collection, and the generation flip.

A generation number of a document is given out once and never again, in whatever collection, so that a slow or dead writer and its successor
never share points: ``claim`` gives the next number and makes the claimant the only one whose ``flip`` can succeed. What only reads takes the
live collection where none is named; what writes must name one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, and_, case, delete, func, insert, select, update

from pipeline.domain.vocabulary import DocumentState
from pipeline.storage.collections import in_collection
from pipeline.storage.tables import chunks, documents, index_state

_IN_BATCH = 500


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What truth knows of one document and of its points."""

    document_id: UUID
    source: str
    source_key: str
    kind: str
    content_hash: str
    facets_hash: str
    tombstoned: bool
    state: DocumentState
    live_generation: int | None
    writing_generation: int | None
    live_fingerprint: str | None
    live_facets_hash: str | None
    live_chunks: int
    error_category: str | None
    live_digest: str | None = None
    live_without_terms: int | None = None
    live_recipe: str | None = None


_COLUMNS = (
    documents.c.document_id,
    documents.c.source,
    documents.c.source_key,
    documents.c.kind,
    documents.c.content_hash,
    documents.c.facets_hash,
    documents.c.tombstoned_at,
    index_state.c.state,
    index_state.c.live_generation,
    index_state.c.writing_generation,
    index_state.c.live_fingerprint,
    index_state.c.live_facets_hash,
    index_state.c.live_chunks,
    index_state.c.error_category,
    index_state.c.live_digest,
    index_state.c.live_without_terms,
    index_state.c.live_recipe,
)


def _row(row: Any) -> IndexRow:
    return IndexRow(
        document_id=row.document_id,
        source=row.source,
        source_key=row.source_key,
        kind=row.kind,
        content_hash=row.content_hash,
        facets_hash=row.facets_hash,
        tombstoned=row.tombstoned_at is not None,
        state=DocumentState(row.state) if row.state else DocumentState.PENDING,
        live_generation=row.live_generation,
        writing_generation=row.writing_generation,
        live_fingerprint=row.live_fingerprint,
        live_facets_hash=row.live_facets_hash,
        live_chunks=row.live_chunks or 0,
        error_category=row.error_category,
        live_digest=row.live_digest,
        live_without_terms=row.live_without_terms,
        live_recipe=row.live_recipe,
    )


def _rows(collection: str | None) -> Select[Any]:
    return select(*_COLUMNS).select_from(documents).outerjoin(index_state, _of(documents.c.document_id, collection))


def _of(document_id: ColumnElement[UUID], collection: str | None) -> ColumnElement[bool]:
    return and_(index_state.c.document_id == document_id, in_collection(collection))


def scan(tx: Connection, first: UUID | None = None, last: UUID | None = None, *, collection: str | None = None) -> Iterator[IndexRow]:
    """Yield every document truth knows (of a stretch of ids, both ends included), tombstoned ones too, by id, in constant memory."""
    query = _rows(collection).order_by(documents.c.document_id)
    if first is not None:
        query = query.where(documents.c.document_id >= first)
    if last is not None:
        query = query.where(documents.c.document_id <= last)
    for row in tx.execution_options(yield_per=2000).execute(query):
        yield _row(row)


def get_many(tx: Connection, ids: Sequence[UUID], *, collection: str | None = None) -> dict[UUID, IndexRow]:
    """Return the rows of these documents; one that truth does not know is absent."""
    found: dict[UUID, IndexRow] = {}
    for start in range(0, len(ids), _IN_BATCH):
        query = _rows(collection).where(documents.c.document_id.in_(ids[start : start + _IN_BATCH]))
        found.update({row.document_id: _row(row) for row in tx.execute(query)})
    return found


def claim(tx: Connection, document_id: UUID, now: datetime, *, collection: str) -> int | None:
    """Mark a document as being written and return its new generation, or ``None`` where it is deleted or unknown."""
    alive = select(documents.c.document_id).where(documents.c.document_id == document_id, documents.c.tombstoned_at.is_(None))
    if tx.execute(alive.with_for_update()).one_or_none() is None:
        return None
    given = {
        row.collection: row.generation
        for row in tx.execute(select(index_state.c.collection, index_state.c.generation).where(index_state.c.document_id == document_id))
    }
    generation = max(given.values(), default=0) + 1
    values = {"state": DocumentState.WRITING.value, "generation": generation, "writing_generation": generation, "updated_at": now}
    if collection not in given:
        tx.execute(insert(index_state).values(document_id=document_id, collection=collection, live_chunks=0, attempts=0, **values))
    else:
        tx.execute(update(index_state).where(_one(document_id, collection)).values(**values))
    return generation


def _one(document_id: UUID, collection: str) -> ColumnElement[bool]:
    return and_(index_state.c.document_id == document_id, index_state.c.collection == collection)


@dataclass(frozen=True, slots=True)
class Flip:
    """What becomes live."""

    document_id: UUID
    generation: int
    fingerprint: str
    facets_hash: str
    recipe: str
    chunks: int
    digest: str | None = None  # of its points: ``pipeline.domain.digest``
    without_terms: int | None = None  # chunks that have no sparse vector


def flip(tx: Connection, new: Flip, now: datetime, *, collection: str) -> bool:
    """Make a generation live. Returns whether it did: not if another writer has claimed since, or the document was deleted."""
    alive = select(documents.c.document_id).where(documents.c.document_id == new.document_id, documents.c.tombstoned_at.is_(None))
    done = tx.execute(
        update(index_state)
        .where(
            _one(new.document_id, collection),
            index_state.c.writing_generation == new.generation,
            index_state.c.document_id.in_(alive),
        )
        .values(
            state=DocumentState.CLEANING.value,
            writing_generation=None,
            live_generation=new.generation,
            live_fingerprint=new.fingerprint,
            live_facets_hash=new.facets_hash,
            live_recipe=new.recipe,
            live_chunks=new.chunks,
            live_digest=new.digest,
            live_without_terms=new.without_terms,
            error_category=None,
            attempts=0,
            updated_at=now,
        )
    )
    return done.rowcount == 1


def finish_cleaning(tx: Connection, document_id: UUID, generation: int, now: datetime, *, collection: str) -> None:
    """Mark a document as live once nothing of its earlier generations is left, if ``generation`` is live and nobody writes another."""
    tx.execute(
        update(index_state)
        .where(
            _one(document_id, collection),
            index_state.c.live_generation == generation,
            index_state.c.writing_generation.is_(None),
        )
        .values(state=DocumentState.LIVE.value, error_category=None, updated_at=now)
    )


def set_facets_live(
    tx: Connection, document_id: UUID, generation: int, facets_hash: str, now: datetime, *, collection: str, digest: str | None = None
) -> None:
    """Record that a live generation's payloads carry these facets, and the digest that its points have now."""
    tx.execute(
        update(index_state)
        .where(_one(document_id, collection), index_state.c.live_generation == generation)
        .values(live_facets_hash=facets_hash, live_digest=digest, updated_at=now)
    )


def mark(tx: Connection, document_id: UUID, state: DocumentState, now: datetime, *, collection: str, category: str | None = None) -> None:
    """Set a document's state; a failure's category says why. What is live stays live."""
    values: dict[str, Any] = {"state": state.value, "error_category": category, "updated_at": now}
    exists = tx.execute(select(index_state.c.document_id).where(_one(document_id, collection))).one_or_none()
    if exists is None:
        tx.execute(
            insert(index_state).values(document_id=document_id, collection=collection, generation=0, live_chunks=0, attempts=1, **values)
        )
        return
    values["attempts"] = index_state.c.attempts + 1
    tx.execute(update(index_state).where(_one(document_id, collection)).values(**values))


def withdraw(
    tx: Connection, document_id: UUID, state: DocumentState, now: datetime, *, collection: str, category: str | None = None
) -> int:
    """Make a document unsearchable at once: nothing of it is live, and no writer that began earlier can flip it back.

    Returns:
        The newest generation that was given out: points up to it are to be removed. A later one is of a writer who began afterwards.
    """
    mark(tx, document_id, state, now, collection=collection, category=category)
    tx.execute(update(index_state).where(_one(document_id, collection)).values(writing_generation=None, **_NOTHING_LIVE))
    generation: int = tx.execute(select(index_state.c.generation).where(_one(document_id, collection))).scalar_one()
    return generation


def is_withdrawn(tx: Connection, document_id: UUID, generation: int, *, collection: str) -> bool:
    """Whether a document is as ``withdraw`` left it: nobody has begun a generation since."""
    query = select(index_state.c.document_id).where(
        _one(document_id, collection), index_state.c.generation == generation, index_state.c.live_generation.is_(None)
    )
    return tx.execute(query).one_or_none() is not None


def state_counts(tx: Connection, *, collection: str | None = None) -> dict[str, int]:
    """Return how many documents are in each state: a tombstoned one is deleting until its points are gone, a revived one pending."""
    stored = func.coalesce(index_state.c.state, DocumentState.PENDING.value)
    gone = stored == DocumentState.DELETED.value
    dead = documents.c.tombstoned_at.is_not(None)
    state = case((dead & ~gone, DocumentState.DELETING.value), (~dead & gone, DocumentState.PENDING.value), else_=stored)
    query = select(state, func.count()).select_from(documents).outerjoin(index_state, _of(documents.c.document_id, collection))
    return {row[0]: row[1] for row in tx.execute(query.group_by(state))}


def newest_change(tx: Connection, *, collection: str | None = None) -> datetime | None:
    """Return when any document's state in the collection last changed."""
    newest: datetime | None = tx.execute(select(func.max(index_state.c.updated_at)).where(in_collection(collection))).scalar_one()
    return newest


def forget_points(tx: Connection, now: datetime, *, collection: str) -> None:
    """Record that a whole collection is about to be dropped: nothing of it is live, every document is to be indexed into it again."""
    mine = index_state.c.collection == collection
    live = select(index_state.c.document_id).where(
        mine, index_state.c.document_id == chunks.c.document_id, index_state.c.live_generation == chunks.c.generation
    )
    others = select(index_state.c.document_id).where(index_state.c.collection != collection).limit(1)
    if tx.execute(others).first() is None:
        tx.execute(delete(chunks))  # also those of generations that never became live
    else:
        tx.execute(delete(chunks).where(live.exists()))
    tx.execute(
        update(index_state)
        .where(mine, index_state.c.state != DocumentState.DELETED.value)
        .values(state=DocumentState.PENDING.value, writing_generation=None, updated_at=now, **_NOTHING_LIVE)
    )


_NOTHING_LIVE: Final[dict[str, Any]] = {
    "live_generation": None,
    "live_fingerprint": None,
    "live_facets_hash": None,
    "live_chunks": 0,
    "live_digest": None,
    "live_without_terms": None,
}
