"""Requests to delete for good, the documents of each, and what was written down of them before they went. No text of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Select, insert, select, update

from pipeline.domain.evidence import Evidence, joined
from pipeline.domain.vocabulary import DeletionCause, DeletionState, ErasureState
from pipeline.storage.proof_tables import deletion_documents, deletions
from pipeline.storage.upsert import insert_or_ignore

_IN_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Deletion:
    """One request. ``patient`` is a pseudonym where all of one patient's documents were named."""

    deletion_id: UUID
    cause: DeletionCause
    patient: str | None
    reason: str
    requested_by: str
    state: DeletionState
    requested_at: datetime
    finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DeletedDocument:
    """One document of a request; ``evidence`` is ``None`` until it was written down."""

    document_id: UUID
    source: str
    kind: str
    state: ErasureState = ErasureState.REQUESTED
    evidence: Evidence | None = None


def add(tx: Connection, deletion: Deletion) -> None:
    """Record a request."""
    values = {name: getattr(deletion, name) for name in Deletion.__dataclass_fields__}
    tx.execute(insert(deletions).values({**values, "cause": deletion.cause.value, "state": deletion.state.value}))


def add_documents(tx: Connection, deletion_id: UUID, documents: Sequence[DeletedDocument]) -> None:
    """Record what a request deletes; what it names already stays as it is."""
    rows: list[dict[str, Any]] = [
        {
            "deletion_id": deletion_id,
            "document_id": one.document_id,
            "source": one.source,
            "kind": one.kind,
            "state": one.state.value,
            "evidence": {},
        }
        for one in documents
    ]
    for start in range(0, len(rows), _IN_BATCH):
        insert_or_ignore(tx, deletion_documents, rows[start : start + _IN_BATCH], keys=["deletion_id", "document_id"])


def get(tx: Connection, deletion_id: UUID) -> Deletion | None:
    """Return a request, or ``None``."""
    return next(iter(_found(tx, select(deletions).where(deletions.c.deletion_id == deletion_id))), None)


def of_state(tx: Connection, *states: DeletionState) -> list[Deletion]:
    """Return the requests that are in one of these states, the oldest first."""
    query = select(deletions).where(deletions.c.state.in_([state.value for state in states]))
    return _found(tx, query.order_by(deletions.c.requested_at, deletions.c.deletion_id))


def listed(tx: Connection) -> list[Deletion]:
    """Return every request there ever was, the newest first."""
    return _found(tx, select(deletions).order_by(deletions.c.requested_at.desc(), deletions.c.deletion_id))


def set_state(tx: Connection, deletion_id: UUID, state: DeletionState, now: datetime | None = None) -> None:
    """Set how far a request is. ``now``: it is finished with this."""
    values: dict[str, Any] = {"state": state.value} if now is None else {"state": state.value, "finished_at": now}
    tx.execute(update(deletions).where(deletions.c.deletion_id == deletion_id).values(**values))


def documents_of(tx: Connection, deletion_id: UUID) -> Iterator[DeletedDocument]:
    """Yield what a request deletes, by id."""
    query = select(deletion_documents).where(deletion_documents.c.deletion_id == deletion_id)
    for row in tx.execute(query.order_by(deletion_documents.c.document_id)):
        evidence = Evidence.from_json(row.evidence) if row.evidence else None
        yield DeletedDocument(row.document_id, row.source, row.kind, ErasureState(row.state), evidence)


def known_among(tx: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these requests were ever made."""
    found: set[UUID] = set()
    for start in range(0, len(ids), _IN_BATCH):
        query = select(deletions.c.deletion_id).where(deletions.c.deletion_id.in_(ids[start : start + _IN_BATCH]))
        found.update(tx.execute(query).scalars())
    return found


def pending_among(tx: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these documents an open request names and has not erased."""
    names = deletion_documents.c
    found: set[UUID] = set()
    for start in range(0, len(ids), _IN_BATCH):
        query = (
            select(names.document_id)
            .join(deletions, deletions.c.deletion_id == names.deletion_id)
            .where(
                names.document_id.in_(ids[start : start + _IN_BATCH]),
                names.state == ErasureState.REQUESTED.value,
                deletions.c.state == DeletionState.OPEN.value,
            )
        )
        found.update(tx.execute(query).scalars())
    return found


def keep_evidence(tx: Connection, deletion_id: UUID, document_id: UUID, evidence: Evidence) -> None:
    """Write down what a document left. The first evidence stays: a second look, after a kill, finds less."""
    mine = deletion_documents.c.deletion_id == deletion_id, deletion_documents.c.document_id == document_id
    before = tx.execute(select(deletion_documents.c.evidence).where(*mine).with_for_update()).scalar_one()
    if not before:
        tx.execute(update(deletion_documents).where(*mine).values(evidence=evidence.to_json()))


def set_erased(tx: Connection, deletion_id: UUID, document_id: UUID, rows: dict[str, int]) -> None:
    """Record that nothing of a document is left, and how many rows went from each table."""
    mine = deletion_documents.c.deletion_id == deletion_id, deletion_documents.c.document_id == document_id
    before = Evidence.from_json(tx.execute(select(deletion_documents.c.evidence).where(*mine)).scalar_one())
    evidence = joined([before, Evidence({}, rows=rows)])
    tx.execute(update(deletion_documents).where(*mine).values(state=ErasureState.ERASED.value, evidence=evidence.to_json()))


def _found(tx: Connection, query: Select[Any]) -> list[Deletion]:
    return [Deletion(**{**row._mapping, "cause": DeletionCause(row.cause), "state": DeletionState(row.state)}) for row in tx.execute(query)]
