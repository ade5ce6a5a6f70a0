"""Documents that are no trials and were found, scored: in go groups in the order of fused scores, out go groups with signals and scores."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.search.passages import Group
from pipeline.search.rerank.by_rank import rank_by_rank
from pipeline.search.rerank.linear import FamilyModels
from pipeline.search.understand.model import Understood


def rank_documents(understood: Understood, groups: Sequence[Group], models: FamilyModels) -> list[Group]:
    """Return the groups with their scores (probabilities of relevance), in any order."""
    return rank_by_rank(groups, models.document)
