"""Sentences of different documents in, pairs that disagree out: other numbers for the same words, or one that denies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from pipeline.domain.vocabulary import DocumentKind
from pipeline.search.answer.evidence import Sentence
from pipeline.search.answer.model import ConflictKind
from pipeline.search.answer.quantities import quantities
from pipeline.search.answer.words import content, denies, shared

ABOUT_THE_SAME: Final = 0.5  # of the words of both sentences, numbers left out
#: Documents that say what to do. That two trials ask for other ages, or two patients have other values, is no conflict.
ADVISING: Final = frozenset({DocumentKind.EMS_PROTOCOL.value, DocumentKind.GUIDELINE.value, DocumentKind.PAPER.value})
MOST: Final = 5  # shown: more is another question
_COUNTS: Final = frozenset({"", "time", "dose"})  # numbers of steps and lists differ without disagreeing


def conflicts(sentences: Sequence[Sentence]) -> list[tuple[ConflictKind, Sentence, Sentence]]:
    """Return pairs of sentences that do not agree, the best sentences first."""
    found: list[tuple[ConflictKind, Sentence, Sentence]] = []
    for one, other in combinations([each for each in sentences if each.passage.kind in ADVISING], 2):
        if one.passage.document_id == other.passage.document_id or shared(content(one.text), content(other.text)) < ABOUT_THE_SAME:
            continue
        if denies(one.text) != denies(other.text):
            found.append((ConflictKind.NEGATION, one, other))
        elif _numbers_differ(one.text, other.text):
            found.append((ConflictKind.NUMBER, one, other))
    return found[:MOST]


def _numbers_differ(one: str, other: str) -> bool:
    """Whether for a unit that both have, neither has a number of the other's."""
    mine, theirs = _by_unit(one), _by_unit(other)
    return any(mine[unit].isdisjoint(theirs[unit]) for unit in mine.keys() & theirs.keys())


def _by_unit(text: str) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for one in quantities(text):
        if one.unit not in _COUNTS:
            found.setdefault(one.unit, set()).add((one.number, one.sign))
    return found
