"""What a random order of the index's documents would score, exactly: expected values, not drawn ones."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from typing import Final

from pipeline.jobs.evaluate.measures import (
    ELIGIBLE,
    EXCLUDED,
    MRR,
    NDCG,
    NDCG_CONDENSED,
    NDCG_LINEAR,
    PAIR_ACCURACY,
    PRECISION_AT,
    RECALL_AT,
    SUCCESS_AT,
    K,
    Qrels,
)

_TOSSED: Final = 0.5  # of two documents in a random order, either stands first as often


def random_floor(qrels: Qrels, documents: int, *, relevant_from: int = 1) -> dict[str, float]:
    """Return the expected mean of each measure when every query is answered with all documents in a random order.

    Args:
        qrels: As for ``measures.measure``; queries without a relevant judgement are left out as they are there.
        documents: How many documents the index holds; at least as many as a query has judged ones.
        relevant_from: As for ``measures.measure``.
    """
    rows: list[dict[str, float]] = []
    for labels in qrels.values():
        relevant = sum(label >= relevant_from for label in labels.values())
        if relevant:
            rows.append(_row(labels, relevant, max(documents, len(labels))))
    names = sorted({name for row in rows for name in row})
    return {name: _mean([row[name] for row in rows if name in row]) for name in names}


def _row(labels: Mapping[str, int], relevant: int, documents: int) -> dict[str, float]:
    exponential = [2.0 ** max(label, 0) - 1.0 for label in labels.values()]
    linear = [float(max(label, 0)) for label in labels.values()]
    row = {
        **{f"recall@{k}": min(k, documents) / documents for k in RECALL_AT},
        **{f"precision@{k}": relevant * min(k, documents) / documents / k for k in PRECISION_AT},
        **{f"success@{k}": 1.0 - _none_among(k, relevant, documents) for k in SUCCESS_AT},
        MRR: _reciprocal_rank(relevant, documents),
        NDCG: _ndcg(exponential, documents),
        NDCG_LINEAR: _ndcg(linear, documents),
        NDCG_CONDENSED: _ndcg(exponential, len(labels)),
    }
    if any(label >= ELIGIBLE for label in labels.values()) and EXCLUDED in labels.values():
        row[PAIR_ACCURACY] = _TOSSED
    return row


def _none_among(k: int, relevant: int, documents: int) -> float:
    """Probability that the first ``k`` of a random order hold none of the relevant ones."""
    chance = 1.0
    for place in range(min(k, documents)):
        chance *= max(documents - relevant - place, 0) / (documents - place)
    return chance


def _reciprocal_rank(relevant: int, documents: int) -> float:
    expected, none_before = 0.0, 1.0
    for rank in range(1, documents - relevant + 2):
        here = relevant / (documents - rank + 1)
        expected += none_before * here / rank
        none_before *= 1.0 - here
    return expected


def _ndcg(gains: list[float], documents: int) -> float:
    best = sum(gain / log2(rank + 1) for rank, gain in enumerate(sorted(gains, reverse=True)[:K], start=1))
    each = sum(gains) / documents
    expected = sum(each / log2(rank + 1) for rank in range(1, min(K, documents) + 1))
    return expected / best if best else 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
