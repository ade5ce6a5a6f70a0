"""Issues certificates of deletion: a deletion that was erased in, a verified one with its certificate out. Each holds the hash of the one before."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from pipeline import __version__
from pipeline.domain.errors import IncompleteRunError, StoreCorruptError
from pipeline.domain.evidence import Evidence, joined
from pipeline.domain.points import PAYLOAD_VERSION
from pipeline.domain.vocabulary import DeletionState
from pipeline.jobs.certificates.model import (
    Certificate,
    CertificateBody,
    CertificateCounts,
    CertifiedDocument,
    evidence_digests,
    head_seal_of,
    write_file,
)
from pipeline.jobs.certificates.verify import Verification, verify
from pipeline.jobs.deletion.probe_file import remove_probes
from pipeline.observability import log_event
from pipeline.storage import certificates, deletions
from pipeline.storage.certificates import NO_PREVIOUS, CertificateRow
from pipeline.storage.deletions import DeletedDocument, Deletion
from pipeline.storage.migrations import current_revision
from pipeline.wiring import Services, utc_now


def certify(services: Services, deletion_id: UUID) -> Certificate:
    """Verify a deletion that was erased and issue its certificate. One that has one already keeps it.

    Raises:
        IncompleteRunError: The verifier met something: the deletion is open again, so that the next run erases what is left.
        UsageError: There is no such deletion.
    """
    known = _certified(services, deletion_id)
    if known is not None:
        remove_probes(services, deletion_id)  # of a run that was killed between certificate and removal
        return known
    found = verify(services, deletion_id)
    if not found.passed:
        with services.db.begin() as tx:
            deletions.set_state(tx, deletion_id, DeletionState.OPEN)
        raise _not_gone(found)
    certificate = issue(services, deletion_id, found)
    remove_probes(services, deletion_id)
    return certificate


def issue(services: Services, deletion_id: UUID, verification: Verification) -> Certificate:
    """Issue the certificate of a verified deletion; its file is written first, and the deletion is certified with the certificate's commit.

    Raises:
        IncompleteRunError: The verification failed, is another deletion's, or the deletion is not erased.
        StoreCorruptError: The chain's head is gone, so that it cannot be gone on with.
    """
    if not verification.passed:
        raise _not_gone(verification)
    now, schema = utc_now(), current_revision(services.db) or ""
    with services.db.begin() as tx:
        known = certificates.of_deletion(tx, deletion_id)
        deletion = deletions.get(tx, deletion_id)
        if known is not None and deletion is not None and deletion.state is DeletionState.CERTIFIED:
            return certificate_of_row(known)
        if deletion is None or deletion.state is DeletionState.OPEN or verification.deletion_id != str(deletion_id):
            raise IncompleteRunError(
                f"deletion {deletion_id} is not erased", remedy="`clindex index` or the DAG retention goes on with it."
            )
        if known is not None:  # its certificate was recalled: it keeps its place in the chain
            deletions.set_state(tx, deletion_id, DeletionState.CERTIFIED, now)
            return certificate_of_row(known)
        head = certificates.head(tx)
        if head is None and certificates.last(tx) is not None:
            raise StoreCorruptError("the head of the chain of certificates is gone", remedy="docs/deletion.md says how to go on.")
        number, previous = (head.number + 1, head.hash) if head else (1, NO_PREVIOUS)
        rows = list(deletions.documents_of(tx, deletion_id))
        body = _body(deletion, rows, verification, number=number, previous=previous, now=now, schema=schema)
        certificate = Certificate.of(body, services.secret)
        write_file(services.settings, certificate)
        row = CertificateRow(number, deletion_id, body.model_dump(mode="json"), previous, certificate.hash, certificate.seal, now)
        certificates.add(tx, row, head_seal=head_seal_of(services.secret, number, certificate.hash))
        deletions.set_state(tx, deletion_id, DeletionState.CERTIFIED, now)
    log_event("deletion_certified", deletion_id=str(deletion_id), number=number, documents=len(rows), points=body.counts.points)
    return certificate


def _certified(services: Services, deletion_id: UUID) -> Certificate | None:
    """Return the certificate of a deletion that needs no other proof: one that was recalled is proved again."""
    with services.db.read() as tx:
        row, deletion = certificates.of_deletion(tx, deletion_id), deletions.get(tx, deletion_id)
    proved = row is not None and deletion is not None and deletion.state is DeletionState.CERTIFIED
    return certificate_of_row(row) if row is not None and proved else None


def certificate_of_row(row: CertificateRow) -> Certificate:
    """Return a stored certificate.

    Raises:
        pydantic.ValidationError: Its body is none any more. Holds no value.
    """
    return Certificate(body=CertificateBody.model_validate(row.body), hash=row.hash, seal=row.seal)


def _body(
    deletion: Deletion, rows: list[DeletedDocument], verification: Verification, *, number: int, previous: str, now: datetime, schema: str
) -> CertificateBody:
    evidence = joined(row.evidence or Evidence({}) for row in rows)
    values = evidence.to_json()
    return CertificateBody(
        number=number,
        previous=previous,
        issued_at=now.astimezone(UTC).isoformat(),
        deletion_id=str(deletion.deletion_id),
        cause=deletion.cause.value,
        requested_by=deletion.requested_by,
        requested_at=deletion.requested_at.astimezone(UTC).isoformat(),
        patient=deletion.patient,
        documents=[CertifiedDocument(document_id=str(row.document_id), source=row.source, kind=row.kind) for row in rows],
        counts=CertificateCounts(
            documents=len(rows),
            points=sum(len(ids) for by_generation in evidence.points.values() for ids in by_generation.values()),
            landed=len(evidence.landed),
            texts=len(evidence.texts),
            readings=len(evidence.readings),
            rows=values["rows"],
        ),
        points=values["points"],
        landed=values["landed"],
        texts=values["texts"],
        readings=values["readings"],
        digests=evidence_digests(evidence),
        verified_at=verification.verified_at,
        collections=verification.collections,
        checks=verification.checks,
        versions={"clindex": __version__, "schema": schema, "payload": PAYLOAD_VERSION},
    )


def _not_gone(found: Verification) -> IncompleteRunError:
    met = {check.probe.value: check.hits for check in found.failed}
    return IncompleteRunError(
        f"deletion {found.deletion_id} is not complete: the verifier met {met}",
        remedy="The next `clindex index`, `clindex nightly` or run of the DAG retention goes on with it; it is unsearchable already.",
    )
