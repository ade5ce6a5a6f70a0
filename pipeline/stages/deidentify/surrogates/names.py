"""Invents names of people. Each word of a name has its own surrogate, so that all forms of one person agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from rapidfuzz.distance import OSA

from pipeline.lexicons import entries
from pipeline.stages.deidentify.known.people import PARTICLES, SUFFIXES, TITLES, Person, parse_person
from pipeline.stages.deidentify.known.text import Words, canonical, fold, is_word, word_set
from pipeline.stages.deidentify.surrogates.key import Chooser

# Borne by women and men alike: a note's pronouns stay right.
_GIVEN: Final = tuple(
    sorted(
        word_set(
            "Avery Blair Cameron Casey Corey Dana Devon Drew Emerson Finley Frankie Hayden Jamie Jesse Jordan Jules Kendall Kerry Kim Leslie Logan "
            "Marlow Morgan Noel Parker Quinn Reese Riley Robin Rowan Shannon Shay Sidney Skyler Stacy Taylor Terry Toby Tracy Vivian Ashley Aubrey "
            "Bellamy Charlie Dakota Ellery Harley Indigo Justice Kelly Lindsay Micah Nico Oakley Peyton Remy Shiloh Tatum Winslow"
        )
    )
)
_STARTS: Final = sorted(
    word_set(
        "Ald Bram Cald Dun Elm Fen Gar Hal Ing Kel Lan Mar Nor Ock Pem Quar Rad Sel Thorn Ull Ven Wex Yar Brad Cran Dray Ever Fal Grim Hart Jes Kirk "
        "Lud Mel Nether Os Pres Ren Stan Tib Under Wil Wad Bexl Corv Dend Esk Fross Glan"
    )
)
_ENDS: Final = sorted(
    word_set(
        "well worth combe stead thorpe ridge mere brook bury by croft dale den field gate ham hurst ington land ley low man mond more ock ram sey "
        "shaw side sley ston ter thwaite ville wick wold wood wyn yard"
    )
)
_TRIES: Final = 60
_TYPO_LETTERS: Final = ((9, 2), (5, 1))
_MAX_PIECES: Final = 4  # words that one name is broken into
_ABBREVIATED: Final = 4  # letters of "MacT."
_PARTS: Final = re.compile(r"[\s\-]+")
_WORD_APART: Final = re.compile(r"[,;/&]|\n\s*\n")


class InventedNames:
    """Names for one patient's documents.

    Args:
        chooser: Chooses by the site's secret.
        known: The patient's known names.
        taken: Folded words that no surrogate may be.
    """

    def __init__(self, chooser: Chooser, known: Iterable[str], taken: frozenset[str]) -> None:
        self._chooser = chooser
        self._taken = taken
        self._people = [parse_person(value) for value in known]
        self._parts: dict[str, str] = {}  # every part of a known name, folded: the name whose surrogate it has
        self._given: set[str] = set()
        for person in self._people:
            self._add(person)

    def like(self, value: str) -> str:
        """Return a name in the form of ``value``: as many words, capitals, order, initials."""
        read = Words(value)
        pieces: list[str] = [value[: read.starts[0]]] if len(read) else []
        index = 0
        while index < len(read):
            last, made = self._next(read, index)
            after = read.gap(last) if last + 1 < len(read) else value[read.ends[last] :]
            pieces += (made, after)
            index = last + 1
        return "".join(pieces) if pieces else self.family(value)

    def given(self, key: str, *what: object) -> str:
        """Return a given name for a key."""
        return self._free(lambda at: self._chooser.one_of(_GIVEN, "given", fold(key), *what, at), key)

    def family(self, key: str, *what: object) -> str:
        """Return a family name for a key."""
        return self._free(lambda at: self._chooser.one_of(_family_names(), "family", fold(key), *what, at), key)

    def _add(self, person: Person) -> None:
        for name in (person.family, *person.given):
            key = fold(name)
            if len(key) < 2:
                continue
            self._parts[key] = key
            if name is not person.family:
                self._given.add(key)
            for part in _PARTS.split(name):
                if len(fold(part)) > 1 and fold(part) not in PARTICLES:
                    self._parts.setdefault(fold(part), fold(part))

    def _next(self, read: Words, index: int) -> tuple[int, str]:
        """Return the last word of the name that begins at ``index``, and its surrogate."""
        for last in range(min(index + _MAX_PIECES, len(read)) - 1, index, -1):
            joined = "".join(read.folded[index : last + 1])
            apart = any(_WORD_APART.search(read.gap(at)) for at in range(index, last))
            if not apart and joined in self._parts and not self._hyphened(read, index, last):
                return last, _in_form(self._for(joined), read.raw[index])
        raw, folded = read.raw[index], read.folded[index]
        if len(folded) < 2 and folded.isascii() and not raw.islower():
            return index, self._initial(raw)
        if len(read) > 1 and folded in TITLES | SUFFIXES | PARTICLES:
            return index, raw
        if short := self._shortened(read, index):
            return index, short
        if raw.isupper() and len(read) == 1 and (letters := self._initials(raw)):
            return index, letters
        return index, self._user_name(raw) or _in_form(self._for(folded), raw)

    def _hyphened(self, read: Words, first: int, last: int) -> bool:
        """Whether words are parts of a double name that are written apart by plain hyphens: each has its own surrogate."""
        return all(
            read.gap(at) == "-" and read.folded[at] in self._parts and read.folded[at + 1] in self._parts for at in range(first, last)
        )

    def _for(self, folded: str) -> str:
        key = self._known(folded)
        parts = [fold(part) for name in self._names_of(key) for part in _PARTS.split(name)]
        hyphened = [part for part in parts if part in self._parts and part != key]
        if len(hyphened) > 1:
            return "-".join(self._for(part) for part in hyphened)
        return self.given(key) if self._is_given(key) else self.family(key)

    def _names_of(self, key: str) -> list[str]:
        return [name for one in self._people for name in (one.family, *one.given) if fold(name) == key and "-" in name][:1]

    def _is_given(self, key: str) -> bool:
        if key in self._parts:
            return key in self._given
        return key in _lexicon("given_names") and key not in _lexicon("surnames")

    def _known(self, folded: str) -> str:
        """Return the known name that a word is a form of, or the word itself."""
        if folded in self._parts:
            return self._parts[folded]
        canon = canonical(folded)
        for part, key in self._parts.items():
            errors = next((errors for length, errors in _TYPO_LETTERS if len(part) >= length), 0)
            if int(OSA.distance(canon, canonical(part), score_cutoff=errors)) <= errors:
                return key
        return folded

    def _initial(self, raw: str) -> str:
        return _in_form(self._letter(raw.upper()), raw)

    def _letter(self, letter: str) -> str:
        for person in self._people:
            for name in (*person.given, person.family):
                if fold(name)[:1].upper() == letter and len(fold(name)) > 1:
                    return self._for(fold(name))[0]
        letters = [chr(code) for code in range(ord("A"), ord("Z") + 1) if chr(code) != letter]
        return self._chooser.one_of(letters, "initial", letter)

    def _initials(self, raw: str) -> str | None:
        known = {"".join(fold(name)[:1].upper() for name in order) for one in self._people for order in _orders(one)}
        return "".join(map(self._letter, raw)) if raw in known else None

    def _shortened(self, read: Words, index: int) -> str | None:
        """``MacT.`` of MacTavish: as many letters of the surrogate."""
        folded = read.folded[index]
        if len(folded) > _ABBREVIATED or read.text[read.ends[index] : read.ends[index] + 1] != "." or folded in self._parts:
            return None
        family = next((fold(one.family) for one in self._people if fold(one.family).startswith(folded)), None)
        return None if family is None else _in_form(self._for(family)[: len(folded)], read.raw[index])

    def _user_name(self, raw: str) -> str | None:
        """``fmcallister``: the surrogates run together in the same way."""
        folded = fold(raw)
        for one in self._people:
            family = fold(one.family)
            for given in map(fold, one.given):
                if folded in {given[:1] + family, given + family, family + given, family + given[:1]} and len(given) > 0 and family:
                    first = self._for(given) if len(given) > 1 else self._letter(given.upper())
                    first = first if given in folded and len(given) > 1 else first[:1]
                    made = first + self._for(family) if folded.endswith(family) else self._for(family) + first
                    return _in_form(made, raw)
        return None

    def _free(self, make: Callable[[int], str], key: str) -> str:
        """Return the first choice that is no known name, none in the text, none close to one, and no word."""
        for at in range(_TRIES):
            made: str = make(at)
            folded = fold(made)
            if (
                folded != fold(key)
                and folded not in self._taken
                and self._known(folded) == folded
                and not (at < _TRIES // 2 and is_word(folded))
            ):
                return made
        return "".join(self._chooser.one_of(_STARTS, "family", fold(key), at) for at in range(3)).capitalize()


def _orders(person: Person) -> list[list[str]]:
    if not person.given:
        return []
    return [[*person.given, person.family], [person.given[0], person.family], [person.family, person.given[0]]]


def _in_form(made: str, raw: str) -> str:
    if raw.isupper() and len(raw) > 1:
        return made.upper()
    return made.lower() if raw.islower() else made


@cache
def _family_names() -> tuple[str, ...]:
    return tuple(start + end for start in _STARTS for end in _ENDS if start[-1] != end[0])


@cache
def _lexicon(name: str) -> frozenset[str]:
    return frozenset(entries(name))
