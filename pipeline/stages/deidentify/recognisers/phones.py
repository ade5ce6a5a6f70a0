"""Telephone, fax and pager numbers: by their own shape (North America, E.164), by the word before or after them, or spoken.

A fax number is found as FAX and as PHONE: a policy that asks for telephones alone removes it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import SPOKEN

if TYPE_CHECKING:
    from spacy.tokens import Doc

# A number is a telephone number only by its own shape or by the word before it: bare digits are doses, grants and registry ids.
_CUE: Final = (
    r"\b(?:tel(?:ephone)?|phone|fax|mobile|cell(?:[ -]?phone)|call(?:\s+us)?(?:\s+at)?|hotline|contact\s+number|ext)"
    r"(?:\s*(?:no|nr|number)\b)?[.:#]{0,2}(?:\s+(?:is|at|on))?\s{0,3}"
)
_DIGITS: Final = r"\+?\(?\d{1,4}\)?(?:[ .\-/]{0,2}\(?\d{2,4}\)?){2,5}"
_AFTER_CUE: Final = re.compile(rf"{_CUE}({_DIGITS}(?:\s?(?:ext\.?|x)\s?\d{{1,6}})?)(?!\d)", re.IGNORECASE)
_BY_SHAPE: Final = (
    # North America: (301) 555-0142, 301-555-0142, 1-800-555-0142. A dotted form needs all its dots; 10-12-2019 has no such groups,
    # and area and exchange codes begin with 2 to 9.
    re.compile(
        r"(?<![\w.+\-/])(?:\+?1[ .\-])?(?:\([2-9]\d{2}\)\s?|[2-9]\d{2}[\-.])[2-9]\d{2}[\-.]\d{4}(?:\s?(?:ext\.?|x)\s?\d{1,6})?(?![\w\-/])"
    ),
    # International: a plus sign and a country code that is not 0, then at least eight digits in groups (E.164: 15 at most).
    re.compile(r"(?<![\w.+])\+[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,4}\)?){2,6}(?![\w%])"),
)
_EXTENSION: Final = r"(?:[ ,;]{0,2}(?:ext(?:ension)?\b\.?|x|\#)[ ]?\d{1,6})"
_UNIT: Final = r"(?![ ]?(?:(?:mg|mcg|g|ml|l|iu|units?|mm|cm|kg|x10|cells|deg(?:rees?)?)\b|[%/°]))"
# Clinical text: shapes that are no doses there, but might be elsewhere.
_CLINICAL_SHAPE: Final = (
    # With an extension any three, three and four digits: 151.081.7740x2347, 301 555 0142 ext 2.
    re.compile(rf"(?<![\w.+\-/])(?:(?:001|\+?1)[ .\-])?\(?\d{{3}}\)?[ .\-]?\d{{3}}[ .\-]?\d{{4}}{_EXTENSION}(?![\w\-/])", re.IGNORECASE),
    # With a long-distance prefix or brackets any, too: 001-359-886-6201, (461)502-6155, (301)-555 - 0142.
    re.compile(
        rf"(?<![\w.+\-/])(?:(?:001|\+?1)[ .\-](?:\(\d{{3}}\)[ ]?|\d{{3}}[ .\-])\d{{3}}[ .\-]\d{{4}}|\(\d{{3}}\)[ ]?-?[ ]?\d{{3}}(?:[ ]?-[ ]?|[ .])\d{{4}})(?![\w\-/]){_UNIT}"
    ),
    # Without: codes of areas from 2, the same sign twice (100-200-3000 are doses), or wide and slanted forms of North America.
    re.compile(rf"(?<![\w.+\-/])[2-9]\d{{2}}(?:([.\-])\d{{3}}\1|[ ]-[ ][2-9]\d{{2}}[ ]-[ ]|/[2-9]\d{{2}}-)\d{{4}}(?![\w\-/]){_UNIT}"),
    re.compile(rf"(?<![\w.+])\(?\+\(?\d{{1,3}}\)?(?:[ .\-/]?\(?\d{{1,4}}\)?){{2,6}}{_EXTENSION}?(?![\w%])", re.IGNORECASE),
    # A trunk prefix: 077-729 8142, 0112 569 365, 020 7946 0142; or an international one: 0049 30 1234567.
    re.compile(rf"(?<![\w.+\-/])\(?0\d{{1,4}}\)?[ -]\d{{3,4}}[ -]?\d{{3,4}}(?![\w\-/])(?!\.\d){_UNIT}"),
    re.compile(r"(?<![\w.+\-/])00[1-9]\d{0,2}(?:[ -]\(?\d{1,5}\)?){1,4}[ -]?\d{4,8}(?![\w\-/])(?!\.\d)"),
    # Blanks alone, behind a word: "Harbor Drug 931 555 0158".
    re.compile(rf"(?<=[A-Za-z,;:] )[2-9]\d{{2}}[ ][2-9]\d{{2}}[ ]\d{{4}}(?![\w/-])(?![ .]\d){_UNIT}"),
    # Read by a machine: O and l for 0 and 1, five digits at least.
    re.compile(
        r"(?<![\w.+\-/])(?=(?:[OlI() .-]{0,6}\d){5})(?=[\d() .-]{0,13}[OlI])\(?[\dOlI]{3}(?:\)[ ]?|[.-])[\dOlI]{3}[.-][\dOlI]{4}(?![\w\-/])"
    ),
    re.compile(r"\bat\s(?:like[ ]|uh+[ ]|um+[ ])?\(?(\d{10,11})\)?(?!\w|\.\d)", re.IGNORECASE),
)
_PRONOUN: Final = r"(?:[ ](?:me|us|him|her|them|mom|mum|dad|back|patient|the[ ](?:patient|family|office|clinic|unit|ward)))"
_PERSON: Final = r"(?:[ ](?:Dr|Mr|Mrs|Ms)\.?)?(?:[ ][A-Z][\w'-]{1,20}){1,3}"
_CLINICAL_CUE: Final = re.compile(
    r"\b(?:tel(?:e?phone)?s?|tel[eé]fono?|phones?|mobiles?|cell(?:[ -]?phone|ular)?|home|work|office|call(?:ed|ing|back)?(?:[ -]?back)?|hotline|contact(?:ed|s)?|whatsapp"
    r"|reach(?:ed|able)?|text(?:ed|ing)?|dial(?:led|ed)?|answering|messages?|sms|registered|voicemail|landline|ph|telefon|(?:my|his|her|your|their|callback)[ ]number|(?P<fax>fax(?:ed)?|facsimile|telefax)"
    r"|(?P<short>pagers?|beepers?|bleep|pg|ext(?:ension)?|voalte|vocera|spectralink|desk))\b\.?"
    r"(?:[ ](?:phone|cell|line|nos?\b\.?|numbers?|info(?:rmation)?))?"
    rf"(?:{_PRONOUN}|(?-i:{_PERSON}))?[ \t]{{0,2}}[:.#=|*)\"'-]{{0,4}}\s{{0,20}}"
    r"(?:(?:is|are|was|at|on|as|to|via|like|uh+|um+|it'?s|or|ext\.?)\b[ ,:]{1,2}){0,4}"
    rf"(?P<value>\+?\(?\d{{1,11}}\)?(?:[ .\-/]{{0,2}}\(?\d{{2,4}}\)?){{0,6}}{_EXTENSION}?|{SPOKEN})(?![\w/%])(?!\.\d){_UNIT}",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"(?<![\w.+\-/])(\+?\(?\d{1,4}\)?(?:[ .\-]?\(?\d{2,4}\)?){1,5}"
    + _EXTENSION
    + r"?)[ ]?[-(]?[ ]?(?:office|(fax)|mobile|cell|home|work|pager|landline)\b(?![ ](?:visit|bp|exam))",
    re.IGNORECASE,
)
# A pager behind who signed: "PGY-2 #4417", "MD p4417".
_SIGNED: Final = re.compile(r"\b(?:M\.?D\.?|D\.?O\.?|PGY-?\d|PA-C|NP|RN|MS-?[34])[ ,/]{1,3}(?:#|p\.?[ ]?|pgr[ ]?)(\d{4,6})(?![\w.%-])")
_LONE_EXTENSION: Final = re.compile(r"(?<![\w.])(?:(?i:ext(?:ension)?)\.?[ ]?|x)(\d{4,6})(?![\w.%-])(?![ ](?:mg|ml|days?))")
_SPOKEN_NUMBER: Final = re.compile(SPOKEN, re.IGNORECASE)
_SPOKEN_WORDS: Final = range(7, 16)
_SPOKEN_ALONE: Final = 10  # patients are asked to count to five or seven; ten words in a row that do not count up are a number
_YEARS: Final = re.compile(r"(?:19|20)\d{2}(?:[ -/](?:19|20)\d{2})?")
_DATE: Final = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})|(?:19|20)\d{2}[-/.]?\d{2}[-/.]?\d{2}")
_MIN_AFTER: Final = 6
_SHORT_DIGITS: Final = range(3, 7)
_NATIONAL_DIGITS: Final = 10
_NAMES_A_TELEPHONE: Final = re.compile(r"tel|phone|cell|mobile|fax|call|pager|dial|text|contact|number|\bph\b|\b(?:at|on|to|via)\b")
_SPELLED_EXTENSION: Final = 4  # an extension of 120 is an angle
_MIN_DIGITS: Final = 7
_MIN_INTERNATIONAL_DIGITS: Final = 9
_MAX_DIGITS: Final = 15


def _digits(text: str) -> int:
    return sum(char.isdigit() for char in text)


def _closed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place without a bracket at its end that was opened before it."""
    value = text[start:end]
    return (start, end - 1) if value.endswith(")") and value.count("(") < value.count(")") else (start, end)


