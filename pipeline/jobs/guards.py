"""Guards: refuse what would destroy much, unless a person has decided it. Pure functions of evidence; each refusal says its reason.

A guard is asked when a plan is written and once more before it is carried out. Some refusals a person may overrule by approving the plan;
others only time or another command can lift. Two refusals stand elsewhere because no approval is for them either: a plan that was edited, and
a world that moved since (``pipeline.jobs.plans``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from pipeline.domain.errors import GuardRefusedError
from pipeline.settings import Settings


class Guard(StrEnum):
    """Which guard refused."""

    SHARE = "share_of_index"
    TRUNCATED_LISTING = "truncated_listing"
    SOURCE_WENT_BACK = "source_went_back"
    ONE_CAUSE = "one_cause"
    TRUTH_EMPTY = "truth_empty"
    TRUTH_RESTORED = "truth_restored"
    RUNNING_JOB = "running_job"
    PROMOTION = "promotion"


#: No approval lifts these: the plan would be carried out on what is being changed at that moment.
NEVER_APPROVED: Final = frozenset({Guard.RUNNING_JOB, Guard.PROMOTION})

# Of the points to delete, at least so many must have twins under other ids before one cause is suspected. Criteria that many studies share word
# by word ("Pregnant or lactating") make up a few per cent of a registry's texts; a changed scheme of ids makes it all of them.
ONE_CAUSE_SHARE: Final = 0.5
# Clindex never forgets that a document was there. Points of documents that truth never knew come from a truth that was made anew or restored, or
# from a foreign writer. A handful of documents is no pattern (a moved file, another program's test); a twentieth of all is one.
PATTERN_SHARE: Final = 0.05
PATTERN_DOCUMENTS: Final = 10


@dataclass(frozen=True, slots=True)
class Evidence:
    """What guards judge by: counts, names of sources and times.

    Attributes:
        delete_points: Points that the plan deletes.
        points: Points of the index.
        delete_by_source: The same by source, of documents that truth knows.
        points_by_source: Points of the index, of those sources.
        live_documents: Documents that truth knows and that are not deleted.
        unknown_documents: Documents that own points to be deleted and that truth never knew.
        newer_documents: Documents with points of a generation that truth never gave out (of the sample that was looked at).
        looked_at: Points to be deleted whose payloads were looked at (all of them, or a sample).
        twins: Those of them whose text, record or file stands in truth under the id of another document that is alive.
        twin_documents: Documents that own those.
        incomplete: Sources whose last listing was incomplete.
        went_back: Sources whose last listing is older than one before, with both times.
        running: Kinds of jobs that run now, as they call themselves, with their beginnings.
        live_collection: Name of the live collection by truth.
        pointed: Name of the collection that the store's alias names, ``None`` where there is no alias.
    """

    delete_points: int = 0
    points: int = 0
    delete_by_source: Mapping[str, int] = field(default_factory=dict)
    points_by_source: Mapping[str, int] = field(default_factory=dict)
    live_documents: int = 0
    unknown_documents: int = 0
    newer_documents: int = 0
    looked_at: int = 0
    twins: int = 0
    twin_documents: int = 0
    incomplete: tuple[str, ...] = ()
    went_back: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    running: tuple[tuple[str, datetime], ...] = ()
    live_collection: str | None = None
    pointed: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """That a guard refuses, and why: numbers, names of sources and jobs, no text."""

    guard: Guard
    reason: str

    @property
    def approvable(self) -> bool:
        """Whether a person may overrule it."""
        return self.guard not in NEVER_APPROVED


def share_of_index(settings: Settings, seen: Evidence) -> str | None:
    """Refuse to delete a larger share of the index, or of one source's points, than the settings allow."""
    limit = f"more than max_delete_share = {settings.max_delete_share:.0%}"
    if _too_large(settings, seen.delete_points, seen.points):
        return f"it deletes points of the index: {seen.delete_points} of {seen.points} ({seen.delete_points / seen.points:.0%}), {limit}"
    for source, deleted in sorted(seen.delete_by_source.items()):
        if _too_large(settings, deleted, total := seen.points_by_source.get(source, 0)):
            return f"it deletes points of {source}: {deleted} of {total} ({deleted / total:.0%}), {limit}"
    return None


def truncated_listing(_: Settings, seen: Evidence) -> str | None:
    """Refuse to delete documents of a source whose last listing was cut short."""
    hit = {source: seen.delete_by_source[source] for source in seen.incomplete if seen.delete_by_source.get(source)}
    if not hit:
        return None
    parts = ", ".join(f"{count} points of {source}" for source, count in sorted(hit.items()))
    return f"it deletes {parts}, and the last listing was incomplete: what it did not name may still be there"


