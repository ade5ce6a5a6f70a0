"""Names of months in some languages (``lexicons/months.txt``): their numbers, and what each needs to be read as a date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from pipeline.lexicons import entries

_NO_NAME: Final = "."
_LONGEST_SHORT_NAME: Final = 3


class Needs(StrEnum):
    """What a month's name needs beside it to be a date."""

    NOTHING = ""
    COMPANY = "?"  # a day, a year or a preposition: "May" is a verb and a name
    DAY_AND_YEAR = "!"  # "ago", "set" and "out" are months, too


@dataclass(frozen=True, slots=True)
class Month:
    """One name: its number (1..12), what it needs, and the twelve names of its row."""

    number: int
    needs: Needs
    row: tuple[str, ...]


def _rows() -> Iterator[list[str]]:
    for line in entries("months"):
        yield line.split()


@cache
def months() -> dict[str, Month]:
    """Return months by lower-case name. Where languages share a name, its first row counts, and the least need."""
    found: dict[str, Month] = {}
    for marked in _rows():
        row = tuple(word.rstrip("?!") for word in marked)
        for index, (word, name) in enumerate(zip(marked, row, strict=True)):
            if name != _NO_NAME:
                found.setdefault(name, Month(index + 1, Needs(word.removeprefix(name)), row))
    return found


@cache
def month_names() -> str:
    """Return an alternation of all names, longest first, as source of a regular expression; boundaries are the caller's."""
    return "|".join(sorted(months(), key=lambda name: (-len(name), name)))


def month_called(name: str) -> Month:
    """Return the month of a name in any case.

    Raises:
        KeyError: It is none. The error does not hold the name.
    """
    month = months().get(name.lower())
    if month is None:
        raise KeyError("no name of a month")
    return month


def renamed(name: str, number: int, *, is_short: bool = False) -> str | None:
    """Return the name of month ``number`` in the language, length and case of ``name``; ``None`` where its row has none.

    Args:
        name: A name of any month.
        number: 1..12.
        is_short: Read a name that is long and short at once ("May") as a short one.
    """
    month = month_called(name)
    row = _short_rows().get(name.lower(), month.row) if is_short else month.row
    new = row[number - 1]
    if new == _NO_NAME:
        return None
    if name.isupper():
        return new.upper()
    return new.capitalize() if name[0].isupper() else new


@cache
def _short_rows() -> dict[str, tuple[str, ...]]:
    """Rows of short names, by each of their names."""
    found: dict[str, tuple[str, ...]] = {}
    for row in _rows():
        names = [word.rstrip("?!") for word in row]
        if max(map(len, names)) <= _LONGEST_SHORT_NAME:
            for name in names:
                found.setdefault(name, tuple(names))
    return found
