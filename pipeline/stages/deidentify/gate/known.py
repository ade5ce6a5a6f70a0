"""The patient's known identifiers, looked up by letters and digits alone: blanks, dashes, case and accents hide nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.gate.lexicon import first_names, last_names, ordinary_words
from pipeline.stages.deidentify.gate.words import Words

_SHORTEST: Final = 3  # letters or digits; a shorter value stands in any text
_SHORTEST_PART: Final = 4  # of one word of a name
_BEFORE: Final = 64  # characters that are looked at for zeros before a number


def find_known_values(read: Words, known: Mapping[IdentifierClass, Collection[str]]) -> list[Found]:
    """Return the places where a known value stands, whole words only."""
    if not known:
        return []
    letters, places = _letters(read.text)
    found: list[Found] = []
    for category, values in known.items():
        for value in values:
            for key, capital in _keys(value, category).items():
                found += _places(read, letters, places, key, category, capital=capital)
    return found


def _keys(value: str, category: IdentifierClass) -> dict[str, bool]:
    """What to look for, and whether it counts with a capital only: the whole value, and each word of a name that is no ordinary word."""
    whole = _letters(value)[0]
    keys = {whole: False} if len(whole) >= _SHORTEST else {}
    if category is IdentifierClass.NAME:
        parts = {_letters(part)[0] for part in value.replace("-", " ").replace(",", " ").split()}
        for part in parts - keys.keys():
            if len(part) >= _SHORTEST_PART and part not in ordinary_words():
                keys[part] = part in last_names().sure or part in first_names().sure  # some of these are words too: brown, green
    elif whole.isdecimal() and len(whole.lstrip("0")) >= _SHORTEST_PART:
        keys[whole.lstrip("0")] = False
    return keys


def _places(read: Words, letters: str, places: list[int], key: str, category: IdentifierClass, *, capital: bool) -> list[Found]:
    found: list[Found] = []
    at = letters.find(key)
    while at >= 0:
        start, end = places[at], places[at + len(key) - 1] + 1
        if _stands_alone(read.text, start, end) and not (capital and read.text[start].islower()):
            found.append(read.place(start, end, category, "known"))
        at = letters.find(key, at + 1)
    return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit of the same kind goes on before or after; zeros before a number do not count."""
    digits = text[start].isdecimal()
    head = text[max(0, start - _BEFORE) : start]
    head = head.rstrip("0") if digits else head
    before, after = head[-1:], text[end : end + 1]
    if digits:
        return not before.isdecimal() and not (after.isdecimal() and text[end - 1].isdecimal())
    return not before.isalpha() and (not after.isalpha() or (after == "s" and not text[end + 1 : end + 2].isalpha()))


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of ``text`` without accents, in lower case, and where each stood."""
    kept: list[str] = []
    places: list[int] = []
    for index, char in enumerate(text):
        if char.isascii():
            if char.isalnum():
                kept.append(char.lower())
                places.append(index)
        else:
            for plain in unicodedata.normalize("NFKD", char):
                if plain.isalnum():
                    kept.append(plain.lower())
                    places.append(index)
    joined = "".join(kept)
    if len(joined) != len(places):  # a letter whose lower case is two
        return "".join(char[0] for char in kept), places
    return joined, places