def find_phones(text: str) -> list[tuple[int, int]]:
    """Return half-open spans of telephone and fax numbers, in order, without the word that announces them."""
    found = [match.span(1) for match in _AFTER_CUE.finditer(text) if _MIN_DIGITS <= _digits(match.group(1)) <= _MAX_DIGITS + 6]
    for pattern in _BY_SHAPE:
        for match in pattern.finditer(text):
            least = _MIN_INTERNATIONAL_DIGITS if match.group().startswith("+") else _MIN_DIGITS
            if least <= _digits(match.group()) <= _MAX_DIGITS + 6:
                found.append(match.span())
    return merge([_closed(text, *place) for place in found])


def merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, overlapping ones united."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def find_clinical_phones(text: str) -> list[tuple[int, int, bool]]:
    """Return half-open places and whether each is a fax number: shapes and words that clinical notes add to ``find_phones``."""
    found: list[tuple[int, int, bool]] = []
    for pattern in _CLINICAL_SHAPE:
        for match in pattern.finditer(text):
            group = 1 if pattern is _CLINICAL_SHAPE[-1] else 0
            if _digits(match.group(group)) + sum(map(match.group(group).count, "OlI")) >= _MIN_INTERNATIONAL_DIGITS:
                found.append((*match.span(group), False))
    for match in _CLINICAL_CUE.finditer(text):
        if _is_announced(match.group("value"), short=match.group("short") is not None, cue=match.group().lower()):
            found.append((*match.span("value"), match.group("fax") is not None))
    for match in _AFTER.finditer(text):
        if _digits(match.group(1)) >= _MIN_AFTER and not _DATE.fullmatch(match.group(1)) and not _YEARS.fullmatch(match.group(1)):
            found.append((*match.span(1), match.group(2) is not None))
    found += [(*match.span(1), False) for pattern in (_SIGNED, _LONE_EXTENSION) for match in pattern.finditer(text)]
    for match in _SPOKEN_NUMBER.finditer(text):
        if (
            len(re.findall(r"[a-z]+", match.group().lower())) >= _SPOKEN_ALONE
            and "three, four" not in match.group()
            and "three four five" not in match.group()
        ):
            found.append((*match.span(), False))
    return [(*_closed(text, start, end), is_fax) for start, end, is_fax in found]


def _is_announced(value: str, *, short: bool, cue: str) -> bool:
    """Whether the words before ``value`` make it a telephone number: seven digits, or three to six after pager and extension."""
    count = _digits(value)
    if not count:
        return len(value.split()) in _SPOKEN_WORDS or short
    if _DATE.fullmatch(value) or _YEARS.fullmatch(value):
        return False
    if short and count in _SHORT_DIGITS:
        return value.isdecimal() and not (count < _SPELLED_EXTENSION and "extension" in cue)
    if value.isdecimal() and count < _NATIONAL_DIGITS and not _NAMES_A_TELEPHONE.search(cue):
        return False  # a viral load that reached 1250000
    return _MIN_DIGITS <= count <= _MAX_DIGITS + 6


class Phones(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.PHONE, IdentifierClass.FAX)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return telephone numbers; fax numbers twice."""
        clinical = find_clinical_phones(text)
        for start, end in merge([*find_phones(text), *((start, end) for start, end, _ in clinical)]):
            yield self.found(start, end, IdentifierClass.PHONE, 0.9)
        for start, end, is_fax in clinical:
            if is_fax:
                yield self.found(start, end, IdentifierClass.FAX, 0.95)
