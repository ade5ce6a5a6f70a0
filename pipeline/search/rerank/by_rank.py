"""Scores from ranks alone: what is known before anything of a document is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.search.passages import Group
from pipeline.search.rerank.linear import LinearModel, probability


def rank_by_rank(groups: Sequence[Group], model: LinearModel) -> list[Group]:
    """Return groups, which come best first, in the same order with scores by their ranks."""
    ranked = []
    for rank, group in enumerate(groups, start=1):
        signals = {"reciprocal_rank": 1.0 / rank}
        ranked.append(replace(group, score=probability(model.log_odds(signals)), signals=signals))
    return ranked
