"""Facts of EMS protocols, policies and guidelines out of the evidence: reference number, title, revision and effective date."""

from __future__ import annotations

import re
from typing import Final

from pipeline.domain.vocabulary import Provenance
from pipeline.stages.identify.evidence import Evidence, Line, Place, Stretch
from pipeline.stages.identify.facts import Fact, FactScheme
from pipeline.stages.identify.shapes import DATE_VALUE, REFERENCE_VALUE, iso_date

_REFERENCE: Final = re.compile(
    r"(?i:\b(?:reference|ref\b\.?|policy|protocol|procedure|guideline))[ \n]?(?P<named>(?i:no\b\.?|number|#)[ \n]?:?)?[ \n]?"
    rf"(?P<value>{REFERENCE_VALUE})(?![\w.-]*\w)"
)
#: Before a number that the text only mentions.
_MENTION: Final = re.compile(
    r"(?i)(?:\b(?:to|per|in|of|see|with|and|or|by|under|from|the|this|including|includes|replaces|supersedes|authority)|[,;(])\Z"
)
#: The end of a line above that the number goes on from; a header's line above is in capitals.
_GOES_ON: Final = re.compile(r"\b(?:to|per|in|of|see|with|and|or|by|under|from|the)\Z")
_SUBJECT: Final = re.compile(r"(?i)\b(?:subject|title|treatment protocol|medical control guideline)\s?:")
_HEADER_WORD: Final = re.compile(r"(?i)(?:page|effective|revised|supersedes|\()")
_REVISED: Final = re.compile(
    r"(?:(?<![a-z] )|(?<=[Ll]ast )|(?<=LAST ))(?i:\b(?:revised|revision(?: date)?|rev\b\.?)(?: date| on)?[ \n]?:?[ \n]{0,2}"
    + DATE_VALUE
    + ")"
)
_EFFECTIVE: Final = re.compile(r"(?<![a-z] )(?i:\beffective(?: date)?[ \n]?:?[ \n]{0,2}" + DATE_VALUE + ")")


def ems_facts(evidence: Evidence) -> tuple[Fact, ...]:
    """Return the facts of an EMS document. Numbers alone as dates are month, day, year: the agencies are American."""
    stretches = [
        Stretch(lines) for lines in (_first_page(evidence.furniture), _first_page(evidence.head), evidence.furniture, evidence.head)
    ]
    facts = [
        _reference(stretches),
        _date(stretches, FactScheme.REVISION_DATE, _REVISED),
        _date(stretches, FactScheme.EFFECTIVE_DATE, _EFFECTIVE),
    ]
    return tuple(fact for fact in facts if fact is not None)


def _first_page(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    return tuple(line for line in lines if line.page in (None, 1))


def _reference(stretches: list[Stretch]) -> Fact | None:
    """Return the number that reads most like the document's own; of equals the first, page 1 before page 2, headers before text."""
    best: tuple[int, Fact] | None = None
    for stretch in stretches:
        for match in _REFERENCE.finditer(stretch.text):
            line = stretch.line_at(match.start("value"))
            fact = Fact(FactScheme.REFERENCE_NUMBER, match["value"], Provenance.EXTRACTED, line.page)
            score = _ownness(stretch, match, line)
            if score > 0 and (best is None or score > best[0]):
                best = (score, fact)
    return best[1] if best else None


def _ownness(stretch: Stretch, match: re.Match[str], line: Line) -> int:
    """Tell a header's number from a cross-reference: "REFERENCE NO. 510" beside the subject, not "according to Ref. No. 510, Destination"."""
    before = stretch.before(match.start(), 80).rstrip()
    after = stretch.text[match.end() :].split("\n", 1)[0].strip()
    above = stretch.text[: match.start()].rstrip("\n").rpartition("\n")[2] if not before else ""
    if (
        _MENTION.search(before if _SUBJECT.search(before) is None else before.rstrip(";"))
        or _GOES_ON.search(above)
        or after.startswith((",", ")", ";", ":"))
    ):
        return 0
    named = match["named"] is not None  # "No." stands before the number
    subject = _SUBJECT.search(line.text) is not None
    if not named and not subject:
        return 0
    return 1 + 2 * (line.place is Place.FURNITURE) + 2 * subject + 2 * (not after or _HEADER_WORD.match(after) is not None) + named


def _date(stretches: list[Stretch], scheme: FactScheme, pattern: re.Pattern[str]) -> Fact | None:
    for stretch in stretches:
        for match in pattern.finditer(stretch.text):
            if value := iso_date(match, us_order=True):
                return Fact(scheme, value, Provenance.EXTRACTED, stretch.line_at(match.start()).page)
    return None
