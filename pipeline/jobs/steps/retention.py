"""The tasks of the DAG ``retention``: finish, find, decide who decides, delete, verify. Plain JSON in and out; ids and counts only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pipeline.domain.errors import GuardRefusedError, IncompleteRunError
from pipeline.domain.identifiers import fingerprint
from pipeline.domain.vocabulary import DeletionCause
from pipeline.jobs import deletion
from pipeline.jobs.certificates.check import verify_certificates
from pipeline.jobs.guards import refuse_large_deletion
from pipeline.jobs.reindex.retire import retire
from pipeline.jobs.retention.expired import Expired, RetentionPreview, expired, preview
from pipeline.jobs.steps.task import Json, name_in, reason_in, task_home
from pipeline.wiring import Services, utc_now

# Of all certificates the chain is checked; what they say is gone is looked for again for so many at random, besides the newest: each week
# others. `clindex certificate verify` looks for all.
PROBED: Final = 20
_WHAT: Final = "documents whose time is over"
_ANSWERS: Final = (
    "**Approve**: they are deleted from every store, for good, with a certificate. **Reject**, or no answer: nothing is deleted, and the next "
    "run asks again. What must stay gets a hold (`clindex hold place`) or a longer time in the rules."
)


def find() -> Json:
    """Finish deletions that were killed half-way, then find what has expired. ``question`` says what a person would be asked."""
    with task_home() as services:
        finished = deletion.finish_open(services)
        now = utc_now()
        retired = retire(services, now)  # previous collections whose grace is over
        found = expired(services, now)
        seen = preview(services, now, found)
        refused = _refusal(services, seen)
    return {
        "finished": [one.model_dump(mode="json") for one in finished],
        "retired_collections": [one.name for one in retired.retired],
        "preview": seen.model_dump(mode="json"),
        "refused": refused,
        "fingerprint": _fingerprint(found),
        "question": _question(seen, refused),
    }


def next_task(found: Json, *, dry_run: bool, ask: bool) -> str:
    """Return what follows: ``verify`` (nothing is to be deleted), ``delete``, or ``ask``, where the guard refuses so large a share."""
    if dry_run or not found["preview"]["documents"]:
        return "verify"
    return "ask" if ask and found["refused"] else "delete"


def delete(found: Json, answer: Mapping[str, Any] | None) -> Json:
    """Delete what has expired, verify and certify it.

    Args:
        found: What ``find`` returned.
        answer: What Airflow says of the person's answer; ``None``: nobody was asked, and the guard has the last word.

    Raises:
        GuardRefusedError: The share is too large and nobody approved it, or other documents have expired or are held since the person was asked.
    """
    with task_home() as services:
        going = expired(services, utc_now())
        if answer is not None and _fingerprint(going) != found["fingerprint"]:
            raise GuardRefusedError("other documents have expired, or are held, since a person was asked", remedy="Run this DAG again.")
        ids = [one.document_id for one in going if not one.held]
        if not ids:
            return {"requested": None, "outcomes": []}
        requested = deletion.request(
            services,
            documents=ids,
            cause=DeletionCause.RETENTION,
            reason=(reason_in(answer) if answer else "") or "retention",
            by=None if answer is None else name_in(answer),
            approve_large=answer is not None,
        )
        outcomes = deletion.finish_open(services)
    return {"requested": requested.model_dump(mode="json"), "outcomes": [one.model_dump(mode="json") for one in outcomes]}


def verify(*, probe: int = PROBED) -> Json:
    """Check the chain of certificates, and look again for what some of them say is gone. Only failures are named."""
    with task_home() as services:
        report = verify_certificates(services, probe=probe)
    failed = [one.model_dump(mode="json") for one in report.results if not one.passed]
    return {**report.model_dump(mode="json", exclude={"results"}), "failed": failed, "probed": sum(one.probed for one in report.results)}


def judge(found: Json, deleted: Json | None, verified: Json) -> None:
    """Make a run red that left a deletion without a certificate, or whose verification met something.

    Raises:
        IncompleteRunError: One of these.
    """
    last = {one["deletion_id"]: one for one in [*found["finished"], *(deleted["outcomes"] if deleted else [])]}
    waiting = [one for one in last.values() if one["state"] != "certified"]
    if waiting or not verified["passed"]:
        held = sum(one["held"] for one in waiting)
        raise IncompleteRunError(
            f"{len(waiting)} deletions have no certificate ({held} of their documents are on hold); "
            f"certificates that fail: {[one['number'] for one in verified['failed']]}; chain: {verified['problems'] or 'holds'}",
            remedy="`clindex certificate verify` says what was met where; a deletion that is open is gone on with by every index run.",
        )


def _refusal(services: Services, seen: RetentionPreview) -> str | None:
    """Return the guard's words where it refuses this share."""
    try:
        refuse_large_deletion(services.settings, seen.documents, seen.live_documents, what=_WHAT)
    except GuardRefusedError as error:
        return error.message
    return None


def _question(seen: RetentionPreview, refused: str | None) -> Json:
    counts = [
        f"- {one.kind} ({one.access or 'no label'}), kept {one.keep_years} years: {one.documents:,} to be deleted, {one.held:,} on hold"
        for one in seen.counts
    ]
    reasons = [f"- {one}" for one in dict.fromkeys(one.reason for one in seen.counts)]
    share = f"{seen.share:.0%}"
    return {
        "subject": f"Delete {seen.documents:,} of {seen.live_documents:,} documents ({share}) for good: their time is over?",
        "body": "\n".join(
            [refused or "No guard refuses.", "", *counts, "", "Why they are kept so long and no longer:", "", *reasons, "", _ANSWERS]
        ),
    }


def _fingerprint(found: Sequence[Expired]) -> str:
    return fingerprint([str(one.document_id) for one in found if not one.held])
