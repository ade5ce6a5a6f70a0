"""Documents that the gate refused, and who let one pass: the audit of releases. Ids, classes and counts; no text of a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, delete, insert, select

from pipeline.domain.vocabulary import CollectionRole, DocumentState
from pipeline.storage import review
from pipeline.storage.collections import in_collection
from pipeline.storage.tables import collections, documents, index_state, quarantine, quarantine_releases
from pipeline.storage.upsert import insert_or_update

_IN_BATCH = 500


@dataclass(frozen=True, slots=True)
class QuarantinedDocument:
    """One document that is held back.

    Attributes:
        fingerprint: Of the content and recipe that were judged: what a release would hold for.
        findings: One a class and text: ``where``, ``section``, ``ordinal``, ``category``, ``count``, ``start``, ``characters``.
    """

    document_id: UUID
    source: str
    source_key: str
    kind: str
    content_hash: str  # of what was judged
    current_hash: str  # of what truth holds now
    fingerprint: str
    policy: str
    gate: str
    since: datetime
    judged_at: datetime
    findings: tuple[dict[str, Any], ...] = field(default=())

    @property
    def classes(self) -> dict[str, int]:
        """How many identifiers of each class were found."""
        counts: dict[str, int] = {}
        for one in self.findings:
            counts[one["category"]] = counts.get(one["category"], 0) + one["count"]
        return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class Release:
    """That a person let a document pass: this content by this recipe, and no other."""

    document_id: UUID
    fingerprint: str
    content_hash: str
    policy: str
    gate: str
    classes: dict[str, int]
    released_by: str
    reason: str
    released_at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """What is kept when the gate refuses a document."""

    document_id: UUID
    content_hash: str
    fingerprint: str
    policy: str
    gate: str
    findings: Sequence[dict[str, Any]]


def hold(tx: Connection, held: Sequence[Held], now: datetime) -> None:
    """Keep why documents are held back; one that was already keeps its ``since``."""
    if not held:
        return
    known = {row.document_id: row.since for row in _rows(tx, [one.document_id for one in held])}
    rows = [
        {
            "document_id": one.document_id,
            "content_hash": one.content_hash,
            "fingerprint": one.fingerprint,
            "policy": one.policy,
            "gate": one.gate,
            "findings": list(one.findings),
            "since": known.get(one.document_id, now),
            "judged_at": now,
        }
        for one in held
    ]
    insert_or_update(tx, quarantine, rows, keys=["document_id"], update=[name for name in rows[0] if name != "document_id"])


def clear(tx: Connection, ids: Sequence[UUID], *, collection: str | None = None) -> None:
    """Forget that documents were held back: they passed in this collection (``None``: the live one). One that another holds back stays."""
    held = select(index_state.c.document_id).where(
        index_state.c.document_id == quarantine.c.document_id,
        index_state.c.state == DocumentState.QUARANTINED.value,
        ~in_collection(collection),
    )
    for start in range(0, len(ids), _IN_BATCH):
        tx.execute(delete(quarantine).where(quarantine.c.document_id.in_(ids[start : start + _IN_BATCH]), ~held.exists()))


def listed(tx: Connection) -> list[QuarantinedDocument]:
    """Return every document that is held back, the longest first."""
    return [_held(row) for row in tx.execute(_query().order_by(quarantine.c.since, quarantine.c.document_id))]


def get(tx: Connection, document_id: UUID) -> QuarantinedDocument | None:
    """Return one document that is held back, or ``None``."""
    row = tx.execute(_query().where(quarantine.c.document_id == document_id)).one_or_none()
    return None if row is None else _held(row)


def release(tx: Connection, one: Release) -> None:
    """Record that a person let a document pass. Rows are only ever added: they are the audit."""
    tx.execute(
        insert(quarantine_releases).values(
            **{name: getattr(one, name) for name in Release.__dataclass_fields__ if name != "classes"}, classes=dict(one.classes)
        )
    )


def is_released(tx: Connection, document_id: UUID, fingerprint: str) -> bool:
    """Whether exactly this content by exactly this recipe was let pass."""
    query = select(quarantine_releases.c.id).where(
        quarantine_releases.c.document_id == document_id, quarantine_releases.c.fingerprint == fingerprint
    )
    return tx.execute(query.limit(1)).first() is not None or review.is_let_pass(tx, document_id, fingerprint)


def released_among(tx: Connection, pairs: Iterable[tuple[UUID, str]]) -> set[UUID]:
    """Return which of these documents were let pass with this fingerprint."""
    return {document for document, fingerprint in pairs if is_released(tx, document, fingerprint)}


def releases(tx: Connection, *, document_id: UUID | None = None, limit: int = 1000) -> list[Release]:
    """Return releases, the newest first, of one document or of all."""
    query = select(quarantine_releases).order_by(quarantine_releases.c.released_at.desc(), quarantine_releases.c.id.desc()).limit(limit)
    if document_id is not None:
        query = query.where(quarantine_releases.c.document_id == document_id)
    return [Release(**{name: getattr(row, name) for name in Release.__dataclass_fields__}) for row in tx.execute(query)]


def _query() -> Select[Any]:
    """Of documents that are held back from the live collection, or from the candidate that is to take its place."""
    roles = (CollectionRole.LIVE.value, CollectionRole.CANDIDATE.value)
    held = (
        select(index_state.c.document_id)
        .join(collections, collections.c.name == index_state.c.collection)
        .where(
            collections.c.role.in_(roles),
            index_state.c.document_id == quarantine.c.document_id,
            index_state.c.state == DocumentState.QUARANTINED.value,
        )
    )
    return (
        select(quarantine, documents.c.source, documents.c.source_key, documents.c.kind, documents.c.content_hash.label("current_hash"))
        .join(documents, documents.c.document_id == quarantine.c.document_id)
        .where(held.exists(), documents.c.tombstoned_at.is_(None))
    )


def _rows(tx: Connection, ids: Sequence[UUID]) -> list[QuarantinedDocument]:
    found: list[QuarantinedDocument] = []
    for start in range(0, len(ids), _IN_BATCH):
        found += [_held(row) for row in tx.execute(_query().where(quarantine.c.document_id.in_(ids[start : start + _IN_BATCH])))]
    return found


def _held(row: Any) -> QuarantinedDocument:
    values = {name: getattr(row, name) for name in QuarantinedDocument.__dataclass_fields__ if name != "findings"}
    return QuarantinedDocument(**values, findings=tuple(row.findings))
