"""Chunk rows: what the index must hold for each document and generation, and what hits are hydrated from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, Select, and_, delete, false, func, insert, or_, select, update

from pipeline.domain.chunks import Chunk, ChunkedDocument, Span, TextVersion
from pipeline.domain.digest import slice_bounds, slice_of
from pipeline.domain.identifiers import text_hash
from pipeline.domain.vocabulary import ContentType, Element, Section
from pipeline.storage.collections import in_collection
from pipeline.storage.tables import chunk_accounts, chunks, documents, index_state, table_rows

_BY_GENERATION = (chunks, table_rows, chunk_accounts)

_IN_BATCH = 500  # ids in one IN list: SQLite allows 32,766 bound values, PostgreSQL plans short lists better
_RANGES = 200  # slices named in one statement; beyond, all rows are read and the others passed over


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One chunk as truth keeps it, with the point that must stand for it in the index."""

    point_id: UUID
    document_id: UUID
    generation: int
    chunk: Chunk = field(repr=False)
    text_hash: str  # of the text that is embedded: the embedding cache's key
    payload_hash: str
    dense_mark: float | None = None  # of its vectors (``pipeline.domain.vector_marks``); None: written before there were marks
    sparse_mark: float | None = None

    @classmethod
    def of(
        cls, point_id: UUID, document_id: UUID, generation: int, chunk: Chunk, payload_hash: str, marks: tuple[float, float] | None = None
    ) -> ChunkRow:
        """Make a row of a fresh chunk; ``marks`` are those of its dense and its sparse vector."""
        dense, sparse = marks or (None, None)
        return cls(point_id, document_id, generation, chunk, text_hash(chunk.embed_text), payload_hash, dense, sparse)


@dataclass(frozen=True, slots=True)
class ExpectedPoint:
    """One point that the index must hold, in the form reconciliation compares."""

    point_id: UUID
    document_id: UUID
    generation: int
    payload_hash: str
    fingerprint: str
    dense_mark: float | None = None
    sparse_mark: float | None = None
    source: str | None = None
    kind: str | None = None


def insert_generation(tx: Connection, rows: Sequence[ChunkRow]) -> None:
    """Write the chunk rows of new generations."""
    if rows:
        tx.execute(insert(chunks), [_values(row) for row in rows])


def _values(row: ChunkRow) -> dict[str, Any]:
    chunk = row.chunk
    return {
        "point_id": row.point_id,
        "document_id": row.document_id,
        "generation": row.generation,
        "section": chunk.section.value,
        "ordinal": chunk.ordinal,
        "piece": chunk.piece,
        "pieces": chunk.pieces,
        "is_exclusion": chunk.is_exclusion,
        "scope": list(chunk.scope),
        "context": list(chunk.context),
        "text": chunk.text,
        "embed_text": None if chunk.embed_text == chunk.text else chunk.embed_text,
        "part": chunk.part,
        "span_start": chunk.span.start,
        "span_end": chunk.span.end,
        "page": chunk.page,
        "page_to": chunk.page_to,
        "headings": list(chunk.headings) or None,
        "content_type": chunk.content_type.value if chunk.content_type else None,
        "element": chunk.element.value,
        "element_number": chunk.element_number,
        "confidence": chunk.confidence,
        "suspects": [[span.start, span.end] for span in chunk.suspects] or None,
        "icd_codes": list(chunk.icd_codes) or None,
        "token_count": chunk.token_count,
        "text_hash": row.text_hash,
        "repeats": list(chunk.repeats),
        "payload_hash": row.payload_hash,
        "dense_mark": row.dense_mark,
        "sparse_mark": row.sparse_mark,
    }


