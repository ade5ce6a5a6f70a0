"""Measures of a run on the test collection: in go ranked NCT ids a query, out go numbers, overall, by collection and by half."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, Final

from bench.trial_eval.collection import Collection, Query
from pipeline.jobs.evaluate.intervals import paired
from pipeline.jobs.evaluate.measures import MRR, NDCG, NDCG_CONDENSED, PAIR_ACCURACY, PerQuery, measure

SHOWN: Final = (NDCG, NDCG_CONDENSED, "recall@10", "recall@100", MRR, "precision@10", PAIR_ACCURACY)
COMPARED: Final = (NDCG, NDCG_CONDENSED, "recall@100", PAIR_ACCURACY)  # of differences between runs
#: Label 1 means "would consider it" there, not excluded.
_WITHOUT_ELIGIBILITY: Final = "sigir"

Run = Mapping[str, Sequence[str]]  # query id: NCT ids, best first


def score(run: Run, collection: Collection) -> dict[str, Any]:
    """Return the measures' means over all queries, over each collection and over each half."""
    by_query = rows(run, collection)
    return {part: _means(queries, by_query, run, collection) for part, queries in _parts(collection).items()}


def differences(runs: Mapping[str, Run], ours: str, collection: Collection) -> dict[str, dict[str, dict[str, Any]]]:
    """Return by part and other run the mean of (ours - other) with its 95 % interval, of the measures of ``COMPARED``."""
    by_query = {name: rows(run, collection) for name, run in runs.items()}
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for part, queries in _parts(collection).items():
        ids = [query.query_id for query in queries]
        here = {name: {one: each[one] for one in ids} for name, each in by_query.items()}
        for name in here:
            if name != ours:
                made = paired(here[name], here[ours])
                found.setdefault(part, {})[name] = {measured: asdict(made[measured]) for measured in COMPARED if measured in made}
    return found


def rows(run: Run, collection: Collection) -> PerQuery:
    """Return every query's measures; without pair accuracy where labels say nothing of eligibility."""
    labels = {query.query_id: collection.labels[query.query_id] for query in collection.queries}
    by_query = measure({query: {study: -float(rank) for rank, study in enumerate(found)} for query, found in run.items()}, labels)
    for query in collection.queries:
        if query.source == _WITHOUT_ELIGIBILITY:
            by_query[query.query_id].pop(PAIR_ACCURACY, None)
    return by_query


def _parts(collection: Collection) -> dict[str, list[Query]]:
    parts: dict[str, list[Query]] = {
        "all": collection.queries,
        "fitted half": [query for query in collection.queries if query.is_fitted],
        "held-out half": [query for query in collection.queries if not query.is_fitted],
    }
    for query in collection.queries:
        parts.setdefault(query.source, []).append(query)
    return parts


def _means(
    queries: Sequence[Query], by_query: Mapping[str, Mapping[str, float]], run: Run, collection: Collection
) -> dict[str, float | int]:
    values = {name: [by_query[query.query_id][name] for query in queries if name in by_query[query.query_id]] for name in SHOWN}
    pairs = [_pairs(run.get(query.query_id, ()), collection.labels[query.query_id], query) for query in queries]
    right, count = sum(one for one, _ in pairs), sum(many for _, many in pairs)
    return {
        "queries": len(queries),
        **{name: round(fmean(each), 4) for name, each in values.items() if each},
        **({f"{PAIR_ACCURACY}_pooled": round(right / count, 4)} if count else {}),
    }


def _pairs(ranked: Iterable[str], labels: Mapping[str, int], query: Query) -> tuple[float, int]:
    """Return how many (eligible, excluded) pairs stand in the right order, and of how many; of one of which neither was found, one half."""
    if query.source == _WITHOUT_ELIGIBILITY:
        return 0.0, 0
    rank = {study: number for number, study in enumerate(ranked)}
    eligible = [rank.get(study, len(rank)) for study, label in labels.items() if label == 2]
    excluded = [rank.get(study, len(rank)) for study, label in labels.items() if label == 1]
    right = sum(1.0 if good < bad else 0.5 if good == bad else 0.0 for good in eligible for bad in excluded)
    return right, len(eligible) * len(excluded)
