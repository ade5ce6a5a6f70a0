"""Filtered-recall canary: what the engine finds approximately within a filter, against every vector compared one by one.

The filters are those that search uses: each source, kind, section and status within its source. Two passes over the collection: payloads to
learn which filters there are and to draw queries, vectors for the exact answer. Memory: one batch, and ten hits a query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np

from pipeline.domain.points import DenseModel, PointFilter, StoredPoint
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import Section
from pipeline.wiring import Services

if TYPE_CHECKING:
    from numpy.typing import NDArray

K: Final = 10  # hits compared: what fits one page
QUERIES_A_FILTER: Final = 3
_BATCH: Final = 2000  # points a request with vectors: 3 MB of float32 at 384 dimensions
# Both scores are computed here from the vectors read back; float32 sums of 384 products differ by less than 1e-6 with their order.
_EQUAL: Final = 1e-5

Group = tuple[tuple[str, str], ...]  # fields of a payload and the values they must have


@dataclass(frozen=True, slots=True)
class RecallSummary:
    """What the canary found. ``worst`` names a filter's fields and codes."""

    queries: int
    filters: int
    mean: float
    lowest: float  # of a filter's queries
    worst: str


@dataclass(slots=True)
class _Query:
    group: Group
    using: str  # name of the vectors it is compared with
    vector: NDArray[np.float32] = field(repr=False)
    found: list[UUID | int]
    exact: NDArray[np.float32] = field(repr=False)  # the best scores so far, descending
    scores: dict[UUID | int, float] = field(default_factory=dict, repr=False)  # of what was found and fits the filter

    def recall(self) -> float:
        """Share of the exact hits that were found; a hit of the same score as the last one is as good."""
        if not len(self.exact):
            return 1.0
        last = float(self.exact[-1]) - _EQUAL
        return min(1.0, sum(1 for score in self.scores.values() if score >= last) / len(self.exact))


def filtered_recall(there: Services) -> RecallSummary:
    """Compare approximate and exact search of one collection, which is held all the while."""
    with there.index.session() as index:
        drawn = _draw(index.scan(batch_size=_BATCH))
        queries = [query for model in there.spec.dense for query in _ask(index, drawn, there.settings.rrf_k, model)]
        for model in there.spec.dense:
            _answer_exactly(index, [query for query in queries if query.using == model.vector], model)
    by_group: dict[Group, list[float]] = {}
    for query in queries:
        by_group.setdefault(query.group, []).append(query.recall())
    means = {group: sum(values) / len(values) for group, values in by_group.items()}
    worst = min(means, key=lambda group: (means[group], group), default=())
    return RecallSummary(
        queries=len(queries),
        filters=len(means),
        mean=sum(query.recall() for query in queries) / len(queries) if queries else 1.0,
        lowest=means.get(worst, 1.0),
        worst=", ".join("=".join(pair) for pair in worst),
    )


def _groups(payload: Any) -> Iterator[Group]:
    """Yield the filters that a point belongs to."""
    source, status = payload.get("source"), payload.get("overall_status")
    if isinstance(source, str):
        yield (("source", source),)
        if isinstance(status, str):
            yield (("source", source), ("overall_status", status))
    for name in ("kind", "section"):
        if isinstance(value := payload.get(name), str):
            yield ((name, value),)


def _draw(points: Iterator[StoredPoint]) -> dict[Group, list[UUID | int]]:
    """Draw some points of every filter, by ids and so at random, the same ones each time: an id is a hash."""
    drawn: dict[Group, list[UUID | int]] = {}
    for point in points:
        for group in _groups(point.payload):
            chosen = drawn.setdefault(group, [])
            if len(chosen) < 2 * QUERIES_A_FILTER:  # in pairs: half-way between two points, a query is none of the stored vectors
                chosen.append(point.id)
    return drawn


def _ask(index: VectorIndex, drawn: dict[Group, list[UUID | int]], rrf_k: int, model: DenseModel) -> Iterator[_Query]:
    for group, ids in sorted(drawn.items()):
        kept = {point.id: _unit(point, model) for point in index.retrieve(ids, vectors=True)}
        vectors = [vector for key in ids if (vector := kept.get(key)) is not None]
        where = _filter(group)
        for one in range(0, len(vectors), 2):
            vector = _between(vectors[one : one + 2])
            hits = index.query(dense=vector, sparse=None, where=where, limit=K, candidates=K, rrf_k=rrf_k, using=model.vector)
            yield _Query(group, model.vector, vector, [hit.id for hit in hits], np.empty(0, np.float32))


def _between(pair: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    middle: NDArray[np.float32] = np.sum(pair, axis=0, dtype=np.float32)
    length = np.linalg.norm(middle).astype(np.float32)
    between: NDArray[np.float32] = middle / length if length > _EQUAL else pair[0]
    return between


def _filter(group: Group) -> PointFilter:
    values = dict(group)
    return PointFilter(
        sources=(values["source"],) if "source" in values else (),
        overall_status=(values["overall_status"],) if "overall_status" in values else (),
        kinds=(values["kind"],) if "kind" in values else (),
        sections=(Section(values["section"]),) if "section" in values else (),
    )


def _unit(point: StoredPoint, model: DenseModel) -> NDArray[np.float32] | None:
    """Return a point's vector at unit length; ``None`` for what is no vector of the model's: reconciliation tells of it."""
    dense = point.vectors.dense if point.vectors and point.vectors.vector == model.vector else None
    if dense is None or len(dense) != model.dimensions:
        return None
    vector = np.asarray(dense, dtype=np.float32)
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if np.isfinite(length) and length > 0 else None


def _answer_exactly(index: VectorIndex, queries: Sequence[_Query], model: DenseModel) -> None:
    """Compare every vector of a model with every query, and keep the best of each query's filter."""
    if not queries:
        return
    asked = np.stack([query.vector for query in queries])
    wanted: dict[UUID | int, list[_Query]] = {}
    for query in queries:
        for key in query.found:
            wanted.setdefault(key, []).append(query)
    place = {id(query): row for row, query in enumerate(queries)}
    for points, vectors in _batches(index, model):
        scores = asked @ vectors.T
        members: dict[Group, list[int]] = {}
        for column, point in enumerate(points):
            groups = list(_groups(point.payload))
            for group in groups:
                members.setdefault(group, []).append(column)
            for query in wanted.get(point.id, ()):
                if query.group in groups:
                    query.scores[point.id] = float(scores[place[id(query)], column])
        for row, query in enumerate(queries):
            if columns := members.get(query.group):
                query.exact = -np.sort(-np.concatenate([query.exact, scores[row, columns]]))[:K]


def _batches(index: VectorIndex, model: DenseModel) -> Iterator[tuple[list[StoredPoint], NDArray[np.float32]]]:
    points: list[StoredPoint] = []
    vectors: list[NDArray[np.float32]] = []
    for point in index.scan(batch_size=_BATCH, vectors=True):
        vector = _unit(point, model)
        if vector is None:
            continue
        points.append(StoredPoint(point.id, point.payload))
        vectors.append(vector)
        if len(points) >= _BATCH:
            yield points, np.stack(vectors)
            points, vectors = [], []
    if points:
        yield points, np.stack(vectors)
