"""Trials for a patient's description, in two looks: a pool of trials that any wording finds, then every passage of these.

The first look finds passages (exclusion criteria left out: they match a patient's findings, and say the contrary). The second asks the
engine for the similarities of all passages of the pool's trials, within the same filters, and scores each trial by all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from pipeline.domain.points import PointFilter
from pipeline.domain.ports import VectorIndex, VectorQuery
from pipeline.domain.vocabulary import DocumentKind
from pipeline.search.rerank.linear import Family, packaged_models
from pipeline.search.rerank.trial_evidence import Passages, Similarity, signals
from pipeline.search.retrieve import Candidate, retrieve
from pipeline.storage.chunk_places import documents_of_points, places_of_documents

#: Points a ranking of the first look. Relevant trials in a pool of 500: 300 points 0.82, 600 0.83, 1,000 0.83, 2,000 0.83.
DEPTH: Final = 600
#: Trials of the pool. Relevant trials in it: 200 0.74, 300 0.76, 400 0.82, 600 0.86; the second look takes 0.3 ms a trial.
POOL: Final = 200
POOL_TIMES_LIMIT: Final = 6  # where that is more
#: Wordings used: the description, and what it is about. A third (its first sentences) changed nDCG@10 by -0.001 for half as much time again.
WORDINGS: Final = 2
_SHOWN: Final = 4  # passages of a trial: its best, and what is shown under it
_MARGIN: Final = 1.2  # trials handed on for each that is asked for: truth may drop some


@dataclass(frozen=True, slots=True)
class TrialsFound:
    """What the two looks found.

    Attributes:
        candidates: Passages of the best trials, and of documents that are no trials as they were found.
        signals: Of each of these trials.
    """

    candidates: list[Candidate]
    signals: Mapping[UUID, Mapping[str, float]] = field(default_factory=dict)


def find_trials(
    index: VectorIndex, tx: Connection, queries: Sequence[VectorQuery], where: PointFilter, *, limit: int, collection: str, rrf_k: int
) -> TrialsFound:
    """Return the best trials for the wordings of a description.

    Args:
        index: Held by the caller.
        tx: Truth.
        queries: Two a wording; the first wording is the description, the second what it is about.
        where: Applied in both looks.
        limit: Documents that are asked for.
        collection: That the index is of.
        rrf_k: Of the fusion.
    """
    queries = [query for query in queries if query.variant < WORDINGS]
    first = retrieve(index, queries, replace(where, exclude_exclusion_criteria=True), candidates=DEPTH, rrf_k=rrf_k)
    ids = [one.point_id for one in first if isinstance(one.point_id, UUID)]
    trial_of: dict[UUID | int, UUID] = dict(documents_of_points(tx, ids, kind=DocumentKind.TRIAL, collection=collection).items())
    pool = _pool(first, trial_of, max(POOL, POOL_TIMES_LIMIT * limit))
    others = [one for one in first if one.point_id not in trial_of][: limit * POOL_TIMES_LIMIT]
    if not pool:
        return TrialsFound(others)
    return _closer(index, tx, queries, where, pool, others, limit=limit, collection=collection, rrf_k=rrf_k)


def _pool(first: Sequence[Candidate], trial_of: Mapping[UUID | int, UUID], size: int) -> dict[UUID, float]:
    """Return the trials whose passages were found most and highest, with the sums of their fused scores."""
    sums: dict[UUID, float] = {}
    for one in first:
        if (trial := trial_of.get(one.point_id)) is not None:
            sums[trial] = sums.get(trial, 0.0) + one.fused
    best = sorted(sums, key=lambda trial: (-sums[trial], trial.int))[:size]
    return {trial: sums[trial] for trial in best}


def _closer(
    index: VectorIndex,
    tx: Connection,
    queries: Sequence[VectorQuery],
    where: PointFilter,
    pool: Mapping[UUID, float],
    others: list[Candidate],
    *,
    limit: int,
    collection: str,
    rrf_k: int,
) -> TrialsFound:
    places = places_of_documents(tx, list(pool), kind=DocumentKind.TRIAL, collection=collection)
    number = {trial: position for position, trial in enumerate(pool)}
    at: dict[UUID | int, int] = {place.point_id: position for position, place in enumerate(places)}
    passages = Passages.of(
        [number[one.document_id] for one in places], [one.section for one in places], [one.is_exclusion for one in places]
    )
    rankings = index.rankings(queries, where=replace(where, document_ids=tuple(pool)), limit=len(places))
    near, fused = _similarities(queries, rankings, at, rrf_k=rrf_k)
    by_name = signals(passages, near[0], near[min(1, len(near) - 1)], np.fromiter(pool.values(), dtype=np.float64))
    model = packaged_models(Family.TRIAL).document
    scores = sum(model.weights[name] * values for name, values in by_name.items())
    trials = list(pool)
    best = sorted(range(len(trials)), key=lambda one: (-float(np.asarray(scores)[one]), trials[one].int))[: int(limit * _MARGIN) + 1]
    chosen = {trials[one]: {name: float(values[one]) for name, values in by_name.items()} for one in best}
    shown = _shown(places_points=[place.point_id for place in places], passages=passages, fused=fused, near=near, best=best)
    return TrialsFound([*shown, *others], chosen)


def _similarities(
    queries: Sequence[VectorQuery], rankings: Sequence[Sequence[tuple[UUID | int, float]]], at: Mapping[UUID | int, int], *, rrf_k: int
) -> tuple[list[Similarity], NDArray[np.float64]]:
    """Return every passage's similarity to each wording, and its fused score over all."""
    wordings = max(query.variant for query in queries) + 1
    near = [Similarity(np.zeros(len(at)), np.zeros(len(at))) for _ in range(wordings)]
    fused = np.zeros(len(at))
    for query, ranking in zip(queries, rankings, strict=True):
        known = [(at[point], score) for point, score in ranking if point in at]  # else: written since, and not live yet
        positions = np.asarray([position for position, _ in known], dtype=np.intp)
        values = near[query.variant].dense if query.is_dense else near[query.variant].sparse
        values[positions] = [score for _, score in known]
        fused[positions] += query.weight / (rrf_k + np.arange(1, len(known) + 1))
    return near, fused


def _shown(
    *, places_points: Sequence[UUID], passages: Passages, fused: NDArray[np.float64], near: Sequence[Similarity], best: Sequence[int]
) -> list[Candidate]:
    """Return the passages to show of each of the best trials, best trial and best passage first; exclusion criteria come last."""
    order = np.lexsort((-fused, ~passages.counts, passages.trial))
    starts = np.searchsorted(passages.trial[order], np.arange(passages.trial.max() + 2))
    dense, sparse = np.max([one.dense for one in near], axis=0), np.max([one.sparse for one in near], axis=0)
    found = []
    for trial in best:
        for position in order[starts[trial] : starts[trial + 1]][:_SHOWN]:
            scores = (float(dense[position]) or None, float(sparse[position]) or None)
            found.append(Candidate(places_points[position], float(fused[position]), *scores))
    return found
