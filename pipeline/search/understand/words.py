"""A query's words with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+(?:[-'’/.][^\W_]+)*\+?")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it was written; ``key`` is its lower case. Hyphens, slashes, points and apostrophes within it belong to it."""

    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """What it is compared by."""
        return self.text.casefold().replace("’", "'")


def words(text: str) -> list[Word]:
    """Return the words of a text in order."""
    return [Word(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]


def keys(text: str) -> tuple[str, ...]:
    """Return what the words of a text are compared by."""
    return tuple(word.key for word in words(text))


def replaced(text: str, changes: list[tuple[int, int, str]]) -> str:
    """Return the text with stretches replaced; they must not overlap."""
    for start, end, other in sorted(changes, reverse=True):
        text = text[:start] + other + text[end:]
    return text
