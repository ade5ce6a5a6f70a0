"""Truth's side of the digests: what each slice of a collection must add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, and_, case, func, select, update

from pipeline.domain.digest import digest_of
from pipeline.storage.collections import in_collection
from pipeline.storage.tables import chunks, documents, index_state

_FILL_BATCH = 200  # documents whose chunks are read at a time: some 10,000 rows of two columns


@dataclass(frozen=True, slots=True)
class LiveDigest:
    """What a collection must hold of one document."""

    document_id: UUID
    points: int
    digest: str


@dataclass(frozen=True, slots=True)
class LackingExpected:
    """How many points may be without a sparse vector: ``without_terms``, and at most ``unmarked`` more, of which it is not known."""

    without_terms: int
    unmarked: int


def without_digest(tx: Connection, *, collection: str) -> dict[UUID, int]:
    """Return the live generations of documents that were written before there were digests."""
    state = index_state.c
    missing = select(state.document_id, state.live_generation).where(
        state.collection == collection, state.live_generation.is_not(None), state.live_digest.is_(None)
    )
    return {row.document_id: row.live_generation for row in tx.execute(missing)}


def fill_digests(tx: Connection, generations: Mapping[UUID, int], *, collection: str) -> None:
    """Write the digests of documents' live generations from their chunks' rows."""
    rows = list(generations.items())
    for start in range(0, len(rows), _FILL_BATCH):
        _fill(tx, dict(rows[start : start + _FILL_BATCH]), collection)


def _fill(tx: Connection, generations: dict[UUID, int], collection: str) -> None:
    found: dict[UUID, list[tuple[UUID, str]]] = {document: [] for document in generations}
    query = select(chunks.c.document_id, chunks.c.generation, chunks.c.point_id, chunks.c.payload_hash)
    for row in tx.execute(query.where(chunks.c.document_id.in_(list(generations)))):
        if generations[row.document_id] == row.generation:
            found[row.document_id].append((row.point_id, row.payload_hash))
    for document, points in found.items():
        one = and_(
            index_state.c.document_id == document,
            index_state.c.collection == collection,
            index_state.c.live_generation == generations[document],
        )
        tx.execute(update(index_state).where(one).values(live_digest=digest_of(points)))


def documents_without_their_rows(tx: Connection, *, collection: str) -> list[UUID]:
    """Return the documents of which truth keeps another number of chunks than are live (counted in an index, texts are not read)."""
    state = index_state.c
    kept = func.count(chunks.c.document_id)
    query = (
        select(state.document_id)
        .select_from(index_state)
        .outerjoin(chunks, and_(chunks.c.document_id == state.document_id, chunks.c.generation == state.live_generation))
        .where(state.collection == collection, state.live_generation.is_not(None))
        .group_by(state.document_id, state.live_chunks)
        .having(kept != state.live_chunks)
    )
    return list(tx.execute(query).scalars())


def lacking_expected(tx: Connection, *, collection: str) -> LackingExpected:
    """Return how many points of a collection may be without a sparse vector."""
    state = index_state.c
    unknown = func.sum(case((state.live_without_terms.is_(None), state.live_chunks), else_=0))
    query = (
        select(func.coalesce(func.sum(state.live_without_terms), 0), func.coalesce(unknown, 0))
        .join(documents, documents.c.document_id == state.document_id)
        .where(documents.c.tombstoned_at.is_(None), state.live_generation.is_not(None), in_collection(collection))
    )
    without_terms, unmarked = tx.execute(query).one()
    return LackingExpected(int(without_terms), int(unmarked))


def sample(tx: Connection, after: UUID, limit: int, *, collection: str, last: UUID | None = None) -> Sequence[LiveDigest]:
    """Return up to ``limit`` documents whose ids follow ``after`` (up to ``last``) and of which something is live, with their digests."""
    state = index_state.c
    query = (
        select(state.document_id, state.live_chunks, state.live_digest)
        .join(documents, documents.c.document_id == state.document_id)
        .where(
            documents.c.tombstoned_at.is_(None),
            state.collection == collection,
            state.live_digest.is_not(None),
            state.document_id > after,
        )
        .order_by(state.document_id)
        .limit(limit)
    )
    if last is not None:
        query = query.where(state.document_id <= last)
    return [LiveDigest(*row) for row in tx.execute(query)]
