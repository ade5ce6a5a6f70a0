"""Whether lines are a heading, by size, weight, capitals and numbering against what most of their page is set in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.stages.extract.content import Line

NUMBERED: Final = re.compile(r"(?:(?:Section|Appendix|SECTION|APPENDIX)\s+)?(\d{1,2}(?:\.\d{1,2}){0,5})\.?\s+(?=[A-Z“\"(])")
_LARGER: Final = 1.09  # of the size of most text: 12 on 11 points
_MAX_LINES: Final = 3
_MAX_WORDS: Final = 16
_MAX_WORDS_LARGE: Final = 30
_MAX_WORDS_CAPITALS: Final = 10
_LETTERS: Final = 3
_ENDS_SENTENCE: Final = (".", ",", ";")
LEADER: Final = re.compile(r"(?:\. ?){4,}\w{1,5}\Z")  # dots to a page number: an entry of a table of contents
_ENTRIES: Final = 5  # on a page: it is a table of contents, and numbered titles on it are entries too
_PAGE_NUMBER: Final = re.compile(r"\s\d{1,3}\Z")
#: A dose, or a remark in brackets: bold in lists of drugs, but it heads nothing.
_NO_HEADING: Final = re.compile(r"\(|\d[\d.,–-]*\s?(?:mg|mcg|µg|g|kg|mL|ml|L|mEq|mmol|units?|IU|puffs?|tablets?|%)(?![^\W\d_])")
_A_WORD: Final = re.compile(r"[^\W\d_]{4,}")
DEEPEST: Final = 6
PLAIN_LEVEL: Final = 2  # of a heading without number, until the whole document is seen


@dataclass(frozen=True, slots=True)
class PageType:
    """What most signs of a page are set in."""

    size: float
    is_bold: bool
    is_capitals: bool
    is_contents: bool

    @classmethod
    def of(cls, lines: Sequence[Line]) -> PageType:
        """Count signs by size, weight and case."""
        sizes: dict[float, int] = defaultdict(int)
        bold = upper = lower = total = 0
        for line in lines:
            text = line.text
            sizes[line.size] += len(text)
            total += len(text)
            bold += len(text) * line.bold
            upper += sum(sign.isupper() for sign in text)
            lower += sum(sign.islower() for sign in text)
        size = max(sizes, key=lambda one: (sizes[one], -one), default=0.0)
        entries = sum(LEADER.search(line.text) is not None for line in lines)
        return cls(size, bold * 2 > total, upper > lower, entries >= _ENTRIES)


def heading_level(lines: Sequence[Line], page: PageType, *, is_bold: bool) -> int:
    """Return the level of a heading, 1 (highest) to 6, by its numbering where it has one; 0: it is none."""
    if len(lines) > _MAX_LINES:
        return 0
    text = " ".join(line.text for line in lines)
    words = text.split()
    if sum(sign.isalpha() for sign in text) < _LETTERS or LEADER.search(text) or (page.is_contents and _PAGE_NUMBER.search(text)):
        return 0
    is_large = lines[0].size >= _LARGER * page.size
    depth = 0 if page.is_contents else numbered_depth(text)
    if text.endswith(_ENDS_SENTENCE) and not (depth and is_bold):
        return 0
    if len(words) > (_MAX_WORDS_LARGE if is_large else _MAX_WORDS):
        return 0
    is_heavy = is_bold and not page.is_bold
    is_capitals = (
        _is_capitals(text) and not (page.is_capitals or page.is_contents) and len(words) <= _MAX_WORDS_CAPITALS and len(lines) == 1
    )
    if depth and (is_large or is_heavy or is_capitals or depth > 1):
        return depth
    if text[0].islower() or _NO_HEADING.match(text) or lines[0].size < page.size * (2 - _LARGER):
        return 0
    return PLAIN_LEVEL if is_large or is_heavy or is_capitals else 0


def numbered_depth(text: str) -> int:
    """Return how many numbers a heading is numbered with (``5.1.2 Title``: 3); 0: with none."""
    found = NUMBERED.match(text)
    if found is None:
        return 0
    numbers = found.group(1).removesuffix(".0").split(".")
    return min(len(numbers), DEEPEST) if not numbers[0].startswith("0") else 0


def _is_capitals(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    return len(letters) > _LETTERS and all(sign.isupper() for sign in letters) and _A_WORD.search(text) is not None
