"""A unit that is over the window comes in; fragments that fit go out, cut where it hurts least.

Never through a dose while there is another blank; through a negation only where nothing else is left, and then what follows says the
negation again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import pairwise
from typing import Final

from pipeline.domain.ports import TokenCounter
from pipeline.stages.chunking.protected import doses, negations
from pipeline.stages.chunking.sentences import sentence_ends
from pipeline.stages.chunking.shown import Shown
from pipeline.stages.chunking.units import Unit, UnitKind


class Cut(IntEnum):
    """How good a place is to cut, best first."""

    SENTENCE = 0
    LINE = 1
    CLAUSE = 2
    WORD = 3
    CLAUSE_NEGATED = 4
    WORD_NEGATED = 5
    DOSE = 6
    INSIDE_WORD = 7


# No real word is longer; a longer run of signs is cut so that this can always end.
_MAX_WORD: Final = 100
_WORD: Final = re.compile(rf"\S{{1,{_MAX_WORD}}}")
# A cut in the first half of what fits makes more fragments than needed; where the second half has only bad places, one in the last four
# fifths is taken. Before that a fragment would say too little.
_EARLIEST_SHARE: Final = 0.5
_SOONEST_SHARE: Final = 0.2
_MOST_LEADS: Final = 2
_CLAUSE_END: Final = (",", ";", ":", ")", "]", "，", "、", "；")


def fragments(
    source: Shown, unit: Unit, tokens: TokenCounter, *, limit: int, characters: int, cells: Sequence[int] = (), later: tuple[str, ...] = ()
) -> list[Unit]:
    """Cut a unit into fragments of at most ``limit`` tokens, their leads included.

    Args:
        source: Its part.
        unit: What is over the limit.
        tokens: The model's counter.
        limit: Tokens, special ones apart; at least one word is taken whatever it costs.
        characters: Characters of a fragment.
        cells: Offsets where the cells of a row end, in order: the best places of all.
        later: What the fragments after the first say first as well.
    """
    text = source.text
    words = [match.span() for match in _WORD.finditer(text, unit.start, unit.end)]
    special = tokens.count("")
    costs = [count - special for count in tokens.count_many([text[start:end] for start, end in words])]
    ends = [end for _, end in words]
    ranks, leads = _ranks(text, unit, words, cells)
    made: list[Unit] = []
    start = 0
    while start < len(words):
        lead = (unit.lead if not start else (*unit.lead, *later, *leads.get(start, ())))[-_MOST_LEADS:]
        room = limit - (tokens.count("".join(f"{one}: " for one in lead)) - special if lead else 0)
        end = min(_fitting(costs, start, room), max(start + 1, bisect_right(ends, words[start][0] + characters)))
        if end < len(words):
            end = _best(ranks, start, end)
        made.append(
            replace(
                unit,
                start=words[start][0],
                end=words[end - 1][1],
                kind=UnitKind.FRAGMENT,
                fresh=unit.fresh and not start,
                keep=unit.keep and end == len(words),
                lead=lead,
                tokens=sum(costs[start:end]),
            )
        )
        start = end
    return made


def _fitting(costs: Sequence[int], start: int, room: int) -> int:
    end = start
    while end < len(costs) and room >= costs[end]:
        room -= costs[end]
        end += 1
    return max(end, start + 1)


def _best(ranks: Sequence[Cut], start: int, end: int) -> int:
    """Return the index of the word to cut before, after ``start`` and not after ``end``."""
    earliest = start + max(1, int((end - start) * _EARLIEST_SHARE))
    best = max(range(earliest, end + 1), key=lambda index: (-ranks[index], index))
    if ranks[best] > Cut.WORD:
        soonest = start + max(1, int((end - start) * _SOONEST_SHARE))
        sooner = max(range(soonest, end + 1), key=lambda index: (-ranks[index], index))
        return sooner if ranks[sooner] < ranks[best] else best
    return best


def _ranks(text: str, unit: Unit, words: Sequence[tuple[int, int]], cells: Sequence[int]) -> tuple[list[Cut], dict[int, tuple[str, ...]]]:
    """Return how good a cut before each word is, and what a fragment that begins there has to say again."""
    starts = [start for start, _ in words]
    ranks = [Cut.WORD, *(_rank(text, before[1], here[0], lines=unit.kind is not UnitKind.SENTENCE) for before, here in pairwise(words))]
    _set(ranks, starts, (unit.start + end for end in sentence_ends(text[unit.start : unit.end])), Cut.SENTENCE)
    leads: dict[int, tuple[str, ...]] = {}
    for cue, cue_end, stop in negations(text, unit.start, unit.end):
        for index in range(bisect_right(starts, cue), bisect_left(starts, stop)):
            ranks[index] = max(ranks[index], Cut.CLAUSE_NEGATED if ranks[index] <= Cut.CLAUSE else Cut.WORD_NEGATED)
            leads[index] = (text[cue:cue_end],)
    for start, stop in doses(text, unit.start, unit.end):
        for index in range(bisect_right(starts, start), bisect_left(starts, stop)):
            ranks[index] = max(ranks[index], Cut.DOSE)
    _set(ranks, starts, cells, Cut.SENTENCE)
    return ranks, leads


def _rank(text: str, before: int, here: int, *, lines: bool) -> Cut:
    """Return how good a cut is between two words, by the signs there; ``lines``: a line break is more than a wrapped line's."""
    if before == here:
        return Cut.INSIDE_WORD
    if lines and "\n" in text[before:here]:
        return Cut.LINE
    return Cut.CLAUSE if text[before - 1] in _CLAUSE_END else Cut.WORD


def _set(ranks: list[Cut], starts: Sequence[int], offsets: Iterable[int], rank: Cut) -> None:
    for offset in offsets:
        index = bisect_left(starts, offset)
        if index < len(ranks):
            ranks[index] = rank
