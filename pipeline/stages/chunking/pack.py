"""Units of one stream come in; runs that become chunks go out: as near to the target as the best boundaries allow. Linear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.stages.chunking.protected import negates
from pipeline.stages.chunking.rules import Rules, Run
from pipeline.stages.chunking.units import Unit, UnitKind

# What a cut costs by what begins after it, as a share of the target that a chunk may rather miss.
_HEADING_COST: Final = -0.2
_PARAGRAPH_COST: Final = 0.0
_ITEM_COST: Final = 0.1
_SENTENCE_COST: Final = 0.3
# Too short a chunk, or too short a rest, is worse than any of these.
_SHORT_COST: Final = 0.6


def pack(units: Sequence[Unit], rules: Rules, *, budget: int, lead_tokens: Sequence[int]) -> list[Run]:
    """Return the runs of a stream in order; together their own units are all units, each once.

    Args:
        units: What is packed.
        rules: Sizes, overlap.
        budget: Tokens of a chunk, special ones and what is embedded before it apart.
        lead_tokens: What the lead of each unit costs where a chunk begins with it.
    """
    rest = [0] * (len(units) + 1)
    for index in range(len(units) - 1, -1, -1):
        rest[index] = rest[index + 1] + rules.size(units[index])
    runs: list[Run] = []
    first = own = 0
    while own < len(units):
        end = _end(units, rules, first, own, budget - (lead_tokens[own] if first == own else 0), rest)
        if end == own:  # nothing new fits beside what is repeated
            first = own
            continue
        runs.append(Run(first, own, end))
        first, own = _next(units, rules, own, end), end
    return runs


def _end(units: Sequence[Unit], rules: Rules, first: int, own: int, budget: int, rest: Sequence[int]) -> int:
    size = sum(rules.size(unit) for unit in units[first:own])
    tokens = sum(unit.tokens for unit in units[first:own])
    best, lowest, end = own, float("inf"), own
    closed = units[own].lead if first == own and any(negates(lead) for lead in units[own].lead) else None
    while end < len(units):
        unit = units[end]
        size += rules.size(unit)
        tokens += unit.tokens
        over = size > rules.maximum or tokens > budget
        if over and (end > own or first < own):
            return best if best > own else end
        if closed is not None and unit.lead != closed:  # a negation that is said again must not seem to reach what it does not
            return end
        end += 1
        if end == len(units) and not over:
            return end
        if not unit.keep:
            cost = _cost(units[end] if end < len(units) else None, size, rest[end], rules)
            if cost <= lowest:
                best, lowest = end, cost
        if over:
            return end
    return end


def _cost(following: Unit | None, size: int, rest: int, rules: Rules) -> float:
    cost = abs(size - rules.target) / max(1, rules.target)
    if size < rules.minimum:
        cost += _SHORT_COST
    if 0 < rest < rules.minimum:
        cost += _SHORT_COST
    if following is None:
        return cost
    if following.kind is UnitKind.HEADING:
        return cost + _HEADING_COST
    if following.kind in (UnitKind.ITEM, UnitKind.ROW):
        return cost + (_PARAGRAPH_COST if not following.lead and following.fresh else _ITEM_COST)
    return cost + (_PARAGRAPH_COST if following.fresh else _SENTENCE_COST)


def _next(units: Sequence[Unit], rules: Rules, own: int, end: int) -> int:
    """Return where the chunk after ``own:end`` begins."""
    if end >= len(units) or units[end].kind is not UnitKind.SENTENCE or units[end].lead:
        return end
    return rules.overlap(units, own, end)
