"""Values in words, for the templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Final

from pipeline.domain.registry_enums import ENUMERATIONS
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.search.answer.model import Reason
from pipeline.search.request import Hit, Withheld

_KINDS: Final = {
    DocumentKind.TRIAL: "Trial",
    DocumentKind.EMS_PROTOCOL: "EMS protocol",
    DocumentKind.FHIR_RESOURCE: "FHIR resource",
    DocumentKind.UNKNOWN: "Document",
}
_WORDINGS: Final = {
    "original": "your words",
    "corrected": "spelling corrected",
    "expanded": "abbreviation written out or shortened",
    "synonym": "another name of the same thing",
    "focus": "what the question is about",
}
_FILTERS: Final = {
    "overall_status": "status",
    "icd_codes": "ICD-10",
    "document_ids": "document named in the question",
    "exclude_exclusion_criteria": "without exclusion criteria",
}
#: What re-ranking looked at (``docs/retrieval.md``). Signals that only repeat a rank or a score shown beside them are left out.
_SIGNALS: Final = {
    "title_coverage": "words of the question in the title",
    "title_focus": "title is about little else",
    "drug_in_title": "title names the drug",
    "document_population": "document is for this age group",
    "listing": "a list of everything (ranks lower)",
    "passage_coverage": "words of the question in the passage",
    "passage_section": "section fits the question",
    "passage_content": "kind of content fits the question",
    "passage_dose": "states a dose",
    "passage_dose_by_weight": "states a dose by weight",
    "passage_drug": "names the drug",
    "passage_population": "passage is for this age group",
    "passage_short": "very short passage (ranks lower)",
    "cross_encoder": "read together with the question by a second model",
    "description_dense": "criteria near the patient's description, by meaning",
    "description_terms": "criteria near the patient's description, by words",
    "description_about": "title near the patient's description",
    "description_title_terms": "title's words in the patient's description",
    "problem_dense": "criteria near the patient's conditions, by meaning",
    "problem_terms": "criteria near the patient's conditions, by words",
    "problem_about": "title near the patient's conditions",
}
_LEAST_SIGNAL: Final = 0.05
_WITHHELD: Final = {
    Withheld.REDACTED_PAGE: "The picture is not shown: its publisher blacked out parts of its page.",
    Withheld.CLINICAL: "The picture is not shown: a picture in a clinical document cannot be de-identified.",
    Withheld.LOST: "The picture is not kept.",
}
_PLACES: Final = {"ordinal": "number", "span": "position in the text"}
_REASONS: Final = {
    Reason.NO_HIT: "nothing was found to answer from.",
    Reason.SEARCH_REFUSED: "the search found no evidence for it.",
    Reason.NO_SENTENCE: "no sentence of what was found comes near enough to the question.",
}
_SHORT: Final = 300  # characters of a picture's text that stand for it
_CODES: Final = ("RecruitmentStatus", "Status", "StudyType", "Phase")


def kind(value: str) -> str:
    """Return a kind of document."""
    return _KINDS.get(DocumentKind(value)) or _capital(value.replace("_", " "))


def code(value: str) -> str:
    """Return a registry's code."""
    known = next((ENUMERATIONS[name][value] for name in _CODES if value in ENUMERATIONS[name]), None)
    return _capital(known or value.replace("_", " ").lower())


def section(value: str) -> str:
    """Return a section's name; what stands under no heading has none."""
    if value == Section.TITLE_CONDITIONS:
        return "Title and conditions"
    return "" if value == Section.NOTE_TEXT else _capital(value.replace("_", " ").lower())


def polarity(hit: Hit) -> str:
    """Return ``exclusion``, ``inclusion``, ``unstated``, or nothing for what is no criterion."""
    if hit.section == Section.ELIGIBILITY_UNPARSED:
        return "unstated"
    return {True: "exclusion", False: "inclusion", None: ""}[hit.is_exclusion]


def day(value: str) -> str:
    """Return an ISO date, month or year as it is read: "12 Mar 2026", "Mar 2026", "2026"."""
    try:
        parts = [int(part) for part in value[:10].split("-")]
        first = date(*[*parts, 1, 1][:3])
    except ValueError:
        return value
    month = f"{first:%b} {first.year}"
    return {1: str(first.year), 2: month}.get(len(parts), f"{first.day} {month}")


def days_ago(days: int) -> str:
    """Return an age in days."""
    if days < 0:
        return "dated in the future"
    if days < 2:
        return ("today", "yesterday")[days]
    for size, name in ((365, "year"), (30, "month")):
        if days >= 2 * size or (size == 365 and days >= size):
            return _counted(days // size, name) + " ago"
    return f"{days} days ago"


def hours_ago(hours: float) -> str:
    """Return an age in hours."""
    if hours < 1:
        return "less than an hour ago"
    return f"{_counted(int(hours), 'hour')} ago" if hours < 48 else days_ago(int(hours // 24))


def wording(value: str) -> str:
    """Return why a question was asked in these words, too."""
    return _WORDINGS.get(value, value)


def filter_name(value: str) -> str:
    """Return a condition's name."""
    return _FILTERS.get(value, value.replace("_", " "))


def signals(values: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return what re-ranking saw and can be said in words, strongest first."""
    said = [(_SIGNALS[name], value) for name, value in values.items() if name in _SIGNALS and abs(value) >= _LEAST_SIGNAL]
    return sorted(said, key=lambda one: -abs(one[1]))


def withheld(why: Withheld) -> str:
    """Return why there is no picture."""
    return _WITHHELD[why]


def moved(names: Iterable[str]) -> str:
    """Return in what two places differ."""
    return ", ".join(_PLACES.get(name, name) for name in names)


def refusal(why: Reason | None) -> str:
    """Return why there is no answer."""
    return _REASONS.get(why, "the evidence did not pass its checks.") if why else "there is no evidence."


def picture(text: str) -> str:
    """Return what stands for a picture: its caption, or the beginning of what is told of it."""
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHORT else plain[:_SHORT].rsplit(" ", 1)[0] + " …"


def sentence(text: str) -> str:
    """Return one of our messages as a sentence."""
    return _capital(text) if text.endswith((".", "!", "?")) else f"{_capital(text)}."


def counted(number: int, noun: str) -> str:
    """Return ``1 hit``, ``2 hits``."""
    return _counted(number, noun)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
