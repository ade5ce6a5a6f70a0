"""Street addresses, boxes, rural and military routes, intersections (USPS Publication 28; usual forms of other countries).

A number with a name and a street word (``lexicons/street_words.txt``) is an address; then unit, town, state and ZIP are read on, so that
one address is one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.lexicons import entries
from pipeline.stages.deidentify.recognisers.address_forms import FORMS, NAMELESS_FORMS, UPPER
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.gazetteer import word_set
from pipeline.stages.deidentify.recognisers.locality import read_on, state_at

if TYPE_CHECKING:
    from spacy.tokens import Doc

_WORD: Final = rf"(?:[{UPPER}][\w'.]{{0,24}}(?:-[\w']{{1,24}})?|\d{{1,3}}(?:st|nd|rd|th|ST|ND|RD|TH))"
_NUMBER: Final = r"(?<![\w.,/:%$+-])(?<!\d )(?:No\.?\s?|#)?\d{1,6}(?:[-/]\d{1,5})?[A-Za-z]?(?: 1/2)?"
_NUMBERED: Final = re.compile(rf"{_NUMBER}(,?[ \t]+)({_WORD}(?:[ ]{_WORD}){{0,6}})")
_LOWER: Final = re.compile(
    r"(?<![\w.,/:%$+-])\d{1,6}[a-z]? ((?:[nsew]\.? )?[a-z][a-z'-]{2,20}(?: [a-z'-]{2,20})?) "
    r"(street|avenue|ave|road|rd|boulevard|blvd|lane|drive|st|dr|ct|court|way|place|terrace|circle|parkway)\b\.?"
)
_UNIT: Final = re.compile(
    r"(?:[ \t]*[,\n])?[ \t]*(?:(?:apt|apartment|suite|ste|unit|flat|floor|fl|bldg|building|lot|room|rm|trlr|trailer|spc|space|block|sector)\b\.?"
    r"[ ]?#?[ ]?(?!of\b)[\w-]{1,8}|#[ ]?[\w-]{1,6})",
    re.IGNORECASE,
)
_UNIT_FIRST: Final = re.compile(
    r"(?:(?:flat|apt|apartment|unit|suite|house|plot|door|h\.? ?no|block|no)\.? ?(?:no\.? ?)?#?(?=\w{0,4}\d|[A-Z],)[\w-]{1,6}),? $",
    re.IGNORECASE,
)
_NUMBER_FIRST: Final = re.compile(r"(?<![\w.,/-])\d{2,6} $")
_STREET_ALONE: Final = re.compile(
    rf"\b((?:{_WORD} ){{1,3}}(?:Street|St(?!\. [A-Z])|Avenue|Ave|Boulevard|Blvd|Road|Rd|Lane|Drive|Parkway|Highway|Turnpike|Terrace|Crescent))\b"
    rf"(\.?(?: (?:and|&) (?:{_WORD} ){{1,3}}(?:Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Lane|Drive|Parkway|Highway)\b)?)"
)
_STREET_CUE: Final = re.compile(
    r"(?:\b(?:on|at|along|off|from|near|of|to|down|in|address(?: is)?|lives at):?|,) (?:the )?(?:corner of )?$", re.IGNORECASE
)
_LIVES_AT: Final = re.compile(
    r"\b(?:liv(?:es|ed|ing)|resid(?:es|ed|ing)|stay(?:s|ed|ing)|hous(?:ed|e)|home|admitted from|discharged? (?:home )?to|located|lives|from|came|moved|brought)"
    r"[ ,\w]{0,12}?(?:at|to|from|in|on|is)? ?$"
    r"|\b(?:address|addr|residence|home|domicile|domicilio|adresse?|adresă|адрес|location)\b[\w ]{0,12}(?:is|as|:)?:?\s{0,12}$",
    re.IGNORECASE,
)
# What stands between a number and a word that might be a street's, in clinical text: units, and words of measures and times.
_NO_NAME: Final = word_set(
    "mg ml mcg g kg cm mm l dl units unit weeks week days day months month years year hours hour hrs minutes min am pm patients "
    "patient yo male female times x french lead view views vessel point points and or of the to in on off per with was is for from "
    "by left right old seen by degree degrees bpm percent f m pack pt"
)
_LONG_NUMBER: Final = 3
_NUMBER_WITH_COMMA: Final = 4  # 112, Lake Road; five digits and a comma are a ZIP code or a count
_CUE_CHARACTERS: Final = 40


class Addresses(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.ADDRESS,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return addresses, each with its unit, town, state and ZIP code."""
        for start, end, score in self._streets(text):
            yield self.found(_with_unit_before(text, start), read_on(text, units(text, end)), IdentifierClass.ADDRESS, score)

    def _streets(self, text: str) -> Iterator[tuple[int, int, float]]:
        for match in _NUMBERED.finditer(text):
            if (end := _street_end(text, match)) is not None:
                yield match.start(), end, 0.95
        for match in _LOWER.finditer(text):
            if _lower_street(text, match):
                yield match.start(), len(match.group().rstrip(".")) + match.start(), 0.88
        for pattern, group, score in FORMS:
            for match in pattern.finditer(text):
                yield *match.span(group), score
        for pattern, group, score in NAMELESS_FORMS:
            for match in pattern.finditer(text):
                if _has_name(match.group(group)):
                    yield *match.span(group), score
        for match in _STREET_ALONE.finditer(text):
            yield from _alone(text, match)


