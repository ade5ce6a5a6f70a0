"""Trials that were found, scored: in go groups in the order of fused scores, out go groups with signals and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.search.passages import Group
from pipeline.search.rerank.by_rank import rank_by_rank
from pipeline.search.rerank.linear import FamilyModels, probability
from pipeline.search.understand.model import Understood


def rank_trials(understood: Understood, groups: Sequence[Group], models: FamilyModels) -> list[Group]:
    """Return the groups with their scores (probabilities of relevance), in any order.

    Groups of a patient's description bring the signals of all their passages (``pipeline.search.trials``); others are scored by rank.
    """
    if understood.patient is None:
        return rank_by_rank(groups, models.document)
    return [replace(group, score=probability(models.document.log_odds(group.signals))) for group in groups]
