"""Cuts a long text into overlapping windows, so that a language model reads any length and no name is lost at an edge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

# spaCy refuses a million characters (its E088) and needs about 1 GB for 100,000 at once; a window of 20,000 stays under 200 MB.
WINDOW_CHARACTERS: Final = 20_000
# Longer than any identifier with the words around it that recognisers read.
OVERLAP_CHARACTERS: Final = 500
_BREAKS: Final = ("\n\n", "\n", ". ", " ")


def windows(text: str, *, size: int = WINDOW_CHARACTERS, overlap: int = OVERLAP_CHARACTERS) -> Iterator[tuple[int, int]]:
    """Yield half-open ranges that cover ``text`` in order; each begins ``overlap`` characters before the end of the one before.

    A window ends at the end of a paragraph where there is one in its second half, else of a line, a sentence or a word.
    """
    start = 0
    while True:
        end = min(start + size, len(text))
        if end < len(text):
            end = _good_end(text, start + size // 2, end)
        yield start, end
        if end == len(text):
            return
        start = max(start + 1, _word_start(text, end - overlap, end))


def _good_end(text: str, low: int, high: int) -> int:
    for sign in _BREAKS:
        place = text.rfind(sign, low, high)
        if place >= 0:
            return place + len(sign)
    return high


def _word_start(text: str, place: int, end: int) -> int:
    blank = text.find(" ", place, end)
    return place if blank < 0 else blank + 1
