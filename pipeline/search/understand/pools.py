"""Words that a misspelt one may stand for, laid out so that the near ones are found in a fraction of a millisecond."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

SHORTEST: Final = 4  # letters of a word that may be corrected, and of what it may stand for


@dataclass(frozen=True, slots=True)
class Pool:
    """Words, lower case, by first letter and length."""

    words: frozenset[str] = field(default=frozenset(), repr=False)
    by_start: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, some: Iterable[str]) -> Pool:
        """Make one of those words that have letters alone, and enough of them."""
        kept = sorted({word for word in some if word.isalpha() and len(word) >= SHORTEST})
        by_start: dict[tuple[str, int], list[str]] = {}
        for word in kept:
            by_start.setdefault((word[0], len(word)), []).append(word)
        return cls(frozenset(kept), {start: tuple(members) for start, members in by_start.items()})

    def near(self, word: str, *, most: int) -> Iterator[tuple[str, int]]:
        """Yield words within ``most`` edits and their distance (optimal string alignment). With another first letter, within one edit."""
        for length in range(len(word) - most, len(word) + most + 1):
            some = self.by_start.get((word[0], length), ())
            for other, distance, _ in process.extract(word, some, scorer=OSA.distance, score_cutoff=most, limit=None):
                yield other, int(distance)
        for other in _other_start(word):
            if other in self.words:
                yield other, 1


def _other_start(word: str) -> Iterator[str]:
    """Yield what a word may be if its first letter is wrong, missing, too much, or has changed places with the second."""
    yield word[1:]
    yield word[1] + word[0] + word[2:]
    for letter in ascii_lowercase:
        if letter != word[0]:
            yield letter + word[1:]
            yield letter + word
