"""Decisions as files under version control: one small JSON file a decision, called by its id. No text of a document, no name of a patient."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from pydantic import Field

from pipeline.domain.errors import UsageError
from pipeline.domain.review import About, Action, Decision, FindingKind, Fix, Reason, RuleSet
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.jobs.guards import refuse_large_deletion
from pipeline.jobs.review.decide import APPLIED, checked_decision, keep
from pipeline.jobs.review.obey import obey
from pipeline.jobs.summaries import Summary
from pipeline.storage import documents, review
from pipeline.wiring import Services

_NAME: Final = re.compile(r"[0-9a-f]{32}\.json\Z", re.ASCII)
_LARGEST_BYTES: Final = 16_384  # ours have some 700; what is cut is no JSON
_HEX: Final = r"^[0-9a-f]{32}$"
_SUBJECT: Final = r"^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$"


class FixFile(Summary):
    """What is said of a document in place of what was found."""

    kind: DocumentKind | None = None
    title: str | None = Field(None, description="of a public document or a trial only", repr=False)
    from_section: Section | None = None
    section: Section | None = None
    rule: RuleSet | None = None


class DecisionFile(Summary):
    """One decision, as its file has it."""

    version: Literal[1] = 1
    decision_id: str = Field(pattern=_HEX, description="also the file's name; follows from all but who and when")
    kind: FindingKind
    subject: str = Field(pattern=_SUBJECT, description="a document's id, or a FHIR resource's key")
    rule: str = Field(max_length=64)
    locus: str = Field(max_length=255)
    basis: str | None = Field(None, pattern=_HEX, description="hash of what was looked at")
    action: Action
    fix: FixFile | None = None
    reason: Reason
    note: str = Field("", description="names nobody: the scrubber reads it when it is written and when it is applied", repr=False)
    decided_by: str = Field(max_length=255)
    decided_at: datetime

    @classmethod
    def of(cls, decision: Decision) -> DecisionFile:
        """Return what a decision's file holds."""
        about = decision.about
        return cls(
            decision_id=decision.decision_id,
            kind=about.kind,
            subject=about.subject,
            rule=about.rule,
            locus=about.locus,
            basis=about.basis,
            action=decision.action,
            fix=FixFile.model_validate(decision.fix.said()) if decision.fix else None,
            reason=decision.reason,
            note=decision.note,
            decided_by=decision.decided_by,
            decided_at=decision.decided_at.astimezone(UTC),
        )

    def decision(self) -> Decision:
        """Return the decision, its words unread."""
        fix = None if self.fix is None else Fix(**dict(self.fix))
        about = About(self.kind, self.subject, self.rule, self.locus, self.basis)
        return Decision(about, self.action, fix, self.reason, self.note, self.decided_by, self.decided_at)


class ExportSummary(Summary):
    """What was written."""

    decisions: int
    written: int = Field(description="files that are new or were changed")
    removed: int = Field(description="files of decisions that do not hold any more")


class ApplySummary(Summary):
    """What was taken over."""

    decisions: int = Field(description="files that were read")
    new: int = Field(description="decisions that did not hold here")
    unknown: int = Field(description="of these, about a document that truth does not know (yet): they wait for it")
    waiting: int = Field(description="decisions that could not be carried out now: a legal hold, or a record that cannot be read")


def export(services: Services, folder: Path) -> ExportSummary:
    """Write every decision that holds into a folder, and remove the files of those that do not. Other files are left alone.

    Raises:
        UsageError: The folder cannot be written.
    """
    with services.db.read() as tx:
        wanted = {f"{one.decision.decision_id}.json": text_of(one.decision) for one in review.listed(tx, active_only=True)}
    written = removed = 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            if _NAME.match(path.name) and path.name not in wanted:
                path.unlink()
                removed += 1
        for name, text in wanted.items():
            path = folder / name
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                written += 1
    except OSError as error:
        raise UsageError(f"decisions cannot be written there ({type(error).__name__})", remedy="Name a folder that you own.") from None
    return ExportSummary(decisions=len(wanted), written=written, removed=removed)


def text_of(decision: Decision) -> str:
    """Return a decision as its file has it, keys in a fixed order."""
    return DecisionFile.of(decision).model_dump_json(indent=2, exclude_none=True) + "\n"


def apply(services: Services, folder: Path) -> ApplySummary:
    """Take over every decision of a folder, all or none. Decisions that have no file there stay as they are.

    Raises:
        UsageError: A file is no decision, or was changed so that its name does not follow from it any more.
        GuardRefusedError: A note or a title may identify somebody, or too many documents would leave the index at once.
    """
    decisions = [checked_decision(services, one) for one in _read(folder)]
    with services.db.read() as tx:
        new = [one for one in decisions if not ((kept := review.get(tx, one.decision_id)) and kept.active)]
        known = {key for one in new if (key := _document(one)) and documents.exists(tx, key)}
        going = sum(one.action is Action.SUPPRESS and _document(one) in known for one in new)
        refuse_large_deletion(services.settings, going, documents.live_count(tx), what="documents would be suppressed")
    for one in new:
        keep(services, one, endpoint=APPLIED)
    unknown = sum(one.about.kind is not FindingKind.RESOURCE and _document(one) not in known for one in new)
    return ApplySummary(decisions=len(decisions), new=len(new), unknown=unknown, waiting=obey(services))


def _read(folder: Path) -> Iterator[Decision]:
    """Yield the decisions of a folder, the oldest first, so that a later one takes an earlier one's place as it did."""
    if not folder.is_dir():
        raise UsageError("there is no such folder of decisions", remedy="`clindex decisions export DIR` writes one.")
    found: list[Decision] = []
    for path in sorted(path for path in folder.iterdir() if _NAME.match(path.name)):
        try:
            one = DecisionFile.model_validate_json(path.read_bytes()[:_LARGEST_BYTES]).decision()
        except (OSError, ValueError) as error:
            raise UsageError(f"{path.name} is no decision ({type(error).__name__})", remedy="Restore it from version control.") from None
        if f"{one.decision_id}.json" != path.name:
            raise UsageError(f"{path.name} was changed: its name does not follow from what it says", remedy="Decide anew, then export.")
        found.append(one)
    yield from sorted(found, key=lambda one: (one.decided_at, one.decision_id))


def _document(decision: Decision) -> UUID | None:
    return None if decision.about.kind is FindingKind.RESOURCE else UUID(decision.about.subject)
