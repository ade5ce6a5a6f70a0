"""Documents: what can be cited, where it came from, and whether it still exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, func, select, update

from pipeline.domain.documents import Document, Facets
from pipeline.storage import suppressions
from pipeline.storage.tables import documents
from pipeline.storage.upsert import insert_or_update

_IN_BATCH: Final = 500

_UPDATED: Final = (
    "source",
    "source_key",
    "kind",
    "title",
    "payload_sha256",
    "content_hash",
    "facets_hash",
    "facets",
    "updated_at",
    "seen_at",
    "tombstoned_at",
    "root",
)

#: Facets with several values: JSON keeps them as lists.
_LISTS: Final = tuple(one.name for one in fields(Facets) if one.default == ())


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """What a hit shows of its document. A tombstoned one must not be shown."""

    document_id: UUID
    source: str
    source_key: str
    kind: str
    title: str = field(repr=False)
    facets: Facets
    tombstoned: bool


def upsert_document(tx: Connection, document: Document, payload_sha256: str, now: datetime, *, root: str | None = None) -> None:
    """Keep a document's identity and hashes; one that was tombstoned is alive again. ``root``: the folder it was listed in.

    Raises:
        SuppressedError: It was deleted for good, or is a patient's whose documents were. Nothing was written.
    """
    suppressions.refuse(tx, document.document_id, document.facets.patient)
    row = {
        "document_id": document.document_id,
        "source": document.source,
        "source_key": document.source_key,
        "kind": document.kind.value,
        "title": document.title,
        "payload_sha256": payload_sha256,
        "content_hash": document.content_hash,
        "facets_hash": document.facets_hash,
        "facets": asdict(document.facets),
        "updated_at": now,
        "seen_at": now,
        "tombstoned_at": None,
        "root": root,
    }
    insert_or_update(tx, documents, [row], keys=["document_id"], update=_UPDATED)


def exists(tx: Connection, document_id: UUID) -> bool:
    """Whether truth knows a document, tombstoned or not."""
    query = select(documents.c.document_id).where(documents.c.document_id == document_id)
    return tx.execute(query).one_or_none() is not None


def tombstone(tx: Connection, ids: Sequence[UUID], now: datetime) -> int:
    """Mark documents as deleted: unsearchable from this commit on. Returns how many were alive until now."""
    count = 0
    for batch in _batches(ids):
        alive = documents.c.document_id.in_(batch), documents.c.tombstoned_at.is_(None)
        count += tx.execute(update(documents).where(*alive).values(tombstoned_at=now)).rowcount
    return count


def live_count(tx: Connection, source: str | None = None, *, roots: Sequence[str] | None = None) -> int:
    """Return how many documents are alive, of one source or of all, and of some of its folders where ``roots`` names them."""
    query = select(func.count()).select_from(documents).where(documents.c.tombstoned_at.is_(None))
    if source is not None:
        query = query.where(documents.c.source == source)
    if roots is not None:
        query = query.where(documents.c.root.in_(roots))
    count: int = tx.execute(query).scalar_one()
    return count


def newest_change(tx: Connection) -> datetime | None:
    """Return when any document was last taken in or tombstoned."""
    updated, deleted = tx.execute(select(func.max(documents.c.updated_at), func.max(documents.c.tombstoned_at))).one()
    return max((moment for moment in (updated, deleted) if moment is not None), default=None)


def load_documents(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, DocumentRow]:
    """Return those documents that truth knows, tombstoned ones too."""
    names = ("document_id", "source", "source_key", "kind", "title", "facets", "tombstoned_at")
    query = select(*[documents.c[name] for name in names])
    rows = [row for batch in _batches(ids) for row in tx.execute(query.where(documents.c.document_id.in_(batch)))]
    return {row.document_id: _row(row) for row in rows}


def payload_hashes(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return what landing holds of those documents that truth knows, by its SHA-256."""
    query = select(documents.c.document_id, documents.c.payload_sha256)
    rows = [row for batch in _batches(ids) for row in tx.execute(query.where(documents.c.document_id.in_(batch)))]
    return {row.document_id: row.payload_sha256 for row in rows}


def facets_of(stored: Mapping[str, Any]) -> Facets:
    """Return a document's facets from its column."""
    return Facets(**{**stored, **{name: tuple(stored.get(name) or ()) for name in _LISTS}})


def _row(row: Any) -> DocumentRow:
    return DocumentRow(
        document_id=row.document_id,
        source=row.source,
        source_key=row.source_key,
        kind=row.kind,
        title=row.title,
        facets=facets_of(row.facets),
        tombstoned=row.tombstoned_at is not None,
    )


def _batches(ids: Sequence[UUID]) -> list[Sequence[UUID]]:
    return [ids[start : start + _IN_BATCH] for start in range(0, len(ids), _IN_BATCH)]