def _row(row: Row[Any]) -> ChunkRow:
    chunk = Chunk(
        section=Section(row.section),
        ordinal=row.ordinal,
        is_exclusion=row.is_exclusion,
        text=row.text,
        embed_text=row.text if row.embed_text is None else row.embed_text,
        part=row.part,
        span=Span(row.span_start, row.span_end),
        token_count=row.token_count,
        scope=tuple(row.scope),
        context=tuple(row.context),
        page=row.page,
        piece=row.piece,
        pieces=row.pieces,
        repeats=tuple(row.repeats),
        page_to=row.page_to,
        headings=tuple(row.headings or ()),
        content_type=ContentType(row.content_type) if row.content_type else None,
        element=Element(row.element),
        element_number=row.element_number,
        confidence=row.confidence,
        suspects=tuple(Span(start, end) for start, end in row.suspects or ()),
        icd_codes=tuple(row.icd_codes or ()),
    )
    return ChunkRow(row.point_id, row.document_id, row.generation, chunk, row.text_hash, row.payload_hash, row.dense_mark, row.sparse_mark)


def rows_of_generation(tx: Connection, document_id: UUID, generation: int) -> list[ChunkRow]:
    """Return one document's chunks of one generation, by section and ordinal."""
    found = tx.execute(
        select(chunks)
        .where(chunks.c.document_id == document_id, chunks.c.generation == generation)
        .order_by(chunks.c.section, chunks.c.ordinal, chunks.c.piece)
    )
    return [_row(row) for row in found]


def rows_by_point(tx: Connection, point_ids: Sequence[UUID], *, collection: str | None = None) -> dict[UUID, ChunkRow]:
    """Return those of the points' chunks that are live in a collection (the live one where none is named), of documents not deleted."""
    found: dict[UUID, ChunkRow] = {}
    for start in range(
        0, len(point_ids), _IN_BATCH
    ):  # by primary keys: joined to index_state, SQLite reads all states of the collection first
        rows = tx.execute(select(chunks).where(chunks.c.point_id.in_(point_ids[start : start + _IN_BATCH]))).all()
        live = _live_generations(tx, {row.document_id for row in rows}, collection)
        found.update({row.point_id: _row(row) for row in rows if live.get(row.document_id) == row.generation})
    return found


def _live_generations(tx: Connection, ids: Collection[UUID], collection: str | None) -> dict[UUID, int]:
    """Return the generations of those documents that are live in a collection and not deleted."""
    state = index_state.c
    query = (
        select(state.document_id, state.live_generation)
        .join(documents, documents.c.document_id == state.document_id)
        .where(state.document_id.in_(sorted(ids)), in_collection(collection), documents.c.tombstoned_at.is_(None))
    )
    return {row.document_id: row.live_generation for row in tx.execute(query) if row.live_generation is not None}


def set_payload_hashes(tx: Connection, hashes: Sequence[tuple[UUID, str]]) -> None:
    """Record what the points' payloads are now expected to hash to."""
    for point, payload_hash in hashes:
        tx.execute(update(chunks).where(chunks.c.point_id == point).values(payload_hash=payload_hash))


def delete_generations_below(tx: Connection, document_id: UUID, generation: int) -> None:
    """Forget what is kept of a document's earlier generations, but for those that are live, or being written, in another collection."""
    state = index_state.c
    used = select(state.live_generation, state.writing_generation).where(state.document_id == document_id)
    kept = {number for row in tx.execute(used) for number in row if number is not None}
    for one in _BY_GENERATION:
        tx.execute(
            delete(one).where(one.c.document_id == document_id, one.c.generation < generation, one.c.generation.not_in(sorted(kept)))
        )


def delete_generation(tx: Connection, document_id: UUID, generation: int) -> None:
    """Forget what is kept of one generation of a document."""
    for one in _BY_GENERATION:
        tx.execute(delete(one).where(one.c.document_id == document_id, one.c.generation == generation))


