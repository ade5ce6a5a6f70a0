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

_IN_BATCH = 2000  # ids in one IN list: SQLite allows 32,766 bound values


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """A live chunk's place."""

    point_id: UUID
    document_id: UUID
    section: str
    is_exclusion: bool | None


def documents_of_points(tx: Connection, point_ids: Sequence[UUID], *, kind: str) -> dict[UUID, UUID]:
    """Return the documents, of a kind and not deleted, of those points; whether a point is of the live generation is not asked."""
    rows = list(_batched(tx, select(chunks.c.point_id, chunks.c.document_id), chunks.c.point_id, point_ids))
    of_kind = _of_kind(tx, list({row.document_id for row in rows}), kind)
    return {row.point_id: row.document_id for row in rows if row.document_id in of_kind}


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
    state = index_state.c
    query = select(state.document_id, state.live_generation).where(in_collection(collection), state.live_generation.is_not(None))
    of_kind = _of_kind(tx, document_ids, kind)
    return {row.document_id: row.live_generation for row in _batched(tx, query, state.document_id, list(of_kind))}


def _of_kind(tx: Connection, document_ids: Sequence[UUID], kind: str) -> set[UUID]:
    about = documents.c
    rows = _batched(tx, select(about.document_id, about.kind, about.tombstoned_at), about.document_id, document_ids)
    return {row.document_id for row in rows if row.kind == kind and row.tombstoned_at is None}


def _batched(tx: Connection, query: Select[Any], column: Any, ids: Sequence[UUID]) -> Iterator[Row[Any]]:
    for start in range(0, len(ids), _IN_BATCH):
        yield from tx.execute(query.where(column.in_(ids[start : start + _IN_BATCH])))
