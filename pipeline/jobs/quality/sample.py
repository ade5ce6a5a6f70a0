"""Reads the rows of a sample of live documents, stretch by stretch: what is in truth, and what is really in the index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, select

from pipeline.domain.identifiers import text_hash
from pipeline.domain.points import PointFilter, StoredPoint, payload_hash
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.jobs.quality import truth_rows
from pipeline.jobs.quality.prepared_rows import measured, polarity_agrees
from pipeline.jobs.quality.suites import DataSet
from pipeline.storage import index_state
from pipeline.storage.chunks import ExpectedPoint, expected_among
from pipeline.storage.collections import in_collection
from pipeline.storage.tables import chunks, documents
from pipeline.storage.tables import index_state as state_table
from pipeline.wiring import Services

#: Documents whose rows are read together. A trial has some 20 chunks of 2 kB, a protocol some 500: 10 MB at most of 10 protocols in 100.
_STRETCH: Final = 100

_NOT_WORDS: Final = re.compile(r"[\W\d_]+")
_PLACEHOLDER: Final = re.compile(r"\[[A-Z][A-Z -]*\]")

#: What a value is called that is none of ours: of somebody else's point it may be any text.
_FOREIGN: Final = "not one of ours"

_KINDS: Final = frozenset(one.value for one in DocumentKind)

Row = dict[str, Any]


def chosen_documents(tx: Connection, *, start: UUID, limit: int | None) -> tuple[list[UUID], int]:
    """Return up to ``limit`` live documents (``None``: all) in order of id from ``start`` on, round the end, and how many there are.

    Ids are hashes: a stretch of them is a fair sample, and another ``start`` takes another one.
    """
    alive = documents.c.tombstoned_at.is_(None)
    query = select(documents.c.document_id).where(alive).order_by(documents.c.document_id).limit(limit)
    found = list(tx.execute(query.where(documents.c.document_id >= start)).scalars())
    if limit is None or len(found) < limit:
        rest = query.where(documents.c.document_id < start).limit(None if limit is None else limit - len(found))
        found += tx.execute(rest).scalars()
    return found, sum(count for state, count in index_state.state_counts(tx).items() if state not in ("deleting", "deleted"))


def rows(services: Services, ids: Sequence[UUID], now: datetime) -> Iterator[tuple[DataSet, list[Row]]]:
    """Yield the rows of these documents by data set, a stretch of documents at a time."""
    for at in range(0, len(ids), _STRETCH):
        stretch = ids[at : at + _STRETCH]
        with services.db.read() as tx:
            yield DataSet.STUDIES, list(truth_rows.studies_of(tx, stretch, now))
            yield DataSet.DOCUMENTS, list(truth_rows.documents_of(tx, stretch))
            yield DataSet.PAGES, list(truth_rows.pages_of(tx, stretch))
            of_chunks = _chunk_rows(services, tx, stretch)
            yield DataSet.CHUNKS, of_chunks
            expected = expected_among(tx, [UUID(row["row"]) for row in of_chunks])
        with services.index.session() as index:
            found = _read(index, stretch, expected)
        yield DataSet.POINTS, _point_rows(expected, found)


def _chunk_rows(services: Services, tx: Connection, ids: Sequence[UUID]) -> list[Row]:
    """Return the live chunks of documents; read as columns, so that what no chunk may hold can be shown."""
    live = (state_table.c.document_id == chunks.c.document_id) & (state_table.c.live_generation == chunks.c.generation)
    query = (
        select(chunks, documents.c.kind, documents.c.source)
        .join(state_table, live)
        .join(documents, documents.c.document_id == chunks.c.document_id)
        .where(chunks.c.document_id.in_(ids), in_collection(None))
        .order_by(chunks.c.point_id)
    )
    found: list[Row] = []
    likeness: list[tuple[UUID, str]] = []
    for one in tx.execute(query):
        placeholders = tuple(services.policy(one.kind, one.source).placeholders.values()) if one.kind in _KINDS else ()
        likeness.append((one.document_id, folded_hash(one.text)))
        found.append(
            {
                "row": str(one.point_id),
                "document_id": str(one.document_id),
                "section": one.section,
                "element": one.element,
                "ordinal": one.ordinal,
                "pieces_after": one.pieces - one.piece,
                "token_count": one.token_count,
                "window_left": services.window_of(one.kind) - one.token_count,
                "span_length": one.span_end - one.span_start,
                "polarity_agrees": polarity_agrees(one.section, one.is_exclusion),
                "confidence": one.confidence,
                **measured(one.text, one.embed_text or one.text, placeholders),
            }
        )
    alike = Counter(likeness)
    return [{**row, "near_copies": alike[key] - 1} for row, key in zip(found, likeness, strict=True)]


def folded_hash(text: str) -> str:
    """Return a hash that texts share which differ in case, numbers, punctuation and placeholders only."""
    return text_hash(_NOT_WORDS.sub(" ", _PLACEHOLDER.sub(" ", text)).casefold().strip())


def _read(index: VectorIndex, ids: Sequence[UUID], expected: dict[UUID, ExpectedPoint]) -> list[StoredPoint]:
    """Return what the index holds of these documents, and what it holds under the ids that are expected."""
    found = {point.id: point for point in index.scan(PointFilter(document_ids=tuple(ids)))}
    lost = [key for key in expected if key not in found]
    return [*found.values(), *(index.retrieve(lost) if lost else [])]


def _point_rows(expected: dict[UUID, ExpectedPoint], found: Sequence[StoredPoint]) -> list[Row]:
    live: dict[str, int] = {str(one.document_id): one.generation for one in expected.values()}
    out = [_found_row(point, expected, live) for point in found]
    there = {point.id for point in found}
    out += [
        {"row": str(key), "document_id": str(one.document_id), "in_index": 0, "in_truth": 1}
        for key, one in expected.items()
        if key not in there
    ]
    return out


def _found_row(point: StoredPoint, expected: dict[UUID, ExpectedPoint], live: dict[str, int]) -> Row:
    want = expected.get(point.id) if isinstance(point.id, UUID) else None
    payload = point.payload
    document = str(payload.get("document_id"))
    return {
        "row": str(point.id),
        "document_id": document if want is None or document in live else str(want.document_id),
        "in_index": 1,
        "in_truth": int(want is not None),
        "generation_agrees": int(payload.get("generation") == live.get(document)),
        "payload_agrees": None if want is None else int(payload_hash(payload) == want.payload_hash),
        "section": _ours(payload.get("section"), Section),
        "kind": _ours(payload.get("kind"), DocumentKind),
    }


def _ours(value: object, vocabulary: type[Section | DocumentKind]) -> str:
    return next((one.value for one in vocabulary if one.value == value), _FOREIGN)
