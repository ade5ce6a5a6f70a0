"""Lists and shows certificates of deletion, and counts what the report and the status say of deletions."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field
from sqlalchemy import Connection

from pipeline.domain.errors import StoreCorruptError, UsageError
from pipeline.domain.vocabulary import DeletionState
from pipeline.jobs.certificate_check import last_verification
from pipeline.jobs.certificate_model import Certificate
from pipeline.jobs.certificates import certificate_of_row
from pipeline.jobs.summaries import Summary
from pipeline.storage import certificates, deletions, holds
from pipeline.storage.certificates import CertificateRow
from pipeline.wiring import Services


class CertificateEntry(Summary):
    """One certificate in a list."""

    number: int
    deletion_id: str
    issued_at: str = Field(description="ISO 8601, UTC")
    cause: str = Field(description="a DeletionCause")
    requested_by: str
    documents: int
    points: int
    hash: str


class CertificateList(Summary):
    """Every certificate, the newest first."""

    open_deletions: int = Field(description="requested, and not certified yet")
    certificates: list[CertificateEntry]


class DeletionFacts(Summary):
    """Where deletions stand, for report and status."""

    open: int = Field(0, description="requested and not erased yet; what they name is unsearchable already")
    erased: int = Field(0, description="erased and not certified yet")
    certified: int = 0
    certificates: int = 0
    last_verified_at: datetime | None = Field(
        None, description="when `clindex certificate verify` or the DAG retention last looked; null: never"
    )
    last_verification_passed: bool | None = None


class HoldFacts(Summary):
    """Legal holds, for report and status."""

    active: int = 0


def list_certificates(services: Services) -> CertificateList:
    """Return every certificate and how many deletions have none yet."""
    with services.db.read() as tx:
        rows = certificates.listed(tx)
        waiting = len(deletions.of_state(tx, DeletionState.OPEN, DeletionState.ERASED))
    return CertificateList(open_deletions=waiting, certificates=[_entry(row) for row in reversed(rows)])


def show_certificate(services: Services, number: int) -> Certificate:
    """Return one certificate, unverified.

    Raises:
        UsageError: There is none of this number.
        StoreCorruptError: What is stored is none.
    """
    with services.db.read() as tx:
        row = certificates.get(tx, number)
    if row is None:
        raise UsageError(f"there is no certificate {number}", remedy="`clindex certificate list` shows them.")
    return _readable(row)


def deletion_facts(tx: Connection) -> DeletionFacts:
    """Return where deletions stand."""
    states = {state: len(deletions.of_state(tx, state)) for state in DeletionState}
    last = last_verification(tx)
    return DeletionFacts(
        open=states[DeletionState.OPEN],
        erased=states[DeletionState.ERASED],
        certified=states[DeletionState.CERTIFIED],
        certificates=certificates.count(tx),
        last_verified_at=last.at if last else None,
        last_verification_passed=last.passed if last else None,
    )


def hold_facts(tx: Connection) -> HoldFacts:
    """Return how many holds are active."""
    return HoldFacts(active=holds.active_count(tx))


def _entry(row: CertificateRow) -> CertificateEntry:
    body = _readable(row).body
    return CertificateEntry(
        number=row.number,
        deletion_id=str(row.deletion_id),
        issued_at=body.issued_at,
        cause=body.cause,
        requested_by=body.requested_by,
        documents=body.counts.documents,
        points=body.counts.points,
        hash=row.hash,
    )


def _readable(row: CertificateRow) -> Certificate:
    try:
        return certificate_of_row(row)
    except ValueError:
        raise StoreCorruptError(
            f"certificate {row.number} cannot be read", remedy="`clindex certificate verify` says what is wrong with it."
        ) from None
