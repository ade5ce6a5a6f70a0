"""One deletion from the request to its certificate, as the command and the DAG run it."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from pydantic import Field

from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import DeletionCause, DeletionState
from pipeline.jobs.deletion.carry_out import carry_out, prove
from pipeline.jobs.deletion.request import preview, request
from pipeline.jobs.deletion.summaries import DeletionOutcome, DeletionRequest
from pipeline.jobs.retention.expired import RetentionPreview
from pipeline.jobs.retention.expired import expired as find_expired
from pipeline.jobs.retention.expired import preview as preview_expired
from pipeline.jobs.summaries import Summary
from pipeline.wiring import Services, utc_now

_EXPIRED = "their time is over by the site's retention rules"


class DeleteSummary(Summary):
    """What was asked for, and how far it came."""

    request: DeletionRequest
    held: int = Field(0, description="documents whose time is over and that a legal hold keeps")
    retention: RetentionPreview | None = Field(None, description="with --expired: what has expired, by kind, label and rule, and its share")
    outcome: DeletionOutcome | None = Field(None, description="null where nothing was to be done, or only looked at")

    @property
    def incomplete(self) -> bool:
        """Whether something that was asked for is not proved yet."""
        return self.outcome is not None and self.outcome.state != DeletionState.CERTIFIED


def run_delete(
    services: Services,
    *,
    documents: Sequence[UUID] | None = None,
    patient: str | None = None,
    expired: bool = False,
    reason: str | None = None,
    by: str | None = None,
    on_request: bool = False,
    dry_run: bool = False,
    approve_large: bool = False,
) -> DeleteSummary:
    """Delete documents, all of a patient's, or those whose time is over; erase them and prove it.

    Raises:
        UsageError, GuardRefusedError: See ``request``. Nothing was changed.
        IncompleteRunError: The verifier met something; the deletion is open again.
    """
    held, seen = 0, None
    if expired:
        if on_request:
            raise UsageError("--expired is retention, not a person's request")
        seen, documents = _expired(services)
        held = seen.held
    cause = _cause(patient, expired=expired, on_request=on_request)
    if dry_run:
        return DeleteSummary(request=preview(services, documents=documents, patient=patient, cause=cause), held=held, retention=seen)
    asked = request(
        services,
        documents=documents,
        patient=patient,
        cause=cause,
        reason=reason or (_EXPIRED if expired else ""),
        by=by,
        approve_large=approve_large,
    )
    if asked.deletion_id is None:
        return DeleteSummary(request=asked, held=held, retention=seen)
    return DeleteSummary(request=asked, held=held, retention=seen, outcome=prove(services, carry_out(services, UUID(asked.deletion_id))))


def _cause(patient: str | None, *, expired: bool, on_request: bool) -> DeletionCause:
    if expired:
        return DeletionCause.RETENTION
    if on_request:
        return DeletionCause.REQUEST
    return DeletionCause.DOCUMENT if patient is None else DeletionCause.PATIENT


def _expired(services: Services) -> tuple[RetentionPreview, list[UUID]]:
    """Return what has expired, in counts, and those documents that no hold keeps."""
    now = utc_now()
    found = find_expired(services, now)
    return preview_expired(services, now, found), [one.document_id for one in found if not one.held]
