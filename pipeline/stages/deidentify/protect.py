"""Keeps clinical words: eponyms, drugs, tests and anatomy that recognisers took for identifiers.

In: folded text, places. Out: the places without those that are clinical where they stand. A place that a recogniser is sure of, by a title,
a label or another cue, is touched only where it is a part of a longer term ("New York Heart Association"): a place that is replaced wrongly
is one word lost, a place that is dropped wrongly tells of a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.clinical_context import is_no_person
from pipeline.stages.deidentify.clinical_lexicon import WORD, lexicon
from pipeline.stages.deidentify.clinical_terms import Clinical, abbreviations, clinical_spans, covers
from pipeline.stages.deidentify.durations import is_no_date

# From this score on a recogniser saw a title, a label or a shape that clinical words do not have.
SURE_SCORE: Final = 0.8
# From this score on it saw a title; below, the town in "New York Heart Association" may be as sure as any town.
TITLE_SCORE: Final = 0.95
# Up to this score a name was guessed by a model or by its capital; above, words around it speak of a person.
GUESS_SCORE: Final = 0.7
_PERSONS: Final = frozenset({IdentifierClass.NAME})
# An organisation's words are taken from all lists; in names of persons and places, words that are names too do not count.
_PLAIN_WORDS: Final = frozenset({IdentifierClass.ORGANISATION})
_WORDS_OF_PLACES: Final = frozenset({IdentifierClass.ADDRESS, IdentifierClass.FACILITY})
_KEPT_FROM: Final = _PERSONS | _PLAIN_WORDS | _WORDS_OF_PLACES
# Characters read on each side of a place: the longest name of a score is shorter.
_AROUND: Final = 70
# No term is longer; a place of 60,000 characters stays cheap.
_LONGEST_TERM: Final = 150
# Abbreviations of states are two capitals, too ("PA" is a view of the chest, "GA" an age).
_SHORTEST_BY_PLACES: Final = 3
_PERSON_BEFORE: Final = re.compile(
    r"(?:\b(?:drs?|mrs?|ms|miss|mx|prof|professor|sir|madam|nurse|rev|capt|sgt|officer)\.?"
    r"|\b(?:patient|pt|name|physician|surgeon|provider|attending|doctor|resident|assistant|therapist|mother|father|wife|husband|daughter|son|brother|sister"
    r"|spouse|guardian|informant|contact|author|pcp|cc|re)(?:'s)?(?:\s(?:name|is|was|named|called))?\s?[:=]"
    r"|\b(?:named|signed by|dictated by|seen by|reviewed by|performed by|ordered by|referred by|read by|name is|i am|my name is))\s{0,3}$",
    re.IGNORECASE,
)
_PERSON_AFTER: Final = re.compile(
    r"(?:'s)?,?\s{0,2}(?:m\.?d|d\.?o|r\.?n|ph\.?d|n\.?p|p\.?a-?c|d\.?d\.?s|crna|lpn|msw|lcsw|facs|facp)\b\.?", re.IGNORECASE
)
_DOSE_AFTER: Final = re.compile(
    r"\s{1,2}\d{1,4}(?:[./,-]\d{1,4})?\s?(?:mg|mcg|µg|g|ml|units?|iu|meq|%|tablets?|tabs?|capsules?|caps?|puffs?|drops?)", re.IGNORECASE
)
# Who repeats names that others found, with their score: what was wrong once is wrong again.
_REPEATS: Final = "NamesAgain"
_CUE_CHARACTERS: Final = 40


def protect(text: str, found: Sequence[Found]) -> list[Found]:
    """Return ``found`` without what is a clinical word where it stands; a place that begins or ends with one is cut to the rest.

    Args:
        text: Folded text (see ``plain``).
        found: Places in it, in any order.
    """
    kept = []
    for each in found:
        if each.end - each.start > _LONGEST_TERM:
            kept.append(each)
        elif each.score >= SURE_SCORE:
            if not (each.category in _KEPT_FROM and each.score < TITLE_SCORE and _is_term(text, each)):
                kept.append(each)
        elif each.category is IdentifierClass.DATE:
            if not is_no_date(text, each.start, each.end):
                kept.append(each)
        elif each.category in _KEPT_FROM:
            kept.extend(_rest(text, each))
        else:
            kept.append(each)
    return kept


def _is_term(text: str, found: Found) -> bool:
    """Whether even a sure place is a clinical term: a part of a longer one, a drug before its dose, a repeat of one taken for a name."""
    if found.category in _PERSONS and _is_person(text, found):
        return False
    clinical = _around(text, found)
    if any(
        each.is_fixed and each.start <= found.start < found.end <= each.end and each.end - each.start > found.end - found.start
        for each in clinical
    ):
        return True
    if found.by != _REPEATS and not _DOSE_AFTER.match(text, found.end):
        return False
    spans = [(each.start, each.end) for each in clinical if not each.is_name]
    return covers(text, found.start, found.end, [*spans, *abbreviations(text, found.start, found.end)])


def _around(text: str, found: Found) -> list[Clinical]:
    low, high = _word_edges(text, max(0, found.start - _AROUND), min(len(text), found.end + _AROUND))
    can_be_person = found.category not in _PLAIN_WORDS and not _DOSE_AFTER.match(text, found.end)
    return clinical_spans(text, low, high, persons=can_be_person)


def _rest(text: str, found: Found) -> list[Found]:
    """Return what is left of a place without its clinical words: itself, a part of it, or nothing."""
    if found.category in _PERSONS and _is_person(text, found):
        return [found]
    clinical = _around(text, found)
    spans = [(each.start, each.end) for each in clinical]
    is_state = found.category is IdentifierClass.ADDRESS or text[max(0, found.start - 2) : found.start] == ", "
    shortest = _SHORTEST_BY_PLACES if is_state else 1
    spans.extend(span for span in abbreviations(text, found.start, found.end) if span[1] - span[0] >= shortest)
    # A model takes any rare word that begins a sentence for a person; a town or a firm may be called by one.
    also = lexicon().dictionary if found.category in _PERSONS and found.score <= GUESS_SCORE else frozenset()
    if covers(text, found.start, found.end, spans, also) or is_no_person(text, found):
        return []
    return [_cut(text, found, clinical)] if found.category in _PERSONS else [found]


def _is_person(text: str, found: Found) -> bool:
    before = text[max(0, found.start - _CUE_CHARACTERS) : found.start]
    return bool(_PERSON_BEFORE.search(before) or _PERSON_AFTER.match(text, found.end))


def _word_edges(text: str, low: int, high: int) -> tuple[int, int]:
    """Return the range without words that it cuts."""
    while 0 < low < high and text[low - 1].isalnum() and text[low].isalnum():
        low += 1
    while low < high < len(text) and text[high - 1].isalnum() and text[high].isalnum():
        high -= 1
    return low, high


def _cut(text: str, found: Found, clinical: Sequence[Clinical]) -> Found:
    """Return the place without clinical terms at its ends, as long as a name is left: ``Hodgkin lymphoma Ann Example``."""
    start, end = found.start, found.end
    inside = [each for each in clinical if each.start >= start and each.end <= end and each.is_sure]
    for each in inside:
        if not text[start : each.start].strip(" \n,;:/-"):
            start = each.end
    for each in reversed(inside):
        if each.start >= start and not text[each.end : end].strip(" \n,;:/-"):
            end = each.start
    if (start, end) == (found.start, found.end):
        return found
    first = WORD.search(text, start, end)
    if first is None or not text[first.start()].isupper():
        return found
    last = max(match.end() for match in WORD.finditer(text, start, end))
    return replace(found, start=first.start(), end=last)
