"""Folds text for detection: what hides an identifier from a pattern is undone, and every offset leads back to the source."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

# Signs that a reader does not see: soft hyphen, zero-width blanks and joiners, direction marks, byte order mark, variation selectors.
_UNSEEN: Final = "\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_NOT_PLAIN: Final = re.compile(f"[{_UNSEEN}]|[^\\x00-\\x7f]")
# Letters of other alphabets that look like Latin ones (Unicode TR39, the ones met in identifiers).
_CONFUSABLE: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухΑΒΕΖΗΙΚΜΝΟΡΤΥΧοι",
    "ABESIJKMHOPCTYXaesijopcyxABEZHIKMNOPTYXoi",
)
_MARKS: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "‐": "-", "‑": "-", "‒": "-", "–": "-", "−": "-", "﹣": "-", "\u00a0": " "})
# A number that goes on in the next line, also where a page's layout makes a paragraph of it: 406-555-, 0177; 02/17/, 1952.
_BROKEN: Final = re.compile(r"(?<=\d[-/])[ \t]*\n{1,2}[ \t]*(?=\d)")
_WORD: Final = re.compile(r"\w+")
_LATIN: Final = re.compile(r"[A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Plain:
    """Folded text; ``offsets[i]`` is where its i-th character stands in the source, and one more for the end."""

    text: str
    offsets: tuple[int, ...] | None  # None: as the source

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return a half-open range of the source for one of the folded text; unseen signs inside it belong to it."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end - 1] + 1


def plain(text: str) -> Plain:
    """Fold ``text``; accented letters stay.

    Unseen signs and line breaks inside numbers go, full-width letters and decimal digits of any script become ASCII, dashes and quotes become simple ones, and look-alike
    letters become Latin in words that hold Latin letters or digits too.
    """
    broken = {at for match in _BROKEN.finditer(text) for at in range(*match.span())}
    if not broken and (text.isascii() or _NOT_PLAIN.search(text) is None):
        return Plain(text, None)
    kept: list[str] = []
    offsets: list[int] = []
    unseen = re.compile(f"[{_UNSEEN}]")
    for index, char in enumerate(text):
        if index in broken or unseen.match(char):
            continue
        kept.append(_simple(char))
        offsets.append(index)
    offsets.append(len(text))
    folded = _WORD.sub(_latin, "".join(kept).translate(_MARKS))
    return Plain(folded, tuple(offsets))


def _simple(char: str) -> str:
    """One character for one: full-width forms and decimal digits of any script."""
    if char.isascii():
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if "\ud800" <= char <= "\udfff":  # half of a sign, which spaCy cannot store
        return "\ufffd"
    if "\uff01" <= char <= "\uff5e":
        return chr(ord(char) - 0xFEE0)
    return char


def _latin(match: re.Match[str]) -> str:
    word = match.group()
    if word.isascii() or not _LATIN.search(word):
        return word
    return word.translate(_CONFUSABLE)
