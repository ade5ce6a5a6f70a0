"""Towns, states and countries by name (``lexicons/places.txt`` and others; their sources are in their headers). In: a name. Out: what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from pipeline.lexicons import entries

# "St. Louis", "Saint Louis" and "St Louis" are one name.
_SHORT: Final = {"saint": "st", "st.": "st", "mt.": "mount", "mt": "mount", "ft.": "fort", "ft": "fort", "sainte": "ste", "ste.": "ste"}
_MOST_WORDS: Final = 4
_NAME: Final = re.compile(r"[^\W\d_][\w'.]{0,30}(?:[ -][^\W\d_][\w'.]{0,30}){0,4}")
_WORD_ENDS: Final = re.compile(r"(?=[ -])|$")


@dataclass(frozen=True, slots=True)
class Town:
    """What is known of a name: the states of the United States with a town of that name, and whether it is a word or a person's name too."""

    states: frozenset[str]
    doubtful: bool


def key(name: str) -> str:
    """Return the form under which names are looked up."""
    words = name.casefold().split()
    return " ".join(_SHORT.get(word, word) for word in words)


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that is written as one string so that it stays readable."""
    return frozenset(text.split())


@cache
def towns() -> dict[str, Town]:
    """Return towns by ``key``."""
    found: dict[str, Town] = {}
    for line in (*entries("places"), *entries("places_more")):
        name, states, doubtful, *_ = (*line.split("|"), "", "")
        found[key(name)] = Town(frozenset(states.split()), doubtful == "?")
    for region in regions():
        found.pop(region, None)
    found["new york"] = Town(frozenset({"NY"}), doubtful=True)
    found["washington"] = Town(frozenset({"DC"}), doubtful=True)
    return found


@cache
def states() -> dict[str, str]:
    """Return the abbreviation of each state of the United States by ``key`` of its name."""
    return {key(name): abbreviation for name, abbreviation, _ in _states()}


@cache
def abbreviations() -> frozenset[str]:
    """Return the abbreviations of states of the United States."""
    return frozenset(abbreviation for _, abbreviation, _ in _states())


@cache
def regions() -> frozenset[str]:
    """Return states and countries by ``key``: what stays where it stands alone."""
    return frozenset(map(key, entries("regions"))) | frozenset(states())


def is_zip_of(state: str, zip_code: str) -> bool:
    """Whether the first three digits of a ZIP code are of this state (abbreviation)."""
    return zip_code[:3] in _prefixes().get(state, frozenset())


def town_at(text: str, start: int) -> tuple[int, Town] | None:
    """Return where the longest town's name that begins at ``start`` ends, and what is known of it."""
    name = _NAME.match(text, start)
    if name is None:
        return None
    value = name.group().rstrip(".-'")
    first = value.split(" ", 1)[0].split("-", 1)[0].casefold()
    if first not in _first_words() and first.rstrip("'.") not in _first_words():
        return None
    for end in sorted({found.start() for found in _WORD_ENDS.finditer(value)}, reverse=True):
        for part in (value[:end].rstrip("'."), value[:end]):  # without the full stop of a sentence, then with that of D.C.
            if town := towns().get(key(part)):
                return start + len(part), town
    return None


@cache
def _first_words() -> frozenset[str]:
    short = {long for long, word in _SHORT.items() if word in {"st", "mount", "fort", "ste"}}
    return frozenset(name.split(" ", 1)[0].split("-", 1)[0] for name in towns()) | short


@cache
def _states() -> tuple[tuple[str, str, str], ...]:
    return tuple((name, abbreviation, prefixes) for name, abbreviation, prefixes in (line.split("|") for line in entries("us_states")))


@cache
def _prefixes() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for _, abbreviation, ranges in _states():
        pairs = ((first, last or first) for first, _, last in (each.partition("-") for each in ranges.split()))
        found[abbreviation] = frozenset(f"{prefix:03d}" for first, last in pairs for prefix in range(int(first), int(last) + 1))
    return found
