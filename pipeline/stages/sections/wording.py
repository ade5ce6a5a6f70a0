"""The text of a heading: its number, its plain form that the rules are written in, its capitals."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

#: A heading on a line is sought in this many characters: longer ones are sentences (the longest of ICH M11 has 88).
LONGEST_HEADING: Final = 120
_LONGEST_PATH_ENTRY: Final = 120

_NUMBER = re.compile(
    r"(?:(?:section|chapter|part)\s{1,3})?"
    r"(?P<digits>\d{1,2}(?:\.\d{1,2}){0,5})(?:[.)](?=\s|[A-Z])|(?=\s))[ \t]{0,8}",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"(?P<roman>[IVX]{1,5})[.)][ \t]{1,8}")
_LETTER = re.compile(r"[A-Z][.)][ \t]{1,8}")
_APPENDIX = re.compile(r"(?:appendix|annex|attachment)\b", re.IGNORECASE)
_APPENDIX_NUMBER = re.compile(r"(appendix|annex|attachment)\s{1,3}(?:\d{1,2}(?:\.\d{1,2})?|[ivx]{1,4}|[a-z])\b[.:\-\s]{0,4}", re.IGNORECASE)
#: Ours, and those of publishers that de-identified a text before us (XXXX, ____).
_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z_ ]{1,30}\]|\bX{3,20}\b|_{3,20}")
_SIGNS = re.compile(r"[^0-9a-z]+")
_CONTINUED = re.compile(r"\s(?:continued|cont|contd)$")
_ROMAN_DIGITS: Final = {"I": 1, "V": 5, "X": 10}


@dataclass(frozen=True, slots=True)
class Number:
    """A heading's number. ``parts`` is empty for a letter, which says nothing of the level."""

    parts: tuple[int, ...]
    length: int  # in characters, with the blanks after it

    @property
    def depth(self) -> int:
        """1 for ``5.``, 3 for ``5.1.2``, 0 without digits."""
        return len(self.parts)


NO_NUMBER: Final = Number((), 0)


def number_of(text: str) -> Number:
    """Return the number that a heading begins with: ``5.1.2``, ``8.``, ``Section 4``, ``IV.``, ``B.``."""
    if match := _NUMBER.match(text):
        parts = [int(part) for part in match["digits"].split(".")]
        if len(parts) > 1 and parts[-1] == 0:
            parts.pop()  # "1.0 INTRODUCTION" is of the first level
        return Number(tuple(parts), match.end())
    if match := _ROMAN.match(text):
        return Number((_roman(match["roman"]),), match.end())
    if match := _LETTER.match(text):
        return Number((), match.end())
    return NO_NUMBER


def _roman(text: str) -> int:
    values = [_ROMAN_DIGITS[letter] for letter in text]
    return sum(-value if value < max(values[index:]) else value for index, value in enumerate(values))


def plain(text: str) -> str:
    """Return a heading as the rules write it: lower case, words parted by one blank, no signs, no placeholders of de-identification."""
    text = _PLACEHOLDER.sub(" ", text[: 2 * LONGEST_HEADING]).casefold().replace("&", " and ").replace("'", "").replace("’", "")
    return _CONTINUED.sub("", _SIGNS.sub(" ", text).strip())


def without_appendix_number(text: str) -> str:
    """Return ``Appendix: Schedule of Activities`` for ``Appendix A - Schedule of Activities``."""
    return _APPENDIX_NUMBER.sub(r"\1: ", text, count=1) if _APPENDIX.match(text) else text


def is_capitals(text: str) -> bool:
    """Whether a heading has letters and none of them is small (an ``s`` in brackets, a plural's ``s`` may be)."""
    text = re.sub(r"\(s\)|(?<=[A-Z]{2})s\b", "", _PLACEHOLDER.sub("", text))
    return any(letter.isupper() for letter in text) and not any(letter.islower() for letter in text)


_SMALL_WORDS: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "of",
        "on",
        "or",
        "per",
        "the",
        "to",
        "vs",
        "with",
        "without",
        "de",
        "la",
    ]
)


def is_title(text: str) -> bool:
    """Whether a heading's words begin with capitals or digits, small words excepted."""
    words = [word.strip("()[],/-–:") for word in text.split()]
    words = [word for word in words if word and word.lower() not in _SMALL_WORDS]
    return bool(words) and all(not word[0].islower() for word in words)


def printed(text: str) -> str:
    """Return a heading for display: blanks collapsed, signs of emphasis and the colon off, at most 120 characters."""
    return " ".join(text.split()).strip("#*_ ").rstrip(":–-,; ")[:_LONGEST_PATH_ENTRY].rstrip()
