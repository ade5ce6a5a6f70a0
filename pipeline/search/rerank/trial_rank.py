"""Trials for a patient, scored: in go groups with the signals of all their passages, out go groups with scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.search.passages import Group
from pipeline.search.rerank.linear import FamilyModels, probability


def rank_trials(groups: Sequence[Group], models: FamilyModels) -> list[Group]:
    """Return the groups with their scores (probabilities of relevance), in any order.

    Groups of a patient's description bring their signals (``pipeline.search.trials``).
    """
    return [replace(group, score=probability(models.document.log_odds(group.signals))) for group in groups]
