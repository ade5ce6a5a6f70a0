"""Telephone and fax numbers: by their own shape (North America, E.164) or by the word before them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

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
_MIN_DIGITS: Final = 7
_MIN_INTERNATIONAL_DIGITS: Final = 9
_MAX_DIGITS: Final = 15


def _digits(text: str) -> int:
    return sum(char.isdigit() for char in text)


def find_phones(text: str) -> list[tuple[int, int]]:
    """Return half-open spans of telephone and fax numbers, in order, without the word that announces them."""
    found = [match.span(1) for match in _AFTER_CUE.finditer(text) if _MIN_DIGITS <= _digits(match.group(1)) <= _MAX_DIGITS + 6]
    for pattern in _BY_SHAPE:
        for match in pattern.finditer(text):
            least = _MIN_INTERNATIONAL_DIGITS if match.group().startswith("+") else _MIN_DIGITS
            if least <= _digits(match.group()) <= _MAX_DIGITS + 6:
                found.append(match.span())
    return merge(found)


def merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, overlapping ones united."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


class Phones(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.PHONE,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return telephone numbers."""
        return [self.found(start, end, IdentifierClass.PHONE, 0.9) for start, end in find_phones(text)]
