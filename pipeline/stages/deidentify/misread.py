"""Undoes, for detection alone, what OCR does to identifiers: letters for digits in numbers, digits for letters in words and labels.

The text keeps its length, so that offsets stay; what is cited is never changed. A number that was read right is not touched.
"""

from __future__ import annotations

import re
from typing import Final

#: Pairs that Tesseract took for each other on rendered pages of 150 to 300 dpi, and their like.
_DIGITS: Final = str.maketrans("OoQDlIi|!]SsBZzG", "0000111111558226")
_LETTERS: Final = str.maketrans("015|O", "oislo")
# Digits with such letters and the signs that stand in dates, telephone and other numbers.
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9$§\[])[\dOoQDlIi|!SsBZzG](?:[-/.]?[\dOoQDlIi|!\]SsBZzG]){3,29}(?![A-Za-z0-9])")
_LEAST_DIGITS: Final = 3  # of a number that is repaired; a dose such as 1OO has fewer
# A sign of money before a code: $31-0098872 is S31-0098872, $1,200 and $ 31 are money.
_SIGN: Final = re.compile(r"[$§](?=[A-Z0-9]{0,6}-?\d{4})")
_WORD: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]+(?:[015|][A-Za-z]+)+(?![A-Za-z0-9])|(?<![A-Za-z0-9])[A-Z][a-z]{2,}O[a-z]+(?![A-Za-z0-9])"
)
_LEAST_LETTERS: Final = 4  # of a word with digits for letters; fewer are codes (p53, B1a)
# A birth date of which only the label and some digits were read: O447A958 for 04/17/1958.
_BIRTH: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:DOB|[Dd]ate of [Bb]irth|[Bb]irth ?date)[:;.,]{0,2} {1,3}(?P<value>(?=(?:\S{0,9}\d){3})[^\s;,]{6,10})(?![^\s;,])"
)
_SOME_DATE: Final = {6: "1/1/50", 7: "1/01/50", 8: "01/01/50", 9: "1/01/1950", 10: "01/01/1950"}
_DATE: Final = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")
_LABEL: Final = re.compile(r"(?<![A-Za-z0-9])(?:(?P<birth>D[0O][B8])|(?P<social>[S5]{2}N))(?![A-Za-z0-9])")


def repaired(text: str) -> str:
    """Return the text as a reader would understand it, of the same length."""
    text = _LABEL.sub(lambda match: "DOB" if match["birth"] else "SSN", text)
    text = _BIRTH.sub(_birth, text)
    text = _WORD.sub(_word, text)
    text = _NUMBER.sub(_number, text)
    return _SIGN.sub("S", text)  # after numbers, in which an S is a 5


def _birth(match: re.Match[str]) -> str:
    """Write a colon behind the label and, where it is told by no form of a date, some date of the same length."""
    label, value = match.group()[: match.start("value") - match.start()], match["value"]
    clean = value.translate(_DIGITS)
    known = clean if _DATE.fullmatch(clean) else _SOME_DATE[len(value)]
    return f"{label.replace(';', ':')}{known}"


def _number(match: re.Match[str]) -> str:
    value = match.group()
    digits = sum(char.isdecimal() for char in value)
    letters = sum(not char.isdecimal() and char not in "-/." for char in value)
    return value.translate(_DIGITS) if digits >= _LEAST_DIGITS and digits > letters > 0 else value


def _word(match: re.Match[str]) -> str:
    value = match.group()
    return value.translate(_LETTERS) if sum(char.isalpha() for char in value) >= _LEAST_LETTERS else value
