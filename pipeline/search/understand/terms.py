"""Names in a query that have other names: drugs, conditions, findings, procedures, genes, abbreviations. The longest reading counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from pipeline.search.understand.abbreviations import reading_at
from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.words import Word, keys, words


class Kind(StrEnum):
    """What a name is of."""

    DRUG = "drug"
    ABBREVIATION = "abbreviation"
    CONDITION = "condition"
    FINDING = "finding"
    PROCEDURE = "procedure"
    NAME = "name"  # of a gene, or a spelling: either is searched with the other


@dataclass(frozen=True, slots=True)
class Term:
    """A name in a query. ``other``: what to search with in its place, ``None``: it is the wording to search with already."""

    start: int
    end: int
    text: str
    kind: Kind
    preferred: str  # what it is called in the lexicon
    other: str | None


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: Kind
    preferred: str
    other: str | None
    in_capitals: str | None = None  # as it must be written: in lower case it is an everyday word ("kit", "met")


_SHORT_NAME = 4  # letters: a gene's name in capitals that is no longer may be an everyday word in lower case
_TABLES = {"conditions": Kind.CONDITION, "findings": Kind.FINDING, "procedures": Kind.PROCEDURE}


@cache
def _entries() -> dict[tuple[str, ...], _Entry]:
    found: dict[tuple[str, ...], _Entry] = {}
    data = toml("synonyms")
    for preferred, others in data["two_way"].items():
        _add(found, preferred, _Entry(Kind.NAME, preferred, f"{preferred} {others[0]}", _capitals(preferred)))
        for other in others:
            _add(found, other, _Entry(Kind.NAME, preferred, preferred, _capitals(other)))
    for table, kind in _TABLES.items():
        for preferred, others in data[table].items():
            _add(found, preferred, _Entry(kind, preferred, None))
            for other in others:
                _add(found, other, _Entry(kind, preferred, preferred))
    for generic, brands in toml("drug_names")["generic"].items():
        _add(found, generic, _Entry(Kind.DRUG, generic, None))
        for brand in brands:
            _add(found, brand, _Entry(Kind.DRUG, generic, generic))
    return found


def _add(found: dict[tuple[str, ...], _Entry], name: str, entry: _Entry) -> None:
    found[keys(name)] = entry


def _capitals(name: str) -> str | None:
    return name if name.isupper() and name.isalpha() and len(name) <= _SHORT_NAME else None


@cache
def _longest() -> int:
    return max(map(len, _entries()))


def drug_classes(generics: Sequence[str]) -> tuple[str, ...]:
    """Return the classes that drugs belong to, in the lexicon's order."""
    return tuple(name for name, members in toml("drug_names")["classes"].items() if set(members) & set(generics))


def terms(text: str, *, except_in: Sequence[tuple[int, int]] = ()) -> list[Term]:
    """Return the names in a text, in order, none within another. Nothing is read into the stretches of ``except_in`` (amounts)."""
    all_words = words(text)
    found: list[Term] = []
    at = 0
    while at < len(all_words):
        word = all_words[at]
        if any(start <= word.start < end for start, end in except_in):
            at += 1
            continue
        term, length = _longest_at(text, all_words, at)
        if term is not None:
            found.append(term)
        at += length
    return found


def _longest_at(text: str, all_words: Sequence[Word], at: int) -> tuple[Term | None, int]:
    for length in range(min(_longest(), len(all_words) - at), 0, -1):
        part = all_words[at : at + length]
        entry = _entry([word.key for word in part])
        start, end = part[0].start, part[-1].end
        if entry and entry.in_capitals in (None, text[start:end]):
            return Term(start, end, text[start:end], entry.kind, entry.preferred, entry.other), length
    word = all_words[at]
    if (means := reading_at(word, all_words)) and means.casefold() not in text.casefold():
        return Term(word.start, word.end, word.text, Kind.ABBREVIATION, means, means), 1
    return None, 1


def _entry(part: list[str]) -> _Entry | None:
    found = _entries().get(tuple(part))
    if found is None and part[-1].endswith("s"):  # fractures, heart attacks
        found = _entries().get((*part[:-1], part[-1][:-1]))
    return found
