"""The console's vocabulary in words that a reader knows."""

from __future__ import annotations

from typing import Final

from pipeline.domain.review import Action, FindingKind, Reason, RuleSet
from pipeline.jobs.quality.suites import DataSet, suite
from pipeline.jobs.review.model import Finding

KINDS: Final = {
    FindingKind.SUSPECTED_PHI: (
        "Suspected identifiers",
        "The identifier gate holds these documents back: nothing of them is in the index.",
    ),
    FindingKind.QUALITY: (
        "Data quality",
        "What documents break of the suites of expectations; a blocking one keeps a document from going live.",
    ),
    FindingKind.RESOURCE: ("FHIR resources put aside", "Invalid, or left out because a modifier extension is not known."),
    FindingKind.UNPARSED_CRITERIA: (
        "Unparsed criteria",
        "Passages of a trial's eligibility text that are neither inclusion nor exclusion.",
    ),
    FindingKind.LOW_CONFIDENCE: ("Pages read badly", "OCR was not sure of these pages, or could not read them."),
    FindingKind.DUPLICATE: ("Duplicates", "Documents whose content another one has as well."),
    FindingKind.UNKNOWN_VALUE: ("Unknown values", "Codes, dates and ages that no vocabulary has, and files of unknown kind."),
}
ACTIONS: Final = {
    Action.ACCEPT: ("Accept", "It is right as it is. Holds as long as the content stays the same."),
    Action.FIX: ("Fix", "Say what is right below: kind, title, section, or which rules lack something."),
    Action.SUPPRESS: ("Suppress", "The document leaves the index and is not taken again. Its record stays in landing."),
}
DONE: Final = {Action.ACCEPT: "Accepted", Action.FIX: "Fixed", Action.SUPPRESS: "Suppressed"}
REASONS: Final = {
    Reason.SOURCE_SAYS_SO: "The source says it so",
    Reason.NOBODY_IDENTIFIED: "Nobody is identified by it",
    Reason.KNOWN_LIMITATION: "A known limitation",
    Reason.WANTED_COPY: "Both copies are wanted",
    Reason.UNWANTED_COPY: "One copy is enough",
    Reason.WRONG_KIND: "The kind is wrong",
    Reason.WRONG_TITLE: "The title is wrong",
    Reason.WRONG_SECTION: "The section is wrong",
    Reason.RULE_MISSING: "A rule is missing",
    Reason.UNREADABLE: "It cannot be read",
    Reason.OUTDATED: "It is outdated",
    Reason.OUT_OF_SCOPE: "It does not belong into this index",
    Reason.OTHER: "Another reason (say which in the note)",
}
RULES: Final = {
    RuleSet.CRITERIA: "Reading of criteria",
    RuleSet.SECTIONS: "Sections and headings",
    RuleSet.KINDS: "Kinds of documents",
    RuleSet.IDENTIFIERS: "Identifiers",
    RuleSet.REGISTRY_CODES: "Codes of the registry",
    RuleSet.FHIR: "FHIR resources",
    RuleSet.EXPECTATIONS: "Expectations of data quality",
}
_COUNTED: Final = {
    FindingKind.SUSPECTED_PHI: ("identifier", "identifiers"),
    FindingKind.QUALITY: ("row", "rows"),
    FindingKind.UNPARSED_CRITERIA: ("passage", "passages"),
    FindingKind.DUPLICATE: ("document with this content", "documents with this content"),
    FindingKind.UNKNOWN_VALUE: ("value", "values"),
}
_RULES: Final = {
    "gate_refused": "Held back by the identifier gate",
    "eligibility_unparsed": "Criteria whose polarity is not stated",
    "document_not_copied": "Same content as another document",
    "low_confidence": "OCR was not sure of this page",
    "page_failed": "This page could not be read",
    "kind_unknown": "Nobody said what kind of document it is",
    "unknown_value": "A code that this version does not know",
    "unparsed_age": "An age that cannot be read",
    "unparsed_date": "A date that cannot be read",
    "wrong_type": "A field of another type than the registry's contract says",
}
_VALUES: Final = {FindingKind.LOW_CONFIDENCE: "confidence {}"}


def title(one: Finding) -> str:
    """Return what a finding is called: what does not hold, or what found it."""
    if one.kind is FindingKind.QUALITY:
        says = next((line.says for data_set in DataSet for line in suite(data_set) if line.id == one.rule), None)
        return f"It does not hold that {says}" if says else words(one.rule)
    return _RULES.get(one.rule, words(one.rule))


def words(value: str) -> str:
    """Return an id or a code as words."""
    return value.replace("_", " ").capitalize()


def facts(one: Finding) -> list[str]:
    """Return what is known of a finding beside its rule and subject, each in a few words."""
    said = [one.locus.replace("_", " ")] if one.locus else []
    if one.count is not None and one.kind in _COUNTED:
        said.append(f"{one.count:,} {_COUNTED[one.kind][one.count != 1]}")
    if one.value:
        said.append(_VALUES.get(one.kind, "{}").format(one.value))
    return said
