"""Verifies certificates long after they were issued: hash, seal, chain, file against table; and looks again for what they say is gone."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from pydantic import Field
from sqlalchemy import Connection

from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import DeletionState
from pipeline.jobs.certificates.issue import certificate_of_row
from pipeline.jobs.certificates.model import (
    Certificate,
    body_hash,
    certificate_files,
    certificates_folder,
    evidence_digests,
    head_seal_of,
    same,
    seal_of,
)
from pipeline.jobs.certificates.probes.model import Check, Subject
from pipeline.jobs.certificates.verify import verify_again
from pipeline.jobs.summaries import Summary
from pipeline.observability import log_event
from pipeline.storage import certificates, deletions
from pipeline.storage.certificates import NO_PREVIOUS, CertificateRow, LastVerification
from pipeline.wiring import Services, utc_now


class CertificateResult(Summary):
    """What became of one certificate."""

    number: int
    deletion_id: str
    passed: bool
    problems: list[str] = Field(description="what is wrong with the certificate itself")
    probed: bool = Field(description="what it says is gone was looked for again")
    lifted: int = Field(description="documents that a person let be taken in again since: not looked for")
    checks: list[Check]


class CertificateReport(Summary):
    """What became of the chain and of the certificates that were asked for."""

    verified_at: str = Field(description="ISO 8601, UTC")
    passed: bool
    certificates: int = Field(description="in the chain")
    head: str | None = Field(
        description="number and hash of the newest: kept elsewhere, they show that nobody has replaced the chain as a whole"
    )
    problems: list[str] = Field(description="what is wrong with the chain")
    results: list[CertificateResult]


def verify_certificates(
    services: Services, number: int | None = None, *, probe: int | None = None, now: datetime | None = None
) -> CertificateReport:
    """Verify the whole chain, and look again for what certificates say is gone.

    Args:
        services: The home.
        number: Only this one is looked at besides the chain; ``None``: all.
        probe: Of all, look again for the newest and for so many others, chosen at random; ``None``: for all.
        now: The clock, for tests.

    Raises:
        UsageError: There is no certificate of this number.
    """
    now = now or utc_now()
    with services.db.read() as tx:
        rows = certificates.listed(tx)
        problems = _chain_problems(services, tx, rows)
    wanted = [row for row in rows if number is None or row.number == number]
    if number is not None and not wanted and not any(str(number) in one for one in problems):
        raise UsageError(f"there is no certificate {number}", remedy="`clindex certificate list` shows them.")
    probed = _chosen(wanted, probe)
    results = _results(services, wanted, probed, now)
    report = CertificateReport(
        verified_at=now.isoformat(),
        passed=not problems and all(one.passed for one in results),
        certificates=len(rows),
        head=f"{rows[-1].number} {rows[-1].hash}" if rows else None,
        problems=problems,
        results=results,
    )
    if number is None:
        with services.db.begin() as tx:
            certificates.keep_verification(tx, LastVerification(now, report.passed))
    failed = sum(not one.passed for one in results)
    log_event("certificates_verified", certificates=len(rows), passed=report.passed, probed=len(probed), failed=failed)
    return report


def _chain_problems(services: Services, tx: Connection, rows: Sequence[CertificateRow]) -> list[str]:
    problems: list[str] = []
    previous, expected = NO_PREVIOUS, 1
    for row in rows:
        if row.number != expected:
            problems.append(f"certificates {expected} to {row.number - 1} are missing")
        elif not same(row.previous, previous):
            problems.append(f"certificate {row.number} does not follow the one before it")
        previous, expected = row.hash, row.number + 1
    problems += _head_problems(services, tx, rows)
    unfinished = {str(one.deletion_id) for one in deletions.of_state(tx, DeletionState.OPEN, DeletionState.ERASED)}
    known = {f"{row.number:06d}-{row.deletion_id}.json" for row in rows}
    for path in certificate_files(services.settings):
        if path.name not in known and path.stem.partition("-")[2] not in unfinished:  # a run that was killed may have left its file
            problems.append(
                f"file {path.name} has no certificate in the database (an older one was restored? `clindex init` deletes again)"
            )
    certified = {row.deletion_id for row in rows}
    lost = [one.deletion_id for one in deletions.of_state(tx, DeletionState.CERTIFIED) if one.deletion_id not in certified]
    return problems + [f"deletion {one} was certified and its certificate is gone" for one in lost]


def _head_problems(services: Services, tx: Connection, rows: Sequence[CertificateRow]) -> list[str]:
    """Compare the end of the chain with what was recorded beside it."""
    try:
        head = certificates.head(tx)
    except ValueError:
        return ["the record of the chain's head cannot be read"]
    if head is None:
        return ["the record of the chain's head is gone"] if rows else []
    if not same(head.seal, head_seal_of(services.secret, head.number, head.hash)):
        return ["the record of the chain's head was changed"]
    last = rows[-1] if rows else None
    if last is None or last.number < head.number:
        return [f"certificates {last.number + 1 if last else 1} to {head.number} are missing"]
    return (
        []
        if last.number == head.number and same(last.hash, head.hash)
        else ["the chain does not end with the certificate that was recorded"]
    )


def _chosen(rows: Sequence[CertificateRow], probe: int | None) -> set[int]:
    """Return the numbers of the certificates whose deletions are looked for again."""
    numbers = [row.number for row in rows]
    if probe is None or len(numbers) <= probe + 1:
        return set(numbers)
    return {numbers[-1], *random.SystemRandom().sample(numbers[:-1], probe)}


def _results(services: Services, rows: Sequence[CertificateRow], probed: set[int], now: datetime) -> list[CertificateResult]:
    problems = {row.number: _certificate_problems(services, row) for row in rows}
    certified = {row.number: _readable(row) for row in rows}
    subjects: dict[int, tuple[Subject, int]] = {}
    for row in rows:
        one = certified[row.number]
        if row.number in probed and one is not None:
            subjects[row.number] = _subject(services, one)
    found = (
        dict(zip(subjects, verify_again(services, [subject for subject, _ in subjects.values()], today=now), strict=True))
        if subjects
        else {}
    )
    results = []
    for row in rows:
        verification = found.get(row.number)
        results.append(
            CertificateResult(
                number=row.number,
                deletion_id=str(row.deletion_id),
                passed=not problems[row.number] and (verification is None or verification.passed),
                problems=problems[row.number],
                probed=verification is not None,
                lifted=subjects[row.number][1] if row.number in subjects else 0,
                checks=verification.checks if verification else [],
            )
        )
    return results


def _certificate_problems(services: Services, row: CertificateRow) -> list[str]:
    """Return what is wrong with a certificate: every byte of body and file is accounted for."""
    problems: list[str] = []
    if not same(row.hash, body_hash(dict(row.body))):
        problems.append("its hash is not that of its body")
    if not same(row.seal, seal_of(services.secret, row.hash)):
        problems.append("its seal is not this site's")
    one = _readable(row)
    if one is None:
        return [*problems, "its body cannot be read"]
    columns: Mapping[str, object] = {"number": row.number, "previous": row.previous, "deletion_id": str(row.deletion_id)}
    if (
        any(getattr(one.body, name) != value for name, value in columns.items())
        or datetime.fromisoformat(one.body.issued_at) != row.issued_at
    ):
        problems.append("its row says something else than its body")
    if one.body.digests != evidence_digests(one.body.evidence):
        problems.append("its digests are not those of its evidence")
    try:
        content = (certificates_folder(services.settings) / one.file_name).read_bytes()
    except OSError:
        return [*problems, "its file is not there"]
    return problems if content == one.file_bytes() else [*problems, "its file is not what was issued"]


def _readable(row: CertificateRow) -> Certificate | None:
    try:
        one = certificate_of_row(row)
        _ = UUID(one.body.deletion_id), datetime.fromisoformat(one.body.issued_at), one.body.evidence
    except ValueError:  # pydantic's own error is one
        return None
    return one


def _subject(services: Services, certificate: Certificate) -> tuple[Subject, int]:
    """Return what is looked for again, and how many documents are left out: a person let them be taken in again."""
    body = certificate.body
    names = [one.document_id for one in body.documents]
    with services.db.read() as tx:
        lifted = certificates.lifted(tx, datetime.fromisoformat(body.issued_at))
    kept = tuple(UUID(name) for name in names if name not in lifted)
    patient = None if body.patient in lifted else body.patient
    return Subject(UUID(body.deletion_id), kept, patient, body.evidence), len(names) - len(kept)
