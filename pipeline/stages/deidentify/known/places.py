"""Finds known addresses, postal codes, towns and organisations.

Kinds of streets count written out and abbreviated (``St``/``Street``, ``N``/``North``); a street counts with its number or with its kind, whole
or misspelt; a town that is a word of the language counts with a capital beside its state, its postal code or after "in", "from", "of".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import OSA

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.known.text import Words, canonical, fold, is_ordinary, is_unspaced, word_set
from pipeline.stages.deidentify.known.text import words as words_of

# USPS Publication 28, appendix C, the usual ones: every way to write a kind of street, a direction or a unit, by its abbreviation.
_VARIANTS: Final = {
    variant: kind
    for kind, variants in {
        "st": "street str", "ave": "avenue av aven", "rd": "road", "dr": "drive drv", "ln": "lane", "ct": "court crt", "pl": "place",
        "blvd": "boulevard boul", "ter": "terrace terr", "cir": "circle circ", "sq": "square", "pkwy": "parkway pkway pky", "hwy": "highway",
        "way": "wy", "trl": "trail", "aly": "alley", "cres": "crescent", "cl": "close", "gdns": "gardens", "rte": "route", "plz": "plaza",
        "apt": "apartment", "ste": "suite", "unit": "", "fl": "floor", "bldg": "building",
        "n": "north", "s": "south", "e": "east", "w": "west", "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
    }.items()
    for variant in (kind, *variants.split())
}  # fmt: skip
_KINDS: Final = word_set("st ave rd dr ln ct pl blvd ter cir sq pkwy hwy way trl aly cres cl gdns rte plz")
_DIRECTIONS: Final = word_set("n s e w ne nw se sw")
_GAP: Final = re.compile(r"[\s.,#\-'/]{0,40}")
_BETWEEN: Final = re.compile(r"[\s,.\-#]{0,6}")
_PLACE_WORDS: Final = word_set("in from of near to at")
_AFTER_ZIP: Final = re.compile(r"\s?(?:%|/|[uµ]l\b|units?\b|mg\b|ml\b|mcg\b|cells?\b|copies\b|iu\b|x10)", re.IGNORECASE)
_TYPO_LETTERS: Final = 5
_ADDRESSES: Final = (IdentifierClass.ADDRESS, IdentifierClass.ZIP)
PLACES: Final = (*_ADDRESSES, IdentifierClass.FACILITY, IdentifierClass.ORGANISATION)

Place = tuple[int, int, IdentifierClass]


@dataclass(frozen=True, slots=True)
class _Street:
    number: str
    name: str  # folded, without number and kind
    count: int  # words of the name
    kind: str


class PlaceFinder:
    """Finds the places of one patient; made once a patient."""

    def __init__(self, values: Mapping[IdentifierClass, Iterable[str]]) -> None:
        self._phrases: dict[str, IdentifierClass] = {}
        self._towns: dict[str, None] = {}
        self._streets: list[_Street] = []
        self._zips: set[str] = set()
        self._unspaced: list[tuple[str, IdentifierClass]] = []
        for category in PLACES:
            for value in values.get(category, ()):
                self._add(category, value)

    def find(self, words: Words) -> list[Place]:
        """Return half-open places with their class; parts of one address beside each other are one."""
        kinds = [_VARIANTS.get(folded, folded) for folded in words.folded]
        text = _Variants(words, kinds)
        found = [*self._find_phrases(words, text), *self._find_streets(words, kinds), *self._find_towns(words), *self._find_zips(words)]
        for value, category in self._unspaced:
            found += [(*match.span(), category) for match in re.finditer(re.escape(value), words.text)]
        return _united(words.text, found)

    def _add(self, category: IdentifierClass, value: str) -> None:
        if is_unspaced(value):
            self._unspaced.append((value, category))
            return
        parts = [_VARIANTS.get(fold(word), fold(word)) for word in words_of(value)]
        if not parts:
            return
        if category is IdentifierClass.ZIP:
            self._zips |= {"".join(parts), parts[0]} if len(parts[0]) >= 5 else {"".join(parts)}
            return
        if len(parts) > 1:
            self._phrases.setdefault("".join(map(canonical, parts)), category)
        if category is IdentifierClass.ADDRESS:
            self._add_street(parts)
        if len(parts) == 1 and len(parts[0]) >= 3 and not parts[0].isdecimal():
            if category is IdentifierClass.ADDRESS:
                self._towns[parts[0]] = None
            else:
                self._phrases.setdefault(canonical(parts[0]), category)

    def _add_street(self, parts: list[str]) -> None:
        number = parts[0] if any(char.isdecimal() for char in parts[0]) else ""
        kind = next((index for index in range(len(parts) - 1, 0, -1) if parts[index] in _KINDS), None)
        if not number and kind is None:
            return
        name = parts[bool(number) : kind]
        if kind is not None and name:
            self._phrases.setdefault("".join(map(canonical, parts[: kind + 1])), IdentifierClass.ADDRESS)
        undirected = name[1:] if len(name) > 1 and name[0] in _DIRECTIONS else name
        for each in {tuple(name), tuple(undirected)} - {()}:
            self._streets.append(_Street(number, "".join(each), len(each), "" if kind is None else parts[kind]))
        rest = parts[kind + 1 :] if kind is not None else []
        if len(rest) > 1:
            self._phrases.setdefault("".join(map(canonical, rest)), IdentifierClass.ADDRESS)

    def _find_phrases(self, words: Words, text: _Variants) -> Iterator[Place]:
        for phrase, category in self._phrases.items():
            for first, last in text.whole(phrase):
                single = first == last and is_ordinary(words.folded[first]) and words.raw[first].islower()
                if not single and all(_GAP.fullmatch(words.gap(index)) for index in range(first, last)):
                    yield words.starts[first], words.ends[last], category

    def _find_streets(self, words: Words, kinds: list[str]) -> Iterator[Place]:
        for street in self._streets:
            for index in range(len(words) - street.count + 1):
                if kinds[index][:1] != street.name[:1] and kinds[index][-1:] != street.name[-1:]:
                    continue
                last = index + street.count - 1
                before = index > 0 and bool(street.number) and kinds[index - 1] == street.number
                after = last + 1 < len(words) and bool(street.kind) and kinds[last + 1] == street.kind
                if (before or after) and _same("".join(kinds[index : last + 1]), street.name):
                    yield words.starts[index - before], words.ends[last + after], IdentifierClass.ADDRESS

    def _find_towns(self, words: Words) -> Iterator[Place]:
        for index, folded in enumerate(words.folded):
            if folded in self._towns and (not is_ordinary(folded) or (words.raw[index][0].isupper() and self._is_placed(words, index))):
                yield words.starts[index], words.ends[index], IdentifierClass.ADDRESS

    def _is_placed(self, words: Words, index: int) -> bool:
        after = words.raw[index + 1] if index + 1 < len(words) else ""
        state = len(after) == 2 and after.isupper() and words.gap(index) == ", "
        return state or after in self._zips or (index > 0 and words.folded[index - 1] in _PLACE_WORDS)

    def _find_zips(self, words: Words) -> Iterator[Place]:
        for value in self._zips:
            for first, last in words.whole(canonical(value)):
                gaps = all(words.gap(index) in {" ", "-", ""} for index in range(first, last))
                if gaps and "".join(words.folded[first : last + 1]) == value and not _AFTER_ZIP.match(words.text, words.ends[last]):
                    yield words.starts[first], words.ends[last], IdentifierClass.ZIP


def street_key(value: str) -> str:
    """Return what all ways to write one address share: its number and the first word of its name, folded."""
    parts = [_VARIANTS.get(fold(word), fold(word)) for word in words_of(value)]
    number = next((part for part in parts if any(char.isdecimal() for char in part)), "")
    name = next((part for part in parts if part != number and part not in _DIRECTIONS and part not in _KINDS), "")
    return number + name


class _Variants(Words):
    """The words of a text with kinds of streets brought to one form."""

    def __init__(self, words: Words, kinds: list[str]) -> None:
        self.text, self.raw, self.folded, self.starts, self.ends = words.text, words.raw, words.folded, words.starts, words.ends
        self.gaps = words.gaps
        self.canon = [
            canon if kind == folded else canonical(kind) for kind, folded, canon in zip(kinds, words.folded, words.canon, strict=True)
        ]
        self._join()


def _same(found: str, name: str) -> bool:
    return found == name or (len(name) >= _TYPO_LETTERS and not is_ordinary(found) and OSA.distance(found, name, score_cutoff=1) <= 1)


def _united(text: str, found: list[Place]) -> list[Place]:
    """Make one of the parts of an address that stand beside each other, with a state's two letters between them."""
    united: list[Place] = []
    for start, end, category in sorted(found):
        if united and category in _ADDRESSES and united[-1][2] in _ADDRESSES and _beside(text[united[-1][1] : start]):
            united[-1] = (united[-1][0], max(end, united[-1][1]), IdentifierClass.ADDRESS)
        else:
            united.append((start, end, category))
    return united


def _beside(between: str) -> bool:
    words = words_of(between)
    state = not words or (len(words) == 1 and len(words[0]) == 2 and words[0].isupper())
    return state and len(between) <= 8 and _BETWEEN.fullmatch(between.replace(words[0], "", 1) if words else between) is not None
