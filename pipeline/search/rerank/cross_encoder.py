"""The first documents, read once more: in go groups by their signals, out go the same groups with a cross-encoder's say in their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, pstdev
from typing import Final

from pipeline.domain.ports import PairScorer
from pipeline.search.passages import Group
from pipeline.search.rerank.linear import probability

#: Log-odds that one standard deviation of the model's scores is worth. Models answer on scales of their own, so only how a passage stands
#: among those read with it is used; 1 is about what the strongest signal of a passage is worth.
WEIGHT: Final = 1.0


def read_again(query: str, groups: Sequence[Group], scorer: PairScorer, *, documents: int) -> list[Group]:
    """Return the groups, best first: of the first ``documents`` the best passage was read beside the query; the others keep their place.

    Args:
        query: As it was asked, or corrected.
        groups: Best first, with scores in 0..1.
        scorer: The model.
        documents: How many are read.
    """
    read, rest = list(groups[:documents]), list(groups[documents:])
    if len(read) < 2:
        return [*read, *rest]
    scores = scorer.score(query, [group.passages[0].row.chunk.embed_text for group in read])
    mean, spread = fmean(scores), pstdev(scores)
    floor = rest[0].score if rest else 0.0  # nobody who was read falls below those who were not
    again = []
    for group, score in zip(read, scores, strict=True):
        said = (score - mean) / spread if spread else 0.0
        odds = math.log(group.score / (1.0 - group.score)) + WEIGHT * said
        again.append(replace(group, score=max(floor, probability(odds)), signals={**group.signals, "cross_encoder": said}))
    return [*sorted(again, key=lambda group: (-group.score, str(group.document_id))), *rest]
