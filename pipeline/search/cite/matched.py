"""A query's wordings and a passage in, the words of the passage that they share out, with their places: for shown hits only.

Words agree as BM25 takes them to: by stem, number, unit and spelling (``pipeline.index.terms``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from pipeline.index.bm25 import term_number
from pipeline.index.terms import fold, terms
from pipeline.search.request import MatchedTerm
from pipeline.search.understand.model import Variant

_WORD: Final = re.compile(r"[≥≤<>]?=?\s?\d[\w.,^%/-]*\w|[≥≤<>]?=?\s?\d|[^\W_](?:[\w'’/-]*[^\W_])?")
MOST_TERMS: Final = 50  # of one hit: a pasted page as a query would repeat its passage


@dataclass(frozen=True, slots=True)
class Wanted:
    """The terms of a query's wordings by number, each with the first wording that has it."""

    by_number: dict[int, str] = field(repr=False)
    words: frozenset[str] = field(repr=False)  # folded, as they stand in a wording


def wanted(variants: Sequence[Variant]) -> Wanted:
    """Return what to look for in passages."""
    by_number: dict[int, str] = {}
    words: set[str] = set()
    for variant in variants:
        for term in terms(variant.text):
            by_number.setdefault(term_number(term), variant.why.value)
        words.update(_spelt(match.group()) for match in _WORD.finditer(variant.text))
    return Wanted(by_number, frozenset(words))


def matched(asked: Wanted, text: str) -> list[MatchedTerm]:
    """Return the words of a text that agree with a wording, in order of their first place; the same word once, with all its places."""
    found: dict[str, MatchedTerm] = {}
    for match in _WORD.finditer(text):
        word = match.group()
        why = next((asked.by_number[number] for number in _numbers(word) if number in asked.by_number), None)
        if why is None:
            continue
        plain = _spelt(word)
        if plain not in found:
            if len(found) == MOST_TERMS:
                break
            found[plain] = MatchedTerm(text=word, exact=plain in asked.words, wording=why, places=[])
        found[plain].places.append(match.span())
    return list(found.values())


def _spelt(word: str) -> str:
    return fold(word).replace(" ", "")


@lru_cache(maxsize=50_000)  # distinct words of some 20,000 passages
def _numbers(word: str) -> tuple[int, ...]:
    return tuple(term_number(term) for term in terms(word))
