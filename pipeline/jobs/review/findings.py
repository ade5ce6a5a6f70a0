"""Lists what a person may have to look at, without what was decided already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import Connection

from pipeline.domain.errors import UsageError
from pipeline.domain.review import Action, FindingKind
from pipeline.jobs.review.model import DecisionEntry, Finding, FindingCounts, FindingPage, entry
from pipeline.jobs.review.quality_rows import quality
from pipeline.jobs.review.readers import READERS, Found
from pipeline.settings import Settings
from pipeline.storage import review
from pipeline.storage.review import Kept
from pipeline.wiring import Services

Status = Literal["open", "decided", "all"]

PAGE: Final = 50  # rows of a page: what a person looks through at once
MOST: Final = 500  # rows that may be asked for at once
COUNTED: Final = 1000  # findings of a kind that are counted: above it the number changes nothing of what there is to do

#: The order of lists: what keeps documents back comes first.
ORDER: Final = (
    FindingKind.SUSPECTED_PHI,
    FindingKind.QUALITY,
    FindingKind.RESOURCE,
    FindingKind.UNPARSED_CRITERIA,
    FindingKind.LOW_CONFIDENCE,
    FindingKind.DUPLICATE,
    FindingKind.UNKNOWN_VALUE,
)
_NO_DOCUMENT: Final = (FindingKind.RESOURCE,)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a page begins: after this many rows of this subject."""

    kind: FindingKind
    subject: str
    rows: int

    @classmethod
    def of(cls, text: str) -> _Place:
        kind, subject, rows = text.split(":")
        if not subject.replace("-", "").isalnum() or len(subject) > 64:
            raise ValueError("no subject")
        return cls(FindingKind(kind), subject, int(rows))

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.subject}:{self.rows}"


def findings(
    services: Services,
    kind: FindingKind | None = None,
    *,
    status: Status = "open",
    subject: str | None = None,
    after: str | None = None,
    limit: int = PAGE,
) -> FindingPage:
    """Return one page of findings.

    Args:
        services: The home.
        kind: Only these; ``None``: all, what keeps documents back first.
        status: Those that are open, those that were decided, or both.
        subject: Only those of one document or resource.
        after: Where the page before ended; ``None``: from the beginning.
        limit: At most so many, 1 to 500.

    Raises:
        UsageError: ``after`` was not made by this, or ``limit`` is out of range.
    """
    if not 1 <= limit <= MOST:
        raise UsageError(f"a page has 1 to {MOST} findings", remedy="Ask for the next page with `after`.")
    place = _place(after)
    kinds = [one for one in ORDER if kind in (None, one)]
    if place is not None:
        kinds = kinds[kinds.index(place.kind) :] if place.kind in kinds else []
    found: list[Finding] = []
    last: _Place | None = None
    with services.db.read() as tx:
        for one in kinds:
            decided = review.decided(tx, one)
            for position, row in _placed(tx, services.settings, one, place if place and place.kind is one else None, subject):
                made = _finding(row, decided)
                if status != "all" and (made.decision is not None) != (status == "decided"):
                    continue
                if len(found) == limit:
                    return FindingPage(findings=found, after=str(last))
                found.append(made)
                last = position
    return FindingPage(findings=found)


def get(services: Services, finding_id: str, subject: str) -> Finding | None:
    """Return one finding as it is now, decided or not; ``None``: truth does not show it any more."""
    page = findings(services, status="all", subject=subject, limit=MOST)
    return next((one for one in page.findings if one.finding_id == finding_id), None)


def count_open(services: Services) -> FindingCounts:
    """Count what is open, kind by kind, up to a thousand of each."""
    counts: dict[FindingKind, int] = {}
    with services.db.read() as tx:
        for kind in ORDER:
            decided = review.decided(tx, kind)
            counts[kind] = 0
            for row in _read(tx, services.settings, kind, None):
                counts[kind] += _decision(row, decided) is None
                if counts[kind] == COUNTED:
                    break
    return FindingCounts(open=counts, at_most=COUNTED)


def _place(after: str | None) -> _Place | None:
    try:
        return None if after is None else _Place.of(after)
    except ValueError:
        raise UsageError("this is no place where a page ended", remedy="Take it from `after` of the page before.") from None


def _read(tx: Connection, settings: Settings, kind: FindingKind, start: str | None) -> Iterator[Found]:
    return quality(tx, settings, start) if kind is FindingKind.QUALITY else READERS[kind](tx, start)


def _placed(
    tx: Connection, settings: Settings, kind: FindingKind, after: _Place | None, subject: str | None
) -> Iterator[tuple[_Place, Found]]:
    """Yield rows with the place after each, from a place on."""
    current, rows = "", 0
    try:
        read = _read(tx, settings, kind, after.subject if after else subject)
        for row in read:
            current, rows = row.about.subject, rows + 1 if row.about.subject == current else 1
            if subject is not None and current != subject:
                return
            if after is not None and current == after.subject and rows <= after.rows:
                continue
            yield _Place(kind, current, rows), row
    except ValueError:  # a place of another kind's subject: no id of a document
        raise UsageError("this is no place where a page ended", remedy="Take it from `after` of the page before.") from None


def _finding(row: Found, decided: Mapping[str, Sequence[Kept]]) -> Finding:
    about = row.about
    return Finding(
        finding_id=about.finding_id,
        kind=about.kind,
        subject=about.subject,
        subject_kind=row.subject_kind,
        rule=about.rule,
        locus=about.locus,
        basis=about.basis,
        severity="block" if row.blocks else "warn",
        count=row.count,
        value=row.value,
        actions=[Action.ACCEPT, Action.FIX] if about.kind in _NO_DOCUMENT else list(Action),
        decision=_decision(row, decided),
    )


def _decision(row: Found, decided: Mapping[str, Sequence[Kept]]) -> DecisionEntry | None:
    """Return the decision that a row has; an acceptance of other content is none."""
    for kept in decided.get(row.about.finding_id, ()):
        if kept.decision.action is not Action.ACCEPT or kept.decision.about.basis == row.about.basis:
            return entry(kept)
    return None
