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
from pipeline.search.patient.model import Patient
from pipeline.search.rerank.linear import Family, packaged_models
from pipeline.search.rerank.trial_evidence import Passages, Similarity, signals
from pipeline.search.rerank.trial_limits import limit_signals
from pipeline.search.retrieve import Candidate, retrieve
from pipeline.storage.chunk_places import documents_of_points, places_of_documents
from pipeline.storage.study_limits import limits_of

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


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the index.

    Attributes:
        queries: Of the wordings: the description is the first, what it is about the second.
        where: Applied in every ranking.
        collection: That the index is of.
        rrf_k: Of the fusion.
    """

    queries: Sequence[VectorQuery]
    where: PointFilter
    collection: str
    rrf_k: int

    @classmethod
    def of(cls, queries: Sequence[VectorQuery], where: PointFilter, *, collection: str, rrf_k: int) -> Asked:
        """Ask with the first ``WORDINGS`` of the wordings that ``queries`` were made of."""
        return cls([query for query in queries if query.variant < WORDINGS], where, collection, rrf_k)


@dataclass(frozen=True, slots=True)
class Pool:
    """Trials that were looked at as a whole.

    Attributes:
        trials: In the order of the first look.
        signals: By name, each of shape (trials,).
        points: Of the passages.
        passages: Of all of the trials.
        near: Similarities of the passages, one a wording.
        fused: Of each passage, sum over rankings of weight / (k + rank).
    """

    trials: list[UUID]
    signals: Mapping[str, NDArray[np.float64]]
    points: list[UUID]
    passages: Passages = field(repr=False)
    near: list[Similarity] = field(repr=False)
    fused: NDArray[np.float64] = field(repr=False)


def find_trials(index: VectorIndex, tx: Connection, asked: Asked, patient: Patient, *, limit: int) -> TrialsFound:
    """Return the best trials for the wordings of a description.

    Args:
        index: Held by the caller.
        tx: Truth.
        asked: What is asked; its filters hold in both looks.
        patient: Who is described.
        limit: Documents that are asked for.
    """
    pool, others = look(index, tx, asked, size=max(POOL, POOL_TIMES_LIMIT * limit))
    others = others[: limit * POOL_TIMES_LIMIT]
    if pool is None:
        return TrialsFound(others)
    limits = limits_of(tx, pool.trials)
    by_name = {**pool.signals, **limit_signals(patient, [limits.get(trial) for trial in pool.trials])}
    weights = packaged_models(Family.TRIAL).document.weights
    scores = np.sum([weights[name] * values for name, values in by_name.items()], axis=0)
    best = np.argsort(-scores, kind="stable")[: int(limit * _MARGIN) + 1]
    chosen = {pool.trials[one]: {name: float(values[one]) for name, values in by_name.items()} for one in best}
    return TrialsFound([*_shown(pool, best), *others], chosen)


def look(index: VectorIndex, tx: Connection, asked: Asked, *, size: int) -> tuple[Pool | None, list[Candidate]]:
    """Return the pool of trials (``None``: no trial was found), and what was found of other documents.

    Args:
        index: Held by the caller.
        tx: Truth.
        asked: What is asked.
        size: Trials of the pool.
    """
    outside_exclusions = replace(asked.where, exclude_exclusion_criteria=True)
    first = retrieve(index, asked.queries, outside_exclusions, candidates=DEPTH, rrf_k=asked.rrf_k)
    ids = [one.point_id for one in first if isinstance(one.point_id, UUID)]
    trial_of = documents_of_points(tx, ids, kind=DocumentKind.TRIAL)
    others = [one for one in first if one.point_id not in trial_of]
    found = _found(first, trial_of, size)
    return (_closer(index, tx, asked, found) if found else None), others


def _found(first: Sequence[Candidate], trial_of: Mapping[UUID, UUID], size: int) -> dict[UUID, float]:
    """Return the trials whose passages were found most and highest, with the sums of their fused scores."""
    sums: dict[UUID, float] = {}
    for one in first:
        if isinstance(one.point_id, UUID) and (trial := trial_of.get(one.point_id)) is not None:
            sums[trial] = sums.get(trial, 0.0) + one.fused
    best = sorted(sums, key=lambda trial: (-sums[trial], trial.int))[:size]
    return {trial: sums[trial] for trial in best}


def _closer(index: VectorIndex, tx: Connection, asked: Asked, found: Mapping[UUID, float]) -> Pool:
    places = places_of_documents(tx, list(found), kind=DocumentKind.TRIAL, collection=asked.collection)
    number = {trial: position for position, trial in enumerate(found)}
    passages = Passages.of(
        [number[one.document_id] for one in places], [one.section for one in places], [one.is_exclusion for one in places]
    )
    rankings = index.rankings(asked.queries, where=replace(asked.where, document_ids=tuple(found)), limit=len(places))
    points = [place.point_id for place in places]
    near, fused = _similarities(asked.queries, rankings, points, rrf_k=asked.rrf_k)
    by_name = signals(passages, near[0], near[-1], np.fromiter(found.values(), dtype=np.float64))
    return Pool(list(found), by_name, points, passages, near, fused)


def _similarities(
    queries: Sequence[VectorQuery], rankings: Sequence[Sequence[tuple[UUID | int, float]]], points: Sequence[UUID], *, rrf_k: int
) -> tuple[list[Similarity], NDArray[np.float64]]:
    """Return every passage's similarity to each wording, and its fused score over all."""
    at: dict[UUID | int, int] = {point: position for position, point in enumerate(points)}
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


def _shown(pool: Pool, best: NDArray[np.intp]) -> list[Candidate]:
    """Return the passages to show of each of the best trials, best trial and best passage first; exclusion criteria come last."""
    trial = pool.passages.trial
    order = np.lexsort((-pool.fused, ~pool.passages.counts, trial))
    starts = np.searchsorted(trial[order], np.arange(len(pool.trials) + 1))
    dense, sparse = np.max([one.dense for one in pool.near], axis=0), np.max([one.sparse for one in pool.near], axis=0)
    shown = []
    for one in best:
        for position in order[starts[one] : starts[one + 1]][:_SHOWN]:
            scores = (float(dense[position]) or None, float(sparse[position]) or None)
            shown.append(Candidate(pool.points[position], float(pool.fused[position]), *scores))
    return shown