def insert_account(
    tx: Connection, document_id: UUID, generation: int, chunked: ChunkedDocument, *, version: TextVersion | None = None
) -> None:
    """Keep the account of characters and formats of a document's generation, and which text it was made of."""
    loss = chunked.loss
    tx.execute(
        insert(chunk_accounts).values(
            document_id=document_id,
            generation=generation,
            outcome=chunked.outcome.value,
            formats=list(chunked.formats),
            language=chunked.language,
            characters=loss.characters,
            chunked=loss.chunked,
            dropped=loss.dropped,
            redacted=loss.redacted,
            unexplained=loss.unexplained,
            by_reason={reason.value: count for reason, count in loss.by_reason.items()},
            text_version=version.text if version else None,
            scrubbed_by=version.scrubbed_by if version else None,
        )
    )


def text_versions(tx: Connection, generations: Collection[tuple[UUID, int]]) -> dict[tuple[UUID, int], TextVersion]:
    """Return which text generations of documents were made of; one that was written before that was kept is absent."""
    wanted = set(generations)
    ids = sorted({document for document, _ in wanted})
    account = chunk_accounts.c
    found: dict[tuple[UUID, int], TextVersion] = {}
    for start in range(0, len(ids), _IN_BATCH):
        query = select(account.document_id, account.generation, account.text_version, account.scrubbed_by)
        for row in tx.execute(query.where(account.document_id.in_(ids[start : start + _IN_BATCH]), account.text_version.is_not(None))):
            if (key := (row.document_id, row.generation)) in wanted:
                found[key] = TextVersion(row.text_version, row.scrubbed_by or "")
    return found


def expected_points(tx: Connection, *, collection: str | None = None, slices: Collection[int] | None = None) -> Iterator[ExpectedPoint]:
    """Yield every point that a collection must hold, in ascending order of the id's 128 bits, in constant memory.

    Args:
        tx: A transaction.
        collection: The live one where none is named.
        slices: Only points of documents of these slices (``pipeline.domain.digest``).
    """
    query = _expected(collection).order_by(chunks.c.point_id)
    if slices is not None and len(slices) <= _RANGES:
        query = query.where(or_(false(), *(chunks.c.document_id.between(*slice_bounds(number)) for number in slices)))
    for row in tx.execution_options(yield_per=5000).execute(query):
        if slices is None or slice_of(row.document_id) in slices:
            yield ExpectedPoint(*row)


def expected_among(tx: Connection, ids: Sequence[UUID], *, collection: str | None = None) -> dict[UUID, ExpectedPoint]:
    """Return those of the points that a collection must hold."""
    found: dict[UUID, ExpectedPoint] = {}
    for start in range(0, len(ids), _IN_BATCH):
        query = _expected(collection).where(chunks.c.point_id.in_(ids[start : start + _IN_BATCH]))
        found.update({row.point_id: ExpectedPoint(*row) for row in tx.execute(query)})
    return found


def _expected(collection: str | None) -> Select[Any]:
    """Select what ``ExpectedPoint`` holds, in its order."""
    live = and_(index_state.c.document_id == chunks.c.document_id, index_state.c.live_generation == chunks.c.generation)
    return (
        select(
            chunks.c.point_id,
            chunks.c.document_id,
            chunks.c.generation,
            chunks.c.payload_hash,
            func.coalesce(index_state.c.live_fingerprint, ""),
            chunks.c.dense_mark,
            chunks.c.sparse_mark,
            documents.c.source,
            documents.c.kind,
        )
        .join(index_state, live)
        .join(documents, documents.c.document_id == chunks.c.document_id)
        .where(documents.c.tombstoned_at.is_(None), in_collection(collection))
    )


def expected_count(tx: Connection, *, collection: str | None = None) -> int:
    """Return how many points a collection must hold."""
    query = (
        select(func.coalesce(func.sum(index_state.c.live_chunks), 0))
        .join(documents, documents.c.document_id == index_state.c.document_id)
        .where(documents.c.tombstoned_at.is_(None), index_state.c.live_generation.is_not(None), in_collection(collection))
    )
    return int(tx.execute(query).scalar_one())
