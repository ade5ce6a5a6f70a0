"""Abbreviations and how each is read where it stands; phrases and how they are shortened."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.words import Word, keys


@dataclass(frozen=True, slots=True)
class Reading:
    """What an abbreviation may mean, and words beside which it does; ``context`` empty: everywhere."""

    means: str
    context: tuple[str, ...] = ()

    def fits(self, beside: Collection[str]) -> bool:
        """Whether one of the context words stands there."""
        return any(_matches(word, other) for word in self.context for other in beside)


def _matches(pattern: str, word: str) -> bool:
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """One abbreviation with its readings. ``in_capitals``: in lower case it is an everyday word or a unit."""

    short: str
    readings: tuple[Reading, ...]
    in_capitals: bool

    def read(self, beside: Collection[str]) -> str | None:
        """Return its meaning beside these words (lower case), or ``None`` where no reading fits."""
        for reading in self.readings:
            if not reading.context or reading.fits(beside):
                return reading.means
        return None


@cache
def abbreviations() -> dict[tuple[str, ...], Abbreviation]:
    """Return the abbreviations by the words they are written with."""
    data = toml("clinical_abbreviations")
    return {
        keys(short): Abbreviation(short, _readings(value), in_capitals=group == "capitals")
        for group in ("plain", "capitals")
        for short, value in data[group].items()
    }


def _readings(value: str | list[dict[str, Any]]) -> tuple[Reading, ...]:
    if isinstance(value, str):
        return (Reading(value),)
    return tuple(Reading(one["means"], tuple(one["context"])) for one in value)


def reading_at(word: Word, all_words: Sequence[Word]) -> str | None:
    """Return what a word means as an abbreviation, or ``None`` where it is none."""
    found = abbreviations().get((word.key,))
    if found is None or (found.in_capitals and word.text != found.short):
        return None
    return found.read({other.key for other in all_words if other is not word})


@cache
def shortened() -> dict[tuple[str, ...], str]:
    """Return the abbreviation of each phrase of two words or more that has one in every context."""
    found: dict[tuple[str, ...], str] = {}
    for entry in abbreviations().values():
        phrase = keys(entry.readings[0].means)
        if len(entry.readings) == 1 and not entry.in_capitals and len(phrase) > 1:
            found.setdefault(phrase, entry.short)
    return found
