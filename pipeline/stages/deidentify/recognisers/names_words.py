"""A text as words for the recognisers of names: where each stands, how it is written, and what is known of it as a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pipeline.stages.deidentify.recognisers.names_lexicon import credentials, fold, never, traits

# Letters with combining accents; hyphens and apostrophes only between letters.
_LETTERS: Final = "(?:[^\\W\\d_]|[\u0300-\u036f])"
_WORD: Final = re.compile(rf"{_LETTERS}+(?:['\-]{_LETTERS}+)*")
# Names that begin with a small letter: al-Rashid, d'Angelo, bin-Laden.
_PREFIXED: Final = re.compile(r"(?:al|el|ul|bin|ibn|de|da)-(?=.)|[dl]'(?=.)")
# A capital inside a word is a name's after these beginnings; elsewhere it is a product's ("SmartCore").
_MIXED: Final = re.compile(r"[^\W\d_A-Z][A-Z]")
_INNER: Final = re.compile(r"(?:M'?c|Mac|Fitz|De|Di|Da|Du|Del|Della|La|Le|Van|Von|Vander|St|Ver|Ten|El|Al|Ap|O)[A-Z][^\W\dA-Z_]*$")
# A longer word is no name: hostile input of one letter repeated stays cheap.
_LONGEST: Final = 40


@dataclass(slots=True)
class Word:
    """One word. ``shape``: T(itle case), C(apitals), I(nitial: one capital), l(ower case), x (part of a code, an address or too long)."""

    start: int
    end: int  # without a possessive
    text: str
    low: str
    shape: str
    given: bool
    last: bool
    ordinary: bool
    possessive: bool

    @property
    def never(self) -> bool:
        """Whether it stands beside names and is no part of them; never so with an accent ("Đỗ" is not "do")."""
        return self.low in never() and self.text.isascii()

    @property
    def credential(self) -> bool:
        """Whether it is a degree or a licence."""
        return self.low in credentials() and self.text.isascii()

    @property
    def is_name(self) -> bool:
        """Whether a list of names has it."""
        return self.given or self.last

    @property
    def only_name(self) -> bool:
        """Whether it is a name and no ordinary word."""
        return (self.given or self.last) and not self.ordinary

    @property
    def plain_word(self) -> bool:
        """Whether it is an ordinary word and no name."""
        return self.ordinary and not self.given and not self.last

    @property
    def upper(self) -> bool:
        """Whether it begins with a capital and is longer than an initial."""
        return self.shape in "TC"


@lru_cache(maxsize=1)  # three recognisers read one text, one after the other
def split_words(text: str) -> tuple[Word, ...]:
    """Return the words of ``text``, in order."""
    words = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        raw = match.group()
        possessive = len(raw) > 2 and raw[-2] == "'" and raw[-1] in "sS"
        if possessive:
            raw, end = raw[:-2], end - 2
        if end - start > _LONGEST or _is_in_code(text, start, match.end()):
            words.append(Word(start, end, raw, raw.lower() if len(raw) <= _LONGEST else "", "x", False, False, False, possessive))
            continue
        words.append(Word(start, end, raw, *_known(raw), possessive))
    return tuple(words)


@lru_cache(maxsize=65_536)  # distinct words of some hundred documents: 10 MB
def _known(raw: str) -> tuple[str, str, bool, bool, bool]:
    return fold(raw), _shape(raw), *traits(raw)


def _is_in_code(text: str, start: int, end: int) -> bool:
    """Whether a digit, an underscore, @ or a backslash touches the word, or a dot joins it to letters as in an address."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isspace() and after.isspace():
        return False
    if before.isdigit() or after.isdigit() or (before and before in "_@\\") or (after and after in "_@\\"):
        return True
    joined_before = before == "." and start > 1 and text[start - 2].islower() and text[start].islower()
    return joined_before or (after == "." and text[end + 1 : end + 2].islower() and text[end - 1].islower())


def _shape(raw: str) -> str:
    if not raw[0].isupper():
        prefix = _PREFIXED.match(raw)
        return "T" if prefix and raw[prefix.end()].isupper() else "l"
    if len(raw) == 1:
        return "I"
    if raw.isupper():
        return "C"
    return "x" if _MIXED.search(raw) and not _INNER.match(raw) else "T"
