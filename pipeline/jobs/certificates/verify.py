"""Proves that nothing of a deletion is left, by a way of its own: it asks the stores themselves and believes nothing that the deletion did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from pydantic import Field

from pipeline.domain.errors import UsageError
from pipeline.domain.evidence import Evidence, joined
from pipeline.jobs.certificates.probes.files import probe_kept_vectors, probe_undo_files
from pipeline.jobs.certificates.probes.model import Check, Findings, Probe, Subject
from pipeline.jobs.certificates.probes.points import probe_points, probe_vectors
from pipeline.jobs.certificates.probes.stores import look_into_stores, probe_stores
from pipeline.jobs.certificates.probes.truth import probe_truth
from pipeline.jobs.deletion.probe_file import read_probes
from pipeline.jobs.summaries import Summary
from pipeline.observability import log_event
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.storage import deletions
from pipeline.wiring import Services, utc_now

_SEARCHED: Final = 100  # hits of one search: with one hit a document, a hundred documents of the kind


class Verification(Summary):
    """What the verifier found of one deletion."""

    deletion_id: str
    verified_at: str = Field(description="ISO 8601, UTC")
    passed: bool = Field(description="no probe met anything")
    collections: list[str] = Field(description="names of the collections that were opened")
    checks: list[Check]

    @property
    def failed(self) -> list[Check]:
        """The probes that met something."""
        return [check for check in self.checks if check.verdict == "failed"]


def verify(services: Services, deletion_id: UUID, *, today: datetime | None = None) -> Verification:
    """Look for everything that a deletion must have removed, with its vectors and by search too.

    Raises:
        UsageError: There is no such deletion.
    """
    now = today or utc_now()
    subject, kinds = _subject(services, deletion_id)
    findings = Findings()
    probe_vectors(services, subject, findings, read_probes(services, deletion_id))
    _probe_search(services, subject, kinds, findings, now.astimezone(UTC))
    result = _result(subject, findings, _probe_all(services, [(subject, findings)]), now)
    log_event("deletion_verified", deletion_id=str(deletion_id), passed=result.passed, failed=len(result.failed))
    return result


def verify_again(services: Services, subjects: Sequence[Subject], *, today: datetime | None = None) -> list[Verification]:
    """Look for what certificates say was removed, long after: all that does not need the deleted vectors. One result a subject, in order."""
    now = today or utc_now()
    looked_for = [(subject, Findings()) for subject in subjects]
    names = _probe_all(services, looked_for)
    for subject, findings in looked_for:
        probe_kept_vectors(services, subject, findings)
    return [_result(subject, findings, names, now) for subject, findings in looked_for]


def _probe_all(services: Services, looked_for: list[tuple[Subject, Findings]]) -> list[str]:
    names = probe_points(services, looked_for)
    kept = look_into_stores(services, [subject for subject, _ in looked_for])
    for subject, findings in looked_for:
        probe_truth(services, subject, findings)
        probe_stores(subject, kept, findings)
    probe_undo_files(services, looked_for)
    return names


def _subject(services: Services, deletion_id: UUID) -> tuple[Subject, list[str]]:
    """Return what is looked for, and the kinds of the documents."""
    with services.db.read() as tx:
        deletion = deletions.get(tx, deletion_id)
        rows = list(deletions.documents_of(tx, deletion_id))
    if deletion is None:
        raise UsageError(f"there is no deletion {deletion_id}", remedy="`clindex certificate list` shows those that were certified.")
    evidence = joined(row.evidence or Evidence({}) for row in rows)
    subject = Subject(deletion_id, tuple(row.document_id for row in rows), deletion.patient, evidence)
    return subject, sorted({row.kind for row in rows})


def _probe_search(services: Services, subject: Subject, kinds: Sequence[str], findings: Findings, now: datetime) -> None:
    """Search as users do, for the patient and for each kind in its own words."""
    requests = [SearchRequest(query=kind.replace("_", " "), kinds=(kind,), limit=_SEARCHED) for kind in kinds]
    if subject.patient:
        requests.append(SearchRequest(query="patient", patients=(subject.patient,), limit=_SEARCHED))
    gone = {str(one) for one in subject.documents}
    findings.add(Probe.SEARCH, 0)
    for request in requests:
        hits = search(services, request, today=now.date()).hits
        findings.add(Probe.SEARCH, 1, (f"search/{hit.document_id}" for hit in hits if hit.document_id in gone or request.patients))


def _result(subject: Subject, findings: Findings, names: list[str], now: datetime) -> Verification:
    checks = findings.checks()
    return Verification(
        deletion_id=str(subject.deletion_id),
        verified_at=now.isoformat(),
        passed=all(check.verdict != "failed" for check in checks),
        collections=names,
        checks=checks,
    )
