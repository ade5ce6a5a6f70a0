"""Reciprocal rank fusion, done here for both engines.

Qdrant's own fusion counts ranks from 0 (its best point scores 1/k, measured) and works in single precision; this is the paper's,
in double precision and with ties in a fixed order, so that both engines give the same list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

PointId = UUID | int


def id_order(point_id: PointId) -> tuple[int, int]:
    """Return the sort key of an id: integers before UUIDs, UUIDs by their 128 bits (the order in which Qdrant scrolls)."""
    return (1, point_id.int) if isinstance(point_id, UUID) else (0, point_id)


def ranked(hits: Iterable[tuple[PointId, float]]) -> list[tuple[PointId, float]]:
    """Return hits best first, equal scores in order of id."""
    return sorted(hits, key=lambda hit: (-hit[1], id_order(hit[0])))


def fuse(rankings: Sequence[Sequence[PointId]], *, k: int, weights: Sequence[float] | None = None) -> list[tuple[PointId, float]]:
    """Fuse rankings: score = sum of weight / (k + rank), ranks from 1 (Cormack, Clarke and Buettcher, SIGIR 2009); weights are 1 unless given."""
    scores: dict[PointId, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, point_id in enumerate(ranking, start=1):
            scores[point_id] = scores.get(point_id, 0.0) + weight / (k + rank)
    return ranked(scores.items())
