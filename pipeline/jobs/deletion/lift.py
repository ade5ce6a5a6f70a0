"""Lets a document or a patient that was deleted be taken again: a person's decision, kept with its reason."""

from __future__ import annotations

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.vocabulary import DeletionState, RunKind
from pipeline.jobs.acting import acting_user
from pipeline.jobs.deletion.summaries import LiftSummary
from pipeline.observability import log_event
from pipeline.storage import deletions, runs, suppressions
from pipeline.wiring import Services, utc_now


def lift(services: Services, subject: str, *, reason: str, by: str | None = None) -> LiftSummary:
    """Let the next ingestion take a subject again. A patient's lift is of new documents: each that was deleted is lifted by itself.

    Args:
        services: The home.
        subject: A document's id, or a patient's pseudonym.
        reason: Why, in a person's words; kept for ever as a run. It must name nobody.
        by: Who; ``None``: the operating system's user.

    Raises:
        UsageError: It is not suppressed, or the reason is empty.
        GuardRefusedError: Its deletion is not certified yet: what came back now would be taken for what was left.
    """
    if not reason.strip():
        raise UsageError("lifting a suppression needs a reason", remedy="Say why with --reason; it is kept with your user name.")
    now = utc_now()
    with services.db.begin() as tx:
        suppressions.in_turn(tx, alone=True)
        found = suppressions.get(tx, subject.strip().lower())
        if found is None:
            raise UsageError("this document or patient is not suppressed", remedy="Name a document's id, or a patient's pseudonym.")
        deletion = deletions.get(tx, found.deletion_id)
        if deletion is not None and deletion.state is not DeletionState.CERTIFIED:
            raise GuardRefusedError(
                f"deletion {deletion.deletion_id} is not certified yet", remedy="Run `clindex index`, which finishes it; then lift it."
            )
        summary = LiftSummary(
            subject=(deletion.patient if deletion and found.is_patient else None) or found.subject,
            deletion_id=str(found.deletion_id),
            lifted_by=acting_user(by),
            reason=reason.strip(),
        )
        every = suppressions.patients_of(tx, found.deletion_id) if found.is_patient else {found.subject}
        for one in every:  # of a patient, every number
            suppressions.lift(tx, one)
        run_id = runs.start_run(tx, RunKind.DELETE, now)
        runs.finish_run(tx, run_id, "success", {"lifted": summary.model_dump(mode="json")}, now)
    log_event("suppression_lifted", deletion_id=summary.deletion_id, patient=found.is_patient)
    return summary
