"""Findings and decisions as JSON: ids, counts, dates and values of vocabularies, never text of a document."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from pipeline.domain.review import Action, FindingKind, Reason
from pipeline.jobs.summaries import Summary
from pipeline.storage.review import Kept


class DecisionEntry(Summary):
    """One decision."""

    decision_id: str = Field(description="32 hex digits: the same for the same decision, in every home")
    finding_id: str
    kind: FindingKind
    subject: str = Field(description="a document's id, or a FHIR resource's key")
    rule: str
    locus: str
    basis: str | None = Field(description="hash of what was looked at; null: it holds whatever the content is")
    action: Action
    fix: dict[str, str] | None = Field(description="kind, title, from_section and section, rule")
    reason: Reason
    note: str
    decided_by: str
    decided_at: datetime
    obeyed: bool = Field(description="truth is as it says; otherwise the next index run brings it there")
    withdrawn_by: str | None = None
    withdrawn_at: datetime | None = None


class Finding(Summary):
    """One row for a person to look at."""

    finding_id: str = Field(description="32 hex digits of kind, subject, rule and place: the same in every run and every home")
    kind: FindingKind
    subject: str = Field(description="a document's id, or a FHIR resource's key")
    subject_kind: str = Field(description="the document's kind, or the resource's type")
    rule: str = Field(description="what found it: a category, an expectation's id, a rule of FHIR")
    locus: str = Field(description="where: a page, a field, a path; empty: all of it")
    basis: str | None = Field(description="hash of what was looked at")
    severity: Literal["block", "warn"] = Field(description="block: something of it is kept from going live")
    count: int | None = Field(None, description="passages, identifiers, copies: how many")
    value: str | None = Field(None, description="a number or a code; never words")
    actions: list[Action] = Field(description="what may be decided")
    decision: DecisionEntry | None = Field(None, description="where it was decided; null: it is open")


class FindingPage(Summary):
    """Some findings, in order of kind, subject and place."""

    findings: list[Finding]
    after: str | None = Field(None, description="name it to have the next page; null: there is none")


class FindingCounts(Summary):
    """How many findings of each kind are open."""

    open: dict[FindingKind, int]
    at_most: int = Field(description="counting stops here: this many means this many or more")


class DecisionList(Summary):
    """Decisions, the newest first."""

    decisions: list[DecisionEntry]


def entry(kept: Kept) -> DecisionEntry:
    """Return a decision as JSON has it."""
    one, about = kept.decision, kept.decision.about
    return DecisionEntry(
        decision_id=one.decision_id,
        finding_id=about.finding_id,
        kind=about.kind,
        subject=about.subject,
        rule=about.rule,
        locus=about.locus,
        basis=about.basis,
        action=one.action,
        fix=one.fix.said() if one.fix else None,
        reason=one.reason,
        note=one.note,
        decided_by=one.decided_by,
        decided_at=one.decided_at,
        obeyed=kept.obeyed_at is not None,
        withdrawn_by=kept.withdrawn_by,
        withdrawn_at=kept.withdrawn_at,
    )