def _has_name(address: str) -> bool:
    """Whether a number and some words may be an address: a word of three letters, and none of measures and times."""
    return re.search(r"[^\W\d_]{3}", address) is not None and _NO_NAME.isdisjoint(address.lower().split())


def units(text: str, end: int) -> int:
    """Return where apartment, suite or floor after a street end."""
    for _ in range(2):
        unit = _UNIT.match(text, end)
        if unit is None:
            return end
        end = unit.end()
    return end


@cache
def _street_words() -> dict[str, str]:
    """Return the mark of each street word, by its lower-case form."""
    return {word.lower(): mark.strip() for word, _, mark in (line.partition(" ") for line in entries("street_words"))}


def _street_end(text: str, match: re.Match[str]) -> int | None:
    """Return where a street ends that may begin with this number and these words."""
    words = list(re.finditer(r"\S+", match.group(2)))
    number = match.group()[: match.start(1) - match.start()]
    road = len(words) > 1 and _street_words().get(words[1].group().rstrip(".").lower()) == "!"  # MG Road is a name, MG is a unit
    if (words[0].group().lower().strip(".") in _NO_NAME and not road) or ("," in match.group(1) and len(number) > _NUMBER_WITH_COMMA):
        return None
    end = None
    for index, word in enumerate(words):
        sentence = word.group().endswith(".")
        mark = _street_words().get(word.group().rstrip(".").lower())
        if index and mark is not None and (mark != "?" or _is_sure(text, match.start(), number, match.start(2) + word.end())):
            end = match.start(2) + len(word.group().rstrip(".")) + word.start()
            if mark == "!":
                break
            continue
        if end is not None or (sentence and len(word.group()) > 3):
            break
    if end is None:
        return None
    quadrant = re.compile(r"\.? (?:[NS][EW]?|[EW]|North|South|East|West)\b\.?").match(text, end)
    return quadrant.end() if quadrant else end


def _is_sure(text: str, start: int, number: str, end: int) -> bool:
    """Whether a doubtful street word stands in an address: a long number, a word like "lives at" before, a unit or a state after."""
    digits = sum(char.isdigit() for char in number)
    before = text[max(0, start - _CUE_CHARACTERS) : start]
    has_cue = _LIVES_AT.search(before) is not None
    return (
        has_cue
        or _UNIT.match(text, end) is not None
        or (digits >= _LONG_NUMBER and re.search(r"\b(?:at|from|to)\s$", before) is not None)
        or (text[end : end + 2] == ", " and read_on(text, end) > end)
    )


def _lower_street(text: str, match: re.Match[str]) -> bool:
    words = match.group(1).split()
    if words == ["old"] or any(word.strip(".") in _NO_NAME for word in words if word != "old"):
        return False
    before = text[max(0, match.start() - _CUE_CHARACTERS) : match.start()]
    return _LIVES_AT.search(before) is not None or (
        _street_words().get(match.group(2)) == "!" and len(match.group(2)) > 2 and bool(re.search(r"\b(?:at|on|to|from|near)\s$", before))
    )


def _alone(text: str, match: re.Match[str]) -> Iterator[tuple[int, int, float]]:
    """A street without a number: only after a word of place, or with town and state after it."""
    before = text[max(0, match.start() - _CUE_CHARACTERS) : match.start()]
    crossing = len(match.group(2)) > 1
    end = match.end() if crossing else match.end(1)
    if crossing or _STREET_CUE.search(before) or (re.compile(r", [A-Z][\w ]{2,20}, (?=[A-Z])").match(text, end) and state_at(text, end)):
        yield match.start(), end, 0.86


def _with_unit_before(text: str, start: int) -> int:
    before = _UNIT_FIRST.search(text, max(0, start - 20), start) or _NUMBER_FIRST.search(text, max(0, start - 7), start)
    return before.start() if before else start
