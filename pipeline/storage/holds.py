"""Legal holds: what must not be deleted, whoever asks. A hold is placed and released with a reason and a name; a released one stays as a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, func, insert, select, update

from pipeline.storage.fhir_erasure import every_alias
from pipeline.storage.proof_tables import legal_holds
from pipeline.storage.tables import documents

_IN_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Hold:
    """One hold. ``released_at`` is ``None`` while it is active.

    Attributes:
        subject: A document's id, or a patient's pseudonym: then all of the patient's documents, also those that come later.
    """

    hold_id: UUID
    subject: str
    reason: str
    placed_by: str
    placed_at: datetime
    released_by: str | None = None
    released_reason: str | None = None
    released_at: datetime | None = None

    @property
    def active(self) -> bool:
        """Whether it still forbids deletion."""
        return self.released_at is None


def place(tx: Connection, subject: str, *, reason: str, by: str, now: datetime) -> Hold:
    """Place a hold. A subject may have several: each is released by itself."""
    hold = Hold(uuid4(), subject, reason, by, now)
    tx.execute(
        insert(legal_holds).values(hold_id=hold.hold_id, subject=hold.subject, reason=hold.reason, placed_by=hold.placed_by, placed_at=now)
    )
    return hold


def release(tx: Connection, hold_id: UUID, *, reason: str, by: str, now: datetime) -> Hold | None:
    """Release an active hold. Returns it as it is now, or ``None`` where there is no such active one."""
    active = legal_holds.c.hold_id == hold_id, legal_holds.c.released_at.is_(None)
    done = tx.execute(update(legal_holds).where(*active).values(released_by=by, released_reason=reason, released_at=now))
    return get(tx, hold_id) if done.rowcount else None


def get(tx: Connection, hold_id: UUID) -> Hold | None:
    """Return a hold, or ``None``."""
    row = tx.execute(select(legal_holds).where(legal_holds.c.hold_id == hold_id)).one_or_none()
    return None if row is None else _hold(row)


def listed(tx: Connection, *, active_only: bool = False) -> list[Hold]:
    """Return holds, the active ones first, the newest first."""
    query = select(legal_holds).order_by(legal_holds.c.placed_at.desc(), legal_holds.c.hold_id)
    holds = [_hold(row) for row in tx.execute(query) if not active_only or row.released_at is None]
    return sorted(holds, key=lambda one: not one.active)


def active_count(tx: Connection) -> int:
    """Return how many holds are active."""
    count: int = tx.execute(select(func.count()).select_from(legal_holds).where(legal_holds.c.released_at.is_(None))).scalar_one()
    return count


def held(tx: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the documents that an active hold names, by themselves or by their patient.

    The patient is read from truth, so this must be asked before a document's row is made bare. Call it in the transaction that deletes.
    """
    subjects = _active_subjects(tx)
    if not subjects:
        return set()
    found = {one for one in ids if str(one) in subjects}
    for start in range(0, len(ids), _IN_BATCH):
        query = select(documents.c.document_id, documents.c.facets).where(documents.c.document_id.in_(ids[start : start + _IN_BATCH]))
        found.update(row.document_id for row in tx.execute(query) if (row.facets or {}).get("patient") in subjects)
    return found


def patient_held(tx: Connection, patient: str) -> bool:
    """Whether an active hold names a patient, whether or not truth knows a document of theirs."""
    return patient in _active_subjects(tx)


def _active_subjects(tx: Connection) -> set[str]:
    found = set(tx.execute(select(legal_holds.c.subject).where(legal_holds.c.released_at.is_(None))).scalars())
    return found | every_alias(tx, {one for one in found if "-" not in one})  # a pseudonym has none: of a patient, every number


def known_subject(tx: Connection, subject: str) -> bool:
    """Whether truth knows a document of this id (with hyphens), or of this patient. A mistyped subject would protect nothing."""
    is_document = "-" in subject  # a pseudonym has none
    condition = documents.c.document_id == UUID(subject) if is_document else documents.c.facets["patient"].as_string() == subject
    return tx.execute(select(documents.c.document_id).where(condition).limit(1)).one_or_none() is not None


def _hold(row: Any) -> Hold:
    return Hold(**row._mapping)
