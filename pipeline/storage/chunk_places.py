"""Where points stand, without their text: which document, which section. Thousands a query, so no more than that is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, select

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
    query = _live(select(chunks.c.point_id, chunks.c.document_id), collection).where(documents.c.kind == kind)
    found: dict[UUID, UUID] = {}
    for start in range(0, len(point_ids), _IN_BATCH):
        rows = tx.execute(query.where(chunks.c.point_id.in_(point_ids[start : start + _IN_BATCH])))
        found.update((point, document) for point, document in rows)
    return found


def places_of_documents(tx: Connection, document_ids: Sequence[UUID], *, collection: str | None = None) -> list[ChunkPlace]:
    """Return the places of all live chunks of documents."""
    query = _live(select(chunks.c.point_id, chunks.c.document_id, chunks.c.section, chunks.c.is_exclusion), collection)
    found: list[ChunkPlace] = []
    for start in range(0, len(document_ids), _IN_BATCH):
        rows = tx.execute(query.where(chunks.c.document_id.in_(document_ids[start : start + _IN_BATCH])))
        found.extend(ChunkPlace(*row) for row in rows)
    return found


def _live(query: Select[Any], collection: str | None) -> Select[Any]:
    return (
        query.join(index_state, index_state.c.document_id == chunks.c.document_id)
        .join(documents, documents.c.document_id == chunks.c.document_id)
        .where(chunks.c.generation == index_state.c.live_generation, in_collection(collection), documents.c.tombstoned_at.is_(None))
    )
