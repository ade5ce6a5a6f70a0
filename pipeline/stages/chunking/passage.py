"""A run of words of one part: its text with blanks normalised, and where each word stands. All chunk texts are made of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.chunks import Span
from pipeline.stages.chunking.markup import Folded

_WORD: Final = re.compile(r"\S+")
# No real word is longer; a longer run of signs is cut so that splitting can always end.
_MAX_WORD: Final = 200


@dataclass(frozen=True, slots=True)
class Word:
    """One word: its range in the folded text and what stands before it in a passage's text (nothing where a long word was cut)."""

    start: int
    end: int
    before: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Words in order. Never empty where it becomes a chunk."""

    folded: Folded = field(repr=False)
    words: tuple[Word, ...] = field(repr=False)

    @property
    def text(self) -> str:
        """The words with one blank or line break between them."""
        return self.piece(0, len(self.words))

    @property
    def span(self) -> Span:
        """From the first to the last character, in the raw text."""
        return self.folded.raw_span(self.words[0].start, self.words[-1].end)

    def piece(self, start: int, end: int) -> str:
        """Return the text of the words ``start:end``."""
        source = self.folded.text
        pieces = [text for word in self.words[start:end] for text in (word.before, source[word.start : word.end])]
        return "".join(pieces[1:])

    def part(self, start: int, end: int) -> Passage:
        """Return the words ``start:end`` as a passage of their own."""
        return Passage(self.folded, self.words[start:end])


def passage(folded: Folded, ranges: Iterable[tuple[int, int]], *, between: str = " ", lines: bool = False) -> Passage:
    """Collect the words of some ranges of the folded text.

    Args:
        folded: The part.
        ranges: Half-open ranges, in order.
        between: What stands between the words of two ranges.
        lines: Keep line breaks inside a range.
    """
    words: list[Word] = []
    text = folded.text
    for start, end in ranges:
        before = between
        last = start
        for match in _WORD.finditer(text, start, end):
            if lines and last > start and "\n" in text[last : match.start()]:
                before = "\n"
            first, last = match.span()
            while last - first > _MAX_WORD:
                words.append(Word(first, first + _MAX_WORD, before))
                first += _MAX_WORD
                before = ""
            words.append(Word(first, last, before))
            before = " "
    return Passage(folded, tuple(words))
