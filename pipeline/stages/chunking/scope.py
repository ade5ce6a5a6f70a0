"""Which cohort, arm, part, phase or population a line says it is limited to. The words are kept as the source has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# "Stage" and "grade" are left out on purpose: in criteria they are the disease's far more often than the study's.
_UNIT: Final = r"(?i:cohort|arm|part|phase|group|stratum|step|period|category|sub-?study|module|segment|track|tier)(?i:s?)"
_ID: Final = r"(?:\d{1,2}(?:\.\d)?[A-Za-z]?|[A-Z]{1,2}\d{0,2}[a-z]?|[IVX]{1,4}[a-c]?)(?![\w-])"
_NAMES: Final = rf"{_UNIT}\s*[-#]?\s*{_ID}(?:(?:\s*(?:,|/|&|-|–|(?i:and|or|to|through)))+\s*(?:{_UNIT}\s*)?{_ID}){{0,8}}"
_PEOPLE: Final = (
    r"(?:participants?|patients?|subjects?|volunteers?|controls?|individuals?|persons?|parents?|caregivers?|carers?|donors?|recipients?"
    r"|adolescents?|children|adults?|infants?|mothers?|fathers?|women|men|males?|females?|family members?|clinicians?|providers?|staff)"
)

# A line that is nothing but the name of a part of the study, perhaps with a few words about it.
_LABEL: Final = re.compile(rf"(?:(?i:for|in|all)\s+)?{_NAMES}(?:\s+(?i:only))?(?:\s*[-–:,(]?[^.;]{{0,90}})?")
_BARE: Final = re.compile(rf"(?:(?i:for|in|all)\s+)?{_NAMES}(?:\s+(?i:only))?(?:\s*\([^()]{{1,80}}\))?")
_MAX_SCOPE_WORDS: Final = 6  # a longer label is a sentence: its scope is the name it begins with
# "Dose expansion phase:", "Screening phase:", "Sub-study:"; "For healthy volunteers:", "Control patients:".
_NAMED_LABEL: Final = re.compile(
    r"(?:for\s+)?(?:[\w/+-]+\s+){0,3}(?:cohort|arm|phase|group|sub-?study)s?(?:\s*\([^()]{1,60}\))?(?:\s+only)?", re.IGNORECASE
)
_DOSE_LABEL: Final = re.compile(
    r"(?:for\s+)?dose[ -](?:escalation|expansion|finding|optimi[sz]ation)(?:\s+(?:only|cohorts?|part|phase))?", re.IGNORECASE
)
_POPULATION_LABEL: Final = re.compile(
    rf"for\s+(?:[\w/+-]+\s+){{1,5}}(?:{_PEOPLE}|people)(?:\s+only)?|(?:[\w/+-]+\s+){{1,2}}{_PEOPLE}(?:\s+only)?", re.IGNORECASE
)
# "Part 2 only: …", "For Cohort A, …", "Cohorts 1 and 2 participants must …", "… (Phase 1b only)".
_INLINE: Final = re.compile(
    rf"[\[(]?(?:(?i:for|in)\s+)?(?P<scope>{_NAMES}(?:\s+(?i:only))?)[\])]?"
    rf"(?:(?<=(?i:only))(?=\W)|\s*(?:\([^()]{{1,80}}\)\s*)?[:–—]|\s+-\s|,\s|\s+(?=(?i:{_PEOPLE})\b))"
)
_IN_BRACKETS: Final = re.compile(
    rf"[(\[](?:(?i:for|in|applies to)\s+)?(?P<scope>{_NAMES}(?:\s+(?i:only|participants|patients|subjects))+)[)\]]"
)
_EVERYBODY: Final = re.compile(r"(?:for\s+)?(?:all|both|any|every|the|these|study|eligible|enrolled)\b", re.IGNORECASE)
_BRACKETED: Final = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_MAX_LABEL: Final = 120


@dataclass(frozen=True, slots=True)
class Label:
    """A line that names what the lines after it are limited to."""

    scope: str


def read_label(text: str, *, colon: bool) -> Label | None:
    """Return what a label line limits the lines after it to, or ``None``.

    Args:
        text: The line without bullet and without its final colon.
        colon: Whether it had one: without, only a bare name counts (``Phase 1b only``, ``Arm A (dose expansion)``).
    """
    bracketed = _BRACKETED.fullmatch(text)
    text = bracketed.group(1) if bracketed else text
    if not text or len(text) > _MAX_LABEL:
        return None
    scope = re.sub(r"^(?:for|in)\s+", "", text, flags=re.IGNORECASE)
    match = _LABEL.fullmatch(text)
    if match is not None:
        if not names_part_of_study(text) and (not colon or ":" in text):
            return None
        name = _BARE.match(scope)
        return Label(name.group().strip() if name and len(scope.split()) > _MAX_SCOPE_WORDS else scope)
    if not colon or _EVERYBODY.match(text):
        return None
    if any(pattern.fullmatch(text) for pattern in (_NAMED_LABEL, _DOSE_LABEL, _POPULATION_LABEL)):
        return Label(scope)
    return None


def read_inline(text: str) -> str | None:
    """Return the scope that a criterion states in its own words, or ``None``."""
    match = _INLINE.match(text) or _IN_BRACKETS.search(text)
    return match.group("scope") if match else None


def is_population(text: str) -> bool:
    """Whether a few words name people only (``Healthy Volunteers``, ``Parents``)."""
    return re.fullmatch(rf"(?:[\w/+-]+\s+){{0,4}}{_PEOPLE}", text, re.IGNORECASE) is not None


def names_part_of_study(text: str) -> bool:
    """Whether a text is the name of a cohort, arm, part or phase, and nothing else but a remark in brackets."""
    return _BARE.fullmatch(text) is not None
