"""Cuts a text into words with what stands between them. Offsets are those of the text as it came."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass

MASK: Final = "\ufffc"  # stands for a placeholder: no word, and nothing joins over it

_PLACEHOLDER: Final = re.compile(r"\[[A-Z][A-Z_]{0,24}(?: 90\+)?\]|(?<![\w.])90\+")
_WORD: Final = re.compile(rf"[^\s,;:()\[\]{{}}\"=|<>{MASK}]+")
_RUN: Final = re.compile(rf"[^\s{MASK}]+")
_UNSEEN: Final = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_SIMPLE: Final = {"’": "'", "‘": "'", "‐": "-", "‑": "-", "‒": "-", "–": "-", "−": "-", "\u00a0": " "}
_LEADING: Final = "'*_~.#!?-"
_TRAILING: Final = "'*_~.!?-#"


@dataclass(frozen=True, slots=True)
class Word:
    """One word without the punctuation at its edges and without a possessive."""

    text: str
    low: str
    gap: str  # what stands between the word before and this one
    start: int  # in the text as it came
    end: int  # half-open
    digits: int
    is_name_like: bool  # letters that begin with a capital: Smith, O'Neil, SMITH


@dataclass(frozen=True, slots=True)
class Words:
    """A text as words, and as runs between blanks (for what holds colons and slashes)."""

    text: str  # folded
    offsets: Sequence[int] | None  # of each folded character in the source, and of the end; None: as it came
    all: tuple[Word, ...]

    def found(self, first: Word, last: Word, category: IdentifierClass, by: str) -> Found:
        """Return the place from one word to another."""
        return Found(first.start, last.end, category, 1.0, f"gate.{by}")

    def place(self, start: int, end: int, category: IdentifierClass, by: str) -> Found:
        """Return the place of a range of the folded text."""
        if self.offsets is None:
            return Found(start, end, category, 1.0, f"gate.{by}")
        return Found(self.offsets[start], self.offsets[end - 1] + 1, category, 1.0, f"gate.{by}")

    def runs(self) -> list[tuple[str, int]]:
        """Return what stands between blanks, with where it begins in the folded text."""
        return [(match.group(), match.start()) for match in _RUN.finditer(self.text)]


def words(text: str, *, written: Iterable[str] = ()) -> Words:
    """Cut ``text`` into words; placeholders and values that de-identification has written are masked."""
    folded, offsets = _fold(text)
    for value in sorted({value for value in written if len(value) > 1 and not value.startswith("[")}, key=len, reverse=True):
        folded = folded.replace(value, MASK * len(value))
    folded = _PLACEHOLDER.sub(lambda match: MASK * len(match.group()), folded)
    found: list[Word] = []
    done = 0
    for match in _WORD.finditer(folded):
        raw = match.group()
        left = len(raw) - len(raw.lstrip(_LEADING))
        core = raw.strip(_LEADING).rstrip(_TRAILING)
        if core.endswith(("'s", "'S")):
            core = core[:-2]
        if not core:
            continue
        start = match.start() + left
        end = start + len(core)
        found.append(_word(core, folded[done:start], start, end, offsets))
        done = end
    return Words(folded, offsets, tuple(found))


def _word(core: str, gap: str, start: int, end: int, offsets: Sequence[int] | None) -> Word:
    digits = 0 if core.isalpha() else sum("0" <= char <= "9" for char in core)
    name_like = core[0].isupper() and digits == 0 and core.replace("'", "").replace("-", "").replace(".", "").isalpha()
    if offsets is not None:
        start, end = offsets[start], offsets[end - 1] + 1
    return Word(core, core.lower(), gap, start, end, digits, name_like)


def _fold(text: str) -> tuple[str, list[int] | None]:
    """Undo full-width signs, other scripts' digits and signs that nobody sees."""
    if text.isascii():
        return text, None
    kept: list[str] = []
    offsets: list[int] = []
    for index, char in enumerate(text):
        if char in _UNSEEN:
            continue
        kept.append(char if char.isascii() else _simple(char))
        offsets.append(index)
    return "".join(kept), [*offsets, len(text)]


def _simple(char: str) -> str:
    if char in _SIMPLE:
        return _SIMPLE[char]
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and not char.isnumeric() else char


def joined(word: Word, *, also: str = "") -> bool:
    """Whether only blanks (and signs of ``also``) stand between a word and the one before: no line's end, no placeholder."""
    return all(char in " \t" or char in also for char in word.gap)
