"""Lists and shows certificates of deletion."""

from __future__ import annotations

from pydantic import Field

from pipeline.domain.errors import StoreCorruptError, UsageError
from pipeline.domain.vocabulary import DeletionState
from pipeline.jobs.certificates.issue import certificate_of_row
from pipeline.jobs.certificates.model import Certificate
from pipeline.jobs.summaries import Summary
from pipeline.storage import certificates, deletions
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
