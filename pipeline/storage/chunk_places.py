"""Where points stand, without their text: which document, which section. Thousands a query, so no more than that is read.

Each table is asked by its primary key on its own: joined, SQLite reads the whole collection's states first (90 ms instead of 2 ms for 500
points of 9,655 trials).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, Select, select

from pipeline.storage.collections import in_collection
from pipeline.storage.tables import chunks, documents, index_state

_IN_BATCH = 500  # ids in one IN list, see ``pipeline.storage.chunks``


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """A live chunk's place."""

    point_id: UUID
    document_id: UUID
    section: str
    is_exclusion: bool | None


def documents_of_points(tx: Connection, point_ids: Sequence[UUID], *, kind: str, collection: str | None = None) -> dict[UUID, UUID]:
    """Return the documents of those points that are live in a collection (the live one where none is named) and of documents of a kind."""
    columns = chunks.c
    rows = list(_batched(tx, select(columns.point_id, columns.document_id, columns.generation), columns.point_id, point_ids))
    live = live_generations(tx, sorted({row.document_id for row in rows}), kind=kind, collection=collection)
    return {row.point_id: row.document_id for row in rows if live.get(row.document_id) == row.generation}


def places_of_documents(tx: Connection, document_ids: Sequence[UUID], *, kind: str, collection: str | None = None) -> list[ChunkPlace]:
    """Return the places of all live chunks of those documents that are of a kind."""
    live = live_generations(tx, document_ids, kind=kind, collection=collection)
    columns = chunks.c
    query = select(columns.point_id, columns.document_id, columns.section, columns.is_exclusion, columns.generation)
    rows = _batched(tx, query, columns.document_id, list(live))
    return [
        ChunkPlace(row.point_id, row.document_id, row.section, row.is_exclusion) for row in rows if live[row.document_id] == row.generation
    ]


def live_generations(tx: Connection, document_ids: Sequence[UUID], *, kind: str, collection: str | None = None) -> dict[UUID, int]:
    """Return the live generations of those documents that are of a kind, live in a collection and not deleted."""
    state, about = index_state.c, documents.c
    generations = select(state.document_id, state.live_generation).where(in_collection(collection), state.live_generation.is_not(None))
    live = {row.document_id: int(row.live_generation) for row in _batched(tx, generations, state.document_id, document_ids)}
    known = _batched(tx, select(about.document_id, about.kind, about.tombstoned_at), about.document_id, list(live))
    return {row.document_id: live[row.document_id] for row in known if row.kind == kind and row.tombstoned_at is None}


def _batched(tx: Connection, query: Select[Any], column: Any, ids: Sequence[UUID]) -> Iterator[Row[Any]]:
    for start in range(0, len(ids), _IN_BATCH):
        yield from tx.execute(query.where(column.in_(ids[start : start + _IN_BATCH])))
