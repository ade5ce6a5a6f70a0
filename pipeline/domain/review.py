"""What a person decides about a finding: closed vocabularies, and ids that are the same in every home.

A decision names what it is about by id, rule and place, never by text, so that it can be kept as a file under version control.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from pipeline.domain.identifiers import fingerprint
from pipeline.domain.vocabulary import DocumentKind, Section

LONGEST_NOTE: Final = 500  # characters
LONGEST_TITLE: Final = 300  # characters


class FindingKind(StrEnum):
    """What is listed for a person to look at."""

    UNPARSED_CRITERIA = "unparsed_criteria"  # live passages of a trial's eligibility text whose polarity is not stated
    LOW_CONFIDENCE = "low_confidence"  # a page that OCR read badly, or that could not be read
    SUSPECTED_PHI = "suspected_phi"  # the gate holds a document back
    DUPLICATE = "duplicate"  # a document with another one's content
    QUALITY = "quality"  # an expectation that a document breaks
    RESOURCE = "resource"  # a FHIR resource that was put aside
    UNKNOWN_VALUE = "unknown_value"  # a value that no vocabulary has, or a file of unknown kind


class Action(StrEnum):
    """What a person decides."""

    ACCEPT = "accept"  # it is right as it is, as long as the content stays the same
    FIX = "fix"  # something said of the document is replaced, or a rule is asked for
    SUPPRESS = "suppress"  # the document leaves the index, and is not taken again


class Reason(StrEnum):
    """Why."""

    SOURCE_SAYS_SO = "source_says_so"
    NOBODY_IDENTIFIED = "nobody_identified"
    KNOWN_LIMITATION = "known_limitation"
    WANTED_COPY = "wanted_copy"
    UNWANTED_COPY = "unwanted_copy"
    WRONG_KIND = "wrong_kind"
    WRONG_TITLE = "wrong_title"
    WRONG_SECTION = "wrong_section"
    RULE_MISSING = "rule_missing"
    UNREADABLE = "unreadable"
    OUTDATED = "outdated"
    OUT_OF_SCOPE = "out_of_scope"
    OTHER = "other"


class RuleSet(StrEnum):
    """Which rules lack something, where a rule is asked for."""

    CRITERIA = "criteria"
    SECTIONS = "sections"
    KINDS = "kinds"
    IDENTIFIERS = "identifiers"
    REGISTRY_CODES = "registry_codes"
    FHIR = "fhir"
    EXPECTATIONS = "expectations"


@dataclass(frozen=True, slots=True)
class Fix:
    """What is said of a document in place of what was found; at least one of these.

    Attributes:
        kind: Of a file.
        title: Of a public document or a trial. A clinical one's is never a person's words.
        section: Section that the passages of ``from_section`` get.
        rule: The rules that should be changed. Nothing is done about it by itself.
    """

    kind: DocumentKind | None = None
    title: str | None = field(default=None, repr=False)
    from_section: Section | None = None
    section: Section | None = None
    rule: RuleSet | None = None

    @classmethod
    def of(cls, said: dict[str, Any]) -> Fix:
        """Read one from JSON.

        Raises:
            ValueError: A value is none of its vocabulary. Holds no value.
            TypeError: A name is unknown.
        """
        found = cls(**said)
        return cls(
            kind=None if found.kind is None else DocumentKind(found.kind),
            title=found.title,
            from_section=None if found.from_section is None else Section(found.from_section),
            section=None if found.section is None else Section(found.section),
            rule=None if found.rule is None else RuleSet(found.rule),
        )

    def said(self) -> dict[str, str]:
        """Return what is set, as JSON has it."""
        return {name: str(value) for name, value in asdict(self).items() if value is not None}

    @property
    def changes_document(self) -> bool:
        """Whether the document is made anew by it; a wish for a rule alone changes none."""
        return bool(self.kind or self.title or self.section)

    def over(self, earlier: Fix) -> Fix:
        """Return both; what this one sets comes first."""
        return Fix(**{name: getattr(self, name) or getattr(earlier, name) for name in self.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class About:
    """What a decision is about.

    Attributes:
        subject: A document's id with its hyphens, or a FHIR resource's key.
        rule: What found it: an expectation's id, a category, a rule of FHIR.
        locus: Where in the subject: a page, a field; empty: all of it.
        basis: Hash of what was looked at: with another one, an acceptance says nothing any more. ``None``: nothing to compare.
    """

    kind: FindingKind
    subject: str
    rule: str
    locus: str
    basis: str | None

    @property
    def finding_id(self) -> str:
        """The same for the same place in every home and at every time."""
        return fingerprint([self.kind.value, self.subject, self.rule, self.locus])


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, whole. ``note`` was read by the scrubber, which found nobody in it."""

    about: About
    action: Action
    fix: Fix | None
    reason: Reason
    note: str
    decided_by: str
    decided_at: datetime

    @property
    def decision_id(self) -> str:
        """The same for the same decision, whoever makes it and when."""
        said = self.fix.said() if self.fix else None
        return fingerprint([self.about.finding_id, self.about.basis, self.action.value, said, self.reason.value, self.note])