def source_went_back(_: Settings, seen: Evidence) -> str | None:
    """Refuse to delete documents of a source that showed older data than before."""
    hit = {source: times for source, times in seen.went_back.items() if seen.delete_by_source.get(source)}
    if not hit:
        return None
    parts = ", ".join(f"{source} (data of {older} after {newer})" for source, (newer, older) in sorted(hit.items()))
    return f"it deletes documents of a source that went back in time: {parts}"


def one_cause(_: Settings, seen: Evidence) -> str | None:
    """Refuse deletions that are one change of ids: what is to go stands in truth under other ids."""
    if not _is_pattern(seen.twin_documents, seen) or seen.twins < ONE_CAUSE_SHARE * seen.looked_at:
        return None
    return (
        f"of {seen.looked_at} points to be deleted that were looked at, {seen.twins} of {seen.twin_documents} documents stand in the database "
        "under other ids: the scheme of ids, the site secret or a folder's place has changed"
    )


def _is_pattern(affected: int, seen: Evidence) -> bool:
    return affected >= max(PATTERN_DOCUMENTS, PATTERN_SHARE * seen.live_documents)


def truth_empty(_: Settings, seen: Evidence) -> str | None:
    """Refuse to empty the index after an empty database."""
    if seen.live_documents or not seen.delete_points:
        return None
    return f"the database knows no document, and the index holds {seen.points} points: the database was emptied or is another one"


def truth_restored(_: Settings, seen: Evidence) -> str | None:
    """Refuse to throw away what is newer than the database, or what it never knew in numbers."""
    if seen.newer_documents:
        return (
            f"{seen.newer_documents} documents have points of a generation that the database never gave out: "
            "it was restored from an older copy, and the index is newer"
        )
    if _is_pattern(seen.unknown_documents, seen):
        return (
            f"the database never knew {seen.unknown_documents} of the documents (it knows {seen.live_documents}): "
            "it was made anew or restored, or another program writes into this collection"
        )
    return None


def running_job(_: Settings, seen: Evidence) -> str | None:
    """Refuse while a job writes: what the plan was made for changes at this moment."""
    if not seen.running:
        return None
    jobs = ", ".join(f"{kind} since {since.isoformat(timespec='seconds')}" for kind, since in seen.running)
    return f"a job is running: {jobs}; wait until it has ended"


def promotion(_: Settings, seen: Evidence) -> str | None:
    """Refuse between the two steps of a promotion: the database names another live collection than the store's alias."""
    if seen.pointed is None or seen.live_collection is None or seen.pointed == seen.live_collection:
        return None
    return f"a promotion is under way: {seen.live_collection} is live, and the store's alias still names {seen.pointed}; finish it first"


GUARDS: Final[Mapping[Guard, Callable[[Settings, Evidence], str | None]]] = {
    Guard.SHARE: share_of_index,
    Guard.TRUNCATED_LISTING: truncated_listing,
    Guard.SOURCE_WENT_BACK: source_went_back,
    Guard.ONE_CAUSE: one_cause,
    Guard.TRUTH_EMPTY: truth_empty,
    Guard.TRUTH_RESTORED: truth_restored,
    Guard.RUNNING_JOB: running_job,
    Guard.PROMOTION: promotion,
}


def refusals(settings: Settings, seen: Evidence) -> list[Refusal]:
    """Ask every guard; return those that refuse, in the order in which they stand in ``GUARDS``."""
    asked = ((guard, ask(settings, seen)) for guard, ask in GUARDS.items())
    return [Refusal(guard, reason) for guard, reason in asked if reason is not None]


def refuse_large_deletion(settings: Settings, deletions: int, total: int, *, what: str) -> None:
    """Refuse to delete a larger share than the settings allow.

    Raises:
        GuardRefusedError: ``deletions`` of ``total`` is more than ``max_delete_share``. Nothing was deleted.
    """
    if _too_large(settings, deletions, total):
        share = deletions / total
        raise GuardRefusedError(
            f"refused: {what}: {deletions} of {total} ({share:.0%}) is more than max_delete_share = {settings.max_delete_share:.0%}",
            remedy="Look at why. If it is right, approve the plan, or raise CLINDEX_MAX_DELETE_SHARE for one run.",
        )


def _too_large(settings: Settings, deletions: int, total: int) -> bool:
    return deletions > 0 and total >= max(1, settings.min_documents_for_share) and deletions > settings.max_delete_share * total
