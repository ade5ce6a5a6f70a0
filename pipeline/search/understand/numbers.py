"""Amounts with units in a query: where they stand, and long forms of units brought to short ones ("5 micrograms/kg": 5 mcg/kg)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from pipeline.search.understand.lexicon import toml

_NUMBER: Final = r"\d+(?:[.,]\d+)*"
_RATIO: Final = re.compile(r"(?<![\w.:])1:\d{1,3}(?:,?\d{3})*(?![\w:])")  # a dilution, 1:10,000


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit. ``is_dose``: in a unit that drugs are given in."""

    start: int
    end: int
    is_dose: bool


@cache
def unit_pattern() -> str:
    """Return the alternatives of a regular expression (ignoring case) that are all units, longest first; times too."""
    data = toml("dose_units")
    names = {*data["units"], *(name for others in data["units"].values() for name in others), *data["also"]["units"], *data["also"]["time"]}
    return "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))


@cache
def _short_units() -> dict[str, str]:
    return {name.casefold(): short for short, names in toml("dose_units")["units"].items() for name in names}


@cache
def _amount() -> re.Pattern[str]:
    unit = rf"(?:{unit_pattern()})"
    return re.compile(
        rf"(?<![\w.])(?P<number>(?:[<>≤≥]=?\s?)?{_NUMBER}(?:\s?(?:-|–|to)\s?{_NUMBER})?)[ -]?(?P<unit>{unit}(?:\s?(?:/|per)\s?{unit}){{0,2}})(?!\w)",
        re.IGNORECASE,
    )


@cache
def _times() -> frozenset[str]:
    return frozenset(name.casefold() for name in toml("dose_units")["also"]["time"])


def amounts(query: str) -> tuple[Amount, ...]:
    """Return the amounts of a query in order, dilutions too."""
    found = [Amount(match.start(), match.end(), match["unit"].casefold() not in _times()) for match in _amount().finditer(query)]
    found += [Amount(match.start(), match.end(), is_dose=True) for match in _RATIO.finditer(query)]
    return tuple(sorted(found, key=lambda one: one.start))


def with_short_units(query: str) -> str:
    """Return the query with the units of its amounts in their short forms; without any, the same text."""
    return _amount().sub(lambda match: _shortened(match), query)


def _shortened(match: re.Match[str]) -> str:
    parts = re.split(r"(\s?(?:/|\bper\b)\s?)", match["unit"], flags=re.IGNORECASE)
    units = [_short_units().get(part.casefold(), part) for part in parts[0::2]]
    if units == parts[0::2] and all("per" not in part.casefold() for part in parts[1::2]):
        return match[0]
    return f"{match['number']} {'/'.join(units)}"
