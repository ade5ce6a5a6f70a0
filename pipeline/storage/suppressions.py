"""What must not come back: documents and patients that were deleted for good, although a source still offers them.

A subject is a document's id with its hyphens, or a patient's pseudonym, which has none. Whoever takes a document asks in the transaction that
writes it; ``in_turn`` puts that transaction wholly before or wholly after a request to delete.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, select

from pipeline.domain.errors import SuppressedError
from pipeline.storage import meta
from pipeline.storage.proof_tables import suppressions
from pipeline.storage.tables import meta as meta_table
from pipeline.storage.upsert import insert_or_update

_IN_BATCH: Final = 500
_TURN: Final = "suppressions_turn"  # a row to lock: a document that nobody has taken yet has none of its own


@dataclass(frozen=True, slots=True)
class Suppression:
    """One subject that is not taken, since when, and by which deletion."""

    subject: str
    deletion_id: UUID
    since: datetime

    @property
    def is_patient(self) -> bool:
        """Whether it names a patient and no document."""
        return is_patient(self.subject)


def is_patient(subject: str) -> bool:
    """Whether a subject is a patient's pseudonym: a document's id has hyphens."""
    return "-" not in subject


def in_turn(tx: Connection, *, alone: bool) -> None:
    """Wait for one's turn: those who take documents go side by side, one who deletes (``alone``) goes by himself, until the transaction ends.

    SQLite has one writer at a time anyway.
    """
    if tx.dialect.name == "sqlite":
        return
    query = select(meta_table.c.key).where(meta_table.c.key == _TURN).with_for_update(read=not alone)
    if tx.execute(query).one_or_none() is None:
        meta.put_once(tx, _TURN, "")
        tx.execute(query).one_or_none()


def suppress(tx: Connection, subjects: Iterable[str], deletion_id: UUID, now: datetime) -> None:
    """Let nobody take these subjects from this commit on. One that is suppressed already is now so by this deletion."""
    rows = [{"subject": subject, "deletion_id": deletion_id, "since": now} for subject in sorted(set(subjects))]
    for start in range(0, len(rows), _IN_BATCH):
        insert_or_update(tx, suppressions, rows[start : start + _IN_BATCH], keys=["subject"], update=("deletion_id", "since"))


def suppressed(tx: Connection, subjects: Collection[str]) -> set[str]:
    """Return which of these subjects are not to be taken."""
    asked = sorted(set(subjects))
    found: set[str] = set()
    for start in range(0, len(asked), _IN_BATCH):
        query = select(suppressions.c.subject).where(suppressions.c.subject.in_(asked[start : start + _IN_BATCH]))
        found.update(tx.execute(query).scalars())
    return found


def patients(tx: Connection) -> set[str]:
    """Return the pseudonyms of all patients whose documents are not taken."""
    return set(tx.execute(select(suppressions.c.subject).where(suppressions.c.subject.not_like("%-%"))).scalars())


def patients_of(tx: Connection, deletion_id: UUID) -> set[str]:
    """Return the pseudonyms that a deletion suppresses: of one patient, every number of theirs."""
    mine = suppressions.c.deletion_id == deletion_id, suppressions.c.subject.not_like("%-%")
    return set(tx.execute(select(suppressions.c.subject).where(*mine)).scalars())


def refuse(tx: Connection, document_id: UUID, patient: str | None) -> None:
    """Refuse to take a document that was deleted for good, or a patient's whose documents were. Call it before the document is written.

    Raises:
        SuppressedError: It must not be taken.
    """
    in_turn(tx, alone=False)
    if suppressed(tx, [str(document_id), *([patient] if patient else [])]):
        raise SuppressedError(f"document {document_id} was deleted", remedy="`clindex delete --lift SUBJECT` lets it be taken again.")


def get(tx: Connection, subject: str) -> Suppression | None:
    """Return a suppression, or ``None``."""
    row = tx.execute(select(suppressions).where(suppressions.c.subject == subject)).one_or_none()
    return None if row is None else Suppression(row.subject, row.deletion_id, row.since)


def lift(tx: Connection, subject: str) -> None:
    """Let a subject be taken again."""
    tx.execute(delete(suppressions).where(suppressions.c.subject == subject))
