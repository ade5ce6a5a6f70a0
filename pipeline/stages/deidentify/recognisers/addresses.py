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
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.gazetteer import lexicon, word_set
from pipeline.stages.deidentify.recognisers.locality import read_on, state_at

if TYPE_CHECKING:
    from spacy.tokens import Doc

_UPPER: Final = "A-ZÀ-ÞŁŚŠŽČĐ"
_WORD: Final = rf"(?:[{_UPPER}][\w'.]{{0,24}}(?:-[\w']{{1,24}})?|\d{{1,3}}(?:st|nd|rd|th|ST|ND|RD|TH))"
_CROSSED: Final = rf"(?:[{_UPPER}][\w']{{0,24}}|\d{{1,3}}(?:st|nd|rd|th))"
_NUMBER: Final = r"(?<![\w.,/:%$+-])(?<!\d )(?:No\.?\s?|#)?\d{1,6}(?:[-/]\d{1,5})?[A-Za-z]?(?: 1/2)?"
_NUMBERED: Final = re.compile(rf"{_NUMBER}(,?[ \t]+)({_WORD}(?:[ ]{_WORD}){{0,6}})")
_LOWER: Final = re.compile(
    r"(?<![\w.,/:%$+-])\d{1,6}[a-z]? ((?:[nsew]\.? )?[a-z][a-z'-]{2,20}(?: [a-z'-]{2,20})?) "
    r"(street|avenue|ave|road|rd|boulevard|blvd|lane|drive|st|dr|ct|court|way|place|terrace|circle|parkway)\b\.?"
)
_ROUTE: Final = re.compile(
    r"(?<![\w.,/-])\d{1,6} (?:(?:US|State|County|Old) )?(?:Highway|Hwy|Route|Rte|Road|FM|CR|SR)\.? \d{1,4}[A-Z]?\b", re.IGNORECASE
)
_BOX: Final = re.compile(
    r"\b(?:(?:P\.? ?O\.? ?|post office )box (?:no\.? )?[\w-]{1,8}"
    r"|(?:R\.?R\.?|HC|RFD) ?#? ?\d{1,4},? box \w{1,7}"
    r"|(?:rural route|star route) ?#? ?\d{1,4}(?:,? box \w{1,7})?"
    r"|(?:PSC|CMR|unit) \d{1,5},? box \d{1,6}"
    r"|(?:USS|USNS|USCGC) [A-Z][\w-]{1,20}(?= *[\n,]? *[FAD]PO ))"
    r"(?:[ ,\n]{1,3}[FAD]PO,? A[AEP] \d{5}(?:-\d{4})?)?",
    re.IGNORECASE,
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
# Rue de la Paix 12, Calle Serrano 42, Via Roma 5, ulica Mila 53; 12 rue de la Paix.
_TYPE_FIRST: Final = (
    r"(?:rue|avenue|boulevard|chemin|allée|place|quai|calle|c/|avenida|paseo|carrer|via|viale|piazza|corso|rua|travessa|ulica|ul\.|bulevar|"
    r"strada|șoseaua|улица|ул\.|булевар|trg|plaza)"
)
_FOREIGN_WORDS: Final = rf"(?:(?:d[eiou]|del|de la|des|du|la|le|los|las|cel|da|dos|van|der) ?){{0,2}}[{_UPPER}А-Я][\w'-]{{2,24}}(?: [{_UPPER}А-Яa-zà-ÿ][\w'-]{{1,24}}){{0,4}}?"
_FOREIGN: Final = re.compile(
    rf"\b(?i:{_TYPE_FIRST}) {_FOREIGN_WORDS},? (?:дом )?\d{{1,5}}[A-Za-z]?(?![\d/%.]*\d)(?! ?(?:mg|ml|%|years|days|weeks))"
)
_FOREIGN_NUMBER_FIRST: Final = re.compile(
    rf"(?<![\w.,/-])\d{{1,5}},? (?i:rue|chemin|allée|quai|calle|via|viale|rua|avenida|boulevard|avenue) {_FOREIGN_WORDS}(?=[,.;\n]|$| \d{{4,5}} )"
)
_ONE_WORD: Final = re.compile(
    rf"\b[{_UPPER}][\w'-]{{2,24}}(?:str(?:\.|aße|asse|aat)|gasse|weg|platz|allee|damm|ufer|laan|gracht|plein|gata|gatan|vej|vegen|veien|katu|gade|utca)"
    r" \d{1,4}[a-zA-Z]?(?![\d/%.]*\d)"
)
_CROSSING: Final = re.compile(
    rf"\b(?:corner|intersection|junction) of ((?:the )?{_CROSSED}(?: {_CROSSED}){{0,3}} (?:and|&) {_CROSSED}(?: {_CROSSED}){{0,3}})"
)
_STREET_ALONE: Final = re.compile(
    rf"\b((?:{_WORD} ){{1,3}}(?:Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Lane|Drive|Parkway|Highway|Turnpike|Terrace|Crescent))\b"
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
_LABELLED: Final = re.compile(
    r"\b(?:(?:home|mailing|street|current|permanent|residential|work|billing|patient'?s?) )?(?:address|addr)\s?(?:\(\w{1,10}\))?(?:\s?:| is| as|,)[ \t]{0,20}"
    r"(?=[^\n]{0,60}\d)((?:No\.? ?|#|Flat |Unit |Apt )?\d[\w/-]{0,8},?[ ][^\n;|]{3,80}?)(?=[ ]{2}|[;|\n]|$|\.(?:\s|$)|,? (?:and|phone|tel|email|fax|dob|mrn|postcode|zip)\b)",
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
                yield match.start(), end, 0.92
        for match in _LOWER.finditer(text):
            if _lower_street(text, match):
                yield match.start(), len(match.group().rstrip(".")) + match.start(), 0.88
        for pattern in (_ROUTE, _BOX, _FOREIGN, _FOREIGN_NUMBER_FIRST, _ONE_WORD):
            for match in pattern.finditer(text):
                yield match.start(), match.end(), 0.9
        for match in _CROSSING.finditer(text):
            yield *match.span(1), 0.88
        for match in _STREET_ALONE.finditer(text):
            yield from _alone(text, match)
        for match in _LABELLED.finditer(text):
            yield match.start(1), match.end(1), 0.9


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
    return {word.lower(): mark.strip() for word, _, mark in (line.partition(" ") for line in lexicon("street_words"))}


def _street_end(text: str, match: re.Match[str]) -> int | None:
    """Return where a street ends that may begin with this number and these words."""
    words = list(re.finditer(r"\S+", match.group(2)))
    number = match.group()[: match.start(1) - match.start()]
    if words[0].group().lower().strip(".") in _NO_NAME or ("," in match.group(1) and len(number) > _NUMBER_WITH_COMMA):
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
    if any(word.strip(".") in _NO_NAME for word in words):
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
    before = _UNIT_FIRST.search(text, max(0, start - 20), start)
    return before.start() if before else start
