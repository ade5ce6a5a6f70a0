"""One command's worth of a candidate: preview, build, catch up, judge, and promote where that is asked for."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from pipeline.domain.errors import UsageError
from pipeline.jobs.pointer import ensure_pointer
from pipeline.jobs.reindex.build import behind, fill, open_candidate, require_candidate
from pipeline.jobs.reindex.gate import judge
from pipeline.jobs.reindex.preview import preview, require_room
from pipeline.jobs.reindex.promote import promote
from pipeline.jobs.reindex.retire import finish
from pipeline.jobs.reindex.summaries import CandidateSummary, SwitchSummary, Verdict
from pipeline.storage.collections import CollectionRecord
from pipeline.wiring import Services, utc_now

# A verdict is believed this long: a person approves in working hours what was judged at night. What is indexed later is read back as written.
VERDICT_HOLDS: Final = timedelta(hours=24)


def run_candidate(services: Services, *, reason: str, dry_run: bool = False, go_live: bool = False) -> CandidateSummary:
    """Build a candidate for the present settings beside the live collection, or go on with the one that is being built.

    Args:
        services: The home.
        reason: Why; kept with the collection.
        dry_run: Only the preview.
        go_live: Promote it where the gate lets it pass.

    Raises:
        UsageError: The reason is empty.
        GuardRefusedError: The disk has too little room, or another candidate is being built.
    """
    if not reason.strip():
        raise UsageError("a reason is needed", remedy="It is kept with the collection: --reason 'new chunker'.")
    finish_switches(services)
    foreseen = preview(services)
    if dry_run:
        return CandidateSummary(reason=reason, dry_run=True, preview=foreseen)
    require_room(foreseen)
    record = open_candidate(services, reason=reason)
    built = fill(services, record, reason=reason)
    if behind(services, record):  # what changed while it was filled
        built += fill(services, record)
    verdict = judge(services, record)
    promoted = promote(services, record, verdict=verdict) if go_live and verdict.passed else None
    return CandidateSummary(reason=reason, dry_run=False, preview=foreseen, index=built, verdict=verdict, promoted=promoted)


def run_promotion(services: Services) -> SwitchSummary:
    """Promote the candidate: by the verdict that is kept with it if that is young and good, else it is judged now.

    Raises:
        UsageError: There is none.
        GuardRefusedError: See ``promote``.
    """
    finish_switches(services)
    record = require_candidate(services)
    return promote(services, record, verdict=kept_verdict(record, utc_now()))


def kept_verdict(record: CollectionRecord, now: datetime) -> Verdict | None:
    """Return the verdict that was kept with a collection, if it passed and is young enough to be believed."""
    if record.verdict is None:
        return None
    verdict = Verdict.model_validate(dict(record.verdict))
    young = timedelta(0) <= now - datetime.fromisoformat(verdict.judged_at) <= VERDICT_HOLDS
    return verdict if verdict.passed and young else None


def finish_switches(services: Services) -> None:
    """Finish what a killed promotion or retirement left: the pointer, and points of collections that are no more."""
    ensure_pointer(services)
    finish(services)
