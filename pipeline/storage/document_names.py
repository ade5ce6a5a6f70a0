"""What documents of a home are known by outside it: keys of their sources, and where landing holds what they were read from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Connection, func, select

from pipeline.storage.collections import in_collection
from pipeline.storage.tables import documents, index_state

_IN_BATCH = 500


def ids_by_key(tx: Connection, keys: Sequence[str]) -> dict[str, list[UUID]]:
    """Return the living documents with these source keys; a key that several sources know has several."""
    found: dict[str, list[UUID]] = {}
    for start in range(0, len(keys), _IN_BATCH):
        batch = documents.c.source_key.in_(keys[start : start + _IN_BATCH])
        query = select(documents.c.source_key, documents.c.document_id).where(batch, documents.c.tombstoned_at.is_(None))
        for row in tx.execute(query.order_by(documents.c.document_id)):
            found.setdefault(row.source_key, []).append(row.document_id)
    return found


def living(tx: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the documents that are alive."""
    found: set[UUID] = set()
    for start in range(0, len(ids), _IN_BATCH):
        batch = documents.c.document_id.in_(ids[start : start + _IN_BATCH])
        found.update(tx.execute(select(documents.c.document_id).where(batch, documents.c.tombstoned_at.is_(None))).scalars())
    return found


def payloads_of(tx: Connection, source: str) -> dict[UUID, str]:
    """Return the landed payload's SHA-256 of each living document of a source."""
    query = select(documents.c.document_id, documents.c.payload_sha256).where(
        documents.c.source == source, documents.c.tombstoned_at.is_(None)
    )
    return {row.document_id: row.payload_sha256 for row in tx.execute(query)}


def searchable_count(tx: Connection, *, collection: str) -> int:
    """Return how many documents a collection serves."""
    query = select(func.count()).select_from(documents).join(index_state, index_state.c.document_id == documents.c.document_id)
    live = index_state.c.live_generation.is_not(None), documents.c.tombstoned_at.is_(None), in_collection(collection)
    count: int = tx.execute(query.where(*live)).scalar_one()
    return count


def index_digest(tx: Connection, *, collection: str) -> str:
    """Return one digest of what a collection holds: of the digests of its documents, by id. The same documents and chunks, the same digest."""
    state = index_state.c
    query = select(state.document_id, state.live_digest).where(in_collection(collection), state.live_generation.is_not(None))
    whole = hashlib.blake2b(digest_size=16)
    for row in tx.execution_options(yield_per=2000).execute(query.order_by(state.document_id)):
        whole.update(f"{row.document_id}|{row.live_digest}\n".encode())
    return whole.hexdigest()
