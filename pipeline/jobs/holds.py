"""Legal holds: placed and released by a person with a reason; every deletion asks for them in its own transaction."""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from pydantic import Field

from pipeline.domain.errors import UsageError
from pipeline.jobs.acting import acting_user
from pipeline.jobs.summaries import Summary
from pipeline.observability import log_event
from pipeline.storage import holds
from pipeline.storage.holds import Hold
from pipeline.wiring import Services, utc_now

# Pseudonyms and ids without hyphens look alike: only the hyphens tell which is meant.
_PATIENT: Final = re.compile(r"[0-9a-f]{32}\Z")
_HYPHENATED: Final = 36


class HoldEntry(Summary):
    """One hold, active or released."""

    hold_id: str
    subject: str = Field(description="a document's id, or a patient's pseudonym (32 hex digits)")
    active: bool
    reason: str
    placed_by: str
    placed_at: str = Field(description="ISO 8601")
    released_by: str | None = None
    released_reason: str | None = None
    released_at: str | None = Field(None, description="ISO 8601")


class HoldList(Summary):
    """Every hold there ever was, the active ones first."""

    active: int
    holds: list[HoldEntry]


class PlacedHold(Summary):
    """A hold that was placed."""

    hold: HoldEntry
    known: bool = Field(description="truth knows a document that it protects now; a hold may also wait for one that is still to come")


def subject_of(value: str) -> str:
    """Return a hold's subject as it is stored: a document's id with hyphens, or a pseudonym of 32 hex digits.

    Raises:
        UsageError: It is neither.
    """
    plain = value.strip().lower()
    if _PATIENT.match(plain):
        return plain
    try:
        if len(plain) == _HYPHENATED:
            return str(UUID(plain))
    except ValueError:
        pass
    raise UsageError(
        "a hold names a document by its id (with hyphens) or a patient by the pseudonym (32 hex digits)",
        remedy="`clindex search --json` shows both; a patient's number itself is never used here.",
    )


def place_hold(services: Services, subject: str, *, reason: str, by: str | None = None) -> PlacedHold:
    """Forbid the deletion of a document, or of all documents of a patient, those to come included.

    Args:
        services: The home.
        subject: A document's id or a patient's pseudonym.
        reason: Why, in a person's words; kept for ever. It must name nobody.
        by: Who; ``None``: the operating system's user.

    Raises:
        UsageError: The subject is none, or the reason is empty.
    """
    _require(reason, "a hold")
    key = subject_of(subject)
    with services.db.begin() as tx:
        known = holds.known_subject(tx, key)
        hold = holds.place(tx, key, reason=reason.strip(), by=acting_user(by), now=utc_now())
    log_event("hold_placed", hold_id=str(hold.hold_id), subject=key, known=known)
    return PlacedHold(hold=_entry(hold), known=known)


def release_hold(services: Services, hold_id: UUID, *, reason: str, by: str | None = None) -> HoldEntry:
    """Release a hold. Its row stays, with who released it and why.

    Raises:
        UsageError: There is no such active hold, or the reason is empty.
    """
    _require(reason, "a release")
    with services.db.begin() as tx:
        hold = holds.release(tx, hold_id, reason=reason.strip(), by=acting_user(by), now=utc_now())
    if hold is None:
        raise UsageError(f"no active hold {hold_id}", remedy="`clindex hold list` shows them.")
    log_event("hold_released", hold_id=str(hold_id), subject=hold.subject)
    return _entry(hold)


def list_holds(services: Services) -> HoldList:
    """Return every hold there ever was."""
    with services.db.read() as tx:
        found = holds.listed(tx)
    return HoldList(active=sum(one.active for one in found), holds=[_entry(one) for one in found])


def _require(reason: str, what: str) -> None:
    if not reason.strip():
        raise UsageError(f"{what} needs a reason", remedy="Say why with --reason; it is kept with your user name.")


def _entry(hold: Hold) -> HoldEntry:
    return HoldEntry(
        hold_id=str(hold.hold_id),
        subject=hold.subject,
        active=hold.active,
        reason=hold.reason,
        placed_by=hold.placed_by,
        placed_at=hold.placed_at.isoformat(),
        released_by=hold.released_by,
        released_reason=hold.released_reason,
        released_at=hold.released_at.isoformat() if hold.released_at else None,
    )
