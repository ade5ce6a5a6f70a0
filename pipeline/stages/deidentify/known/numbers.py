"""Finds known numbers and codes: record, telephone, social security and account numbers, licences, plates, serials.

Their digits count with any separators, as one run, with letters that OCR takes for digits, inside a longer run where they are many, and as
the last four where the text says so. Codes with letters count in any case and spacing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.known.text import Words, canonical, fold

PHONES: Final = frozenset({IdentifierClass.PHONE, IdentifierClass.FAX})
_LAST_FOUR_OF: Final = PHONES | {IdentifierClass.SSN}
_UNMISTAKABLE: Final = 7  # digits: inside any longer run, too
_SPACED: Final = 6  # digits: with blanks between them; fewer only as one run ("12 500" is a count)
_UNLABELLED: Final = 5  # fewer digits only after a label: a four-digit record number may be a year or a dose
_MIN_DIGITS: Final = 3
_NATIONAL: Final = (10, 9, 8, 7)  # digits of a telephone number without its country code, or without its area code
_RUN: Final = re.compile(r"\d+")
_GAP: Final = re.compile(r"[\s().,\-/+_·:]{1,5}")
_DIGIT_LIKE: Final = re.compile(r"[\dOoIlSsBZz|]*\d[\dOoIlSsBZz|]*")
_OCR_DIGITS: Final = str.maketrans("OoIl|SsBZz", "0011155822")
_EXTENSION: Final = re.compile(r"\s?(?:ext(?:ension)?|x)\.?\s?#?(\d{1,6})", re.IGNORECASE)
_EXTENSION_OF_VALUE: Final = re.compile(r"\s*(?:ext(?:ension)?|x)\.?\s*#?\s*\d{1,6}\s*$", re.IGNORECASE)
_LABEL: Final = re.compile(
    r"(?:\b(?:mrn|mr|id|no|nr|number|num|record|chart|acct|account|file|case|pin|code)|#)[\s.:#()\-]{0,6}$", re.IGNORECASE
)
_LAST_FOUR: Final = re.compile(
    r"(?:\blast[\s\-]{1,3}(?:four|4)(?:[\s\-]{1,3}digits?)?|\bend(?:s|ing)(?:\s+(?:in|with))?|[x*•#]{2,6})"
    r"(?:[\s:\-.(]{0,3}(?:of|is|are|ssn|ss|social|security|phone|tel|number|no|her|his|their|the|[x*•#]{2,6})\b){0,6}[\s:\-.(]{0,4}(\d{4})(?!\d)",
    re.IGNORECASE,
)
_EDGE: Final = re.compile(r"[+(]{1,2}$")

Place = tuple[int, int, IdentifierClass]


@dataclass(frozen=True, slots=True)
class _Number:
    digits: str
    category: IdentifierClass
    prefix: str  # digits that may stand before them: a country code


class NumberFinder:
    """Finds the numbers and codes of one patient; made once a patient."""

    def __init__(self, values: Mapping[IdentifierClass, Iterable[str]]) -> None:
        self._numbers: dict[str, _Number] = {}
        self._codes: dict[str, IdentifierClass] = {}
        self._last_four: dict[str, IdentifierClass] = {}
        for category, each in values.items():
            for value in each:
                self._add(category, value)

    def find(self, words: Words) -> list[Place]:
        """Return half-open places with their class."""
        found = list(self._find_codes(words))
        if self._numbers:
            text = ocr_digits(words)
            found += self._find_numbers(text, words.text)
        if self._last_four:
            found += [
                (*match.span(1), category) for match in _LAST_FOUR.finditer(words.text) if (category := self._last_four.get(match.group(1)))
            ]
        return found

    def _add(self, category: IdentifierClass, value: str) -> None:
        bare = _EXTENSION_OF_VALUE.sub("", value) if category in PHONES else value
        digits = "".join(char for char in bare if char.isdecimal())
        code = canonical(fold(bare))
        if len(code) > _MIN_DIGITS and not fold(bare).isdecimal():
            self._codes.setdefault(code, category)
        if len(digits) < _MIN_DIGITS or (not fold(bare).isdecimal() and len(digits) < _SPACED and category not in PHONES):
            return
        if category in PHONES:
            for length in {*(_NATIONAL if len(digits) > 7 else ()), len(digits)}:
                if length <= len(digits) and (length >= 10 or length in {7, len(digits)} or bare.strip().startswith(("+", "00", "0"))):
                    self._put(_Number(digits[-length:], category, digits[:-length]))
        else:
            self._put(_Number(digits.lstrip("0") if len(digits.lstrip("0")) >= _UNLABELLED else digits, category, ""))
        if category in _LAST_FOUR_OF and len(digits) > 4:
            self._last_four.setdefault(digits[-4:], category)

    def _put(self, number: _Number) -> None:
        self._numbers.setdefault(number.digits, number)

    def _find_codes(self, words: Words) -> Iterator[Place]:
        for code, category in self._codes.items():
            for first, last in words.whole(code):
                if last - first < 8 and all(_GAP.fullmatch(words.gap(index)) or words.gap(index) == "'" for index in range(first, last)):
                    yield words.starts[first], words.ends[last], category

    def _find_numbers(self, text: str, source: str) -> Iterator[Place]:
        runs = [match.span() for match in _RUN.finditer(text)]
        stream = "".join(text[start:end] for start, end in runs)
        bounds: list[int] = []
        place = 0
        for start, end in runs:
            bounds.append(place)
            place += end - start
        for number in self._numbers.values():
            place = stream.find(number.digits)
            while place >= 0:
                first = bisect_right(bounds, place) - 1
                last = bisect_right(bounds, place + len(number.digits) - 1) - 1
                before = stream[bounds[first] : place]
                after = bounds[last] + runs[last][1] - runs[last][0] - place - len(number.digits)
                if _fits(number, text, runs[first : last + 1], before, after):
                    yield (*_widened(number, text, runs, first, last), number.category)
                place = stream.find(number.digits, place + 1)


def _fits(number: _Number, text: str, runs: list[tuple[int, int]], before: str, after: int) -> bool:
    """Whether digits found in a stream are the number: by their separators, and by what else stands in the same runs."""
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(runs)]
    if not all(_GAP.fullmatch(gap) for gap in gaps):
        return False
    length = len(number.digits)
    if length >= _UNMISTAKABLE:
        return True
    if after or before.strip("0"):
        return False
    if length < _SPACED and any(gap.isspace() or "," in gap for gap in gaps):
        return False
    if length < _UNLABELLED:
        start = runs[0][0]
        return not gaps and _LABEL.search(text, max(0, start - 24), start) is not None
    return True


def _widened(number: _Number, text: str, runs: list[tuple[int, int]], first: int, last: int) -> tuple[int, int]:
    """Take in the whole runs, a country code, brackets and the extension of a telephone number."""
    start, end = runs[first][0], runs[last][1]
    if number.category in PHONES:
        while first > 0 and number.prefix and start - runs[first - 1][1] <= 3 and _GAP.fullmatch(text[runs[first - 1][1] : start]):
            digits = text[slice(*runs[first - 1])].lstrip("0")
            if not number.prefix.endswith(digits) and digits != "1":
                break
            first -= 1
            start = runs[first][0]
        if edge := _EDGE.search(text, max(0, start - 2), start):
            start = edge.start()
        if extension := _EXTENSION.match(text, end):
            end = extension.end()
    return start, end


def ocr_digits(words: Words) -> str:
    """Return the text with letters for digits in words that hold digits and nothing else but such letters; no offset changes."""
    text = words.text
    mixed = [index for index, raw in enumerate(words.raw) if not raw.isdecimal() and not raw.isalpha() and _DIGIT_LIKE.fullmatch(raw)]
    if not mixed:
        return text
    pieces: list[str] = []
    done = 0
    for index in mixed:
        pieces += (text[done : words.starts[index]], words.raw[index].translate(_OCR_DIGITS))
        done = words.ends[index]
    return "".join((*pieces, text[done:]))
