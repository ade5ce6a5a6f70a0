"""Measures of rankings against judgements, computed by ir-measures (its pytrec_eval provider, trec_eval's own code).

In: a run (query id -> document -> score) and qrels (query id -> document -> label). Out: query id -> name of a measure -> value, 0 to 1.

Labels: 0 not relevant, 1 relevant (in patient-to-trial collections: right condition, patient excluded), 2 and above better (eligible).
Gains of nDCG are 2^label - 1 unless a name says linear (Burges et al., ICML 2005; Jarvelin and Kekalainen, TOIS 2002). Unjudged documents
count as not relevant; ``ndcg_condensed`` leaves them out of the ranking first (Sakai, SIGIR 2007).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import ir_measures
from ir_measures import RR, P, R, Success, nDCG

Run = Mapping[str, Mapping[str, float]]
Qrels = Mapping[str, Mapping[str, int]]
PerQuery = dict[str, dict[str, float]]

K: Final = 10  # of nDCG: what fits one page
RECALL_AT: Final = (1, 3, 10, 100)
PRECISION_AT: Final = (1, 3, 10)
SUCCESS_AT: Final = (1, 3, 10)
ELIGIBLE, EXCLUDED = 2, 1

NDCG: Final = f"ndcg@{K}"
NDCG_LINEAR: Final = f"ndcg_linear@{K}"
NDCG_CONDENSED: Final = f"ndcg_condensed@{K}"
MRR: Final = "mrr"
PAIR_ACCURACY: Final = "pair_accuracy"

#: What each name means, as reports say it.
MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{f"recall@{k}": f"share of the relevant documents among the first {k}" for k in RECALL_AT},
        **{f"precision@{k}": f"share of relevant documents among the first {k}; fewer found than {k} counts as {k}" for k in PRECISION_AT},
        **{f"success@{k}": f"queries with a relevant document among the first {k}" for k in SUCCESS_AT},
        MRR: "one over the rank of the first relevant document",
        NDCG: f"nDCG of the first {K}, gains 2^label - 1, unjudged = 0",
        NDCG_LINEAR: f"nDCG of the first {K}, gains = label, unjudged = 0",
        NDCG_CONDENSED: f"nDCG of the first {K} judged documents, gains 2^label - 1",
        PAIR_ACCURACY: "pairs of an eligible and an excluded document in which the eligible one stands first",
    }
)


def measure(run: Run, qrels: Qrels, *, relevant_from: int = 1) -> PerQuery:
    """Return all measures of every query that has a relevant judgement.

    A query that the run lacks counts with zeros. A measure that says nothing of a query is absent from its row: ``pair_accuracy`` without a
    pair of which the run holds one at least. A query without a relevant judgement is absent: recall of nothing is not a number.

    Args:
        run: Higher scores rank first; equal ones keep the order of the mapping (trec_eval alone would order them by id).
        qrels: Labels, whole numbers; negative ones count as 0.
        relevant_from: The lowest label that counts as relevant for recall, precision, success and MRR (2: eligible only).
    """
    judged = {query: dict(labels) for query, labels in qrels.items() if max(labels.values(), default=0) >= relevant_from}
    if not judged:
        return {}
    ranked = {query: ranking(run.get(query, {})) for query in judged}
    scored = {query: {document: float(-rank) for rank, document in enumerate(documents)} for query, documents in ranked.items()}
    gains = {query: {document: 2 ** max(label, 0) - 1 for document, label in labels.items()} for query, labels in judged.items()}
    found: PerQuery = {query: {} for query in judged}
    for names, qrels_of in ((_by_label(relevant_from), judged), (_BY_GAIN, gains)):
        by_measure = {one: name for name, one in names.items()}
        for value in ir_measures.iter_calc(list(by_measure), qrels_of, scored):
            found[value.query_id][by_measure[value.measure]] = float(value.value)
    for query, labels in judged.items():
        if (pairs := pair_accuracy(ranked[query], labels)) is not None:
            found[query][PAIR_ACCURACY] = pairs
    return found


def ranking(scores: Mapping[str, float]) -> list[str]:
    """Return documents, best first; equal scores keep their order."""
    return sorted(scores, key=lambda document: -scores[document])


def pair_accuracy(ranked: list[str], labels: Mapping[str, int]) -> float | None:
    """Return the share of pairs (label 2 or above, label 1) in which the first stands above the second.

    A document that was not found stands below all that were; a pair of which neither was found says nothing and is left out. ``None``:
    there is no such pair.
    """
    places = {document: rank for rank, document in enumerate(ranked)}
    last = len(ranked)
    right = total = 0
    excluded = [places.get(document, last) for document, label in labels.items() if label == EXCLUDED]
    for place in (places.get(document, last) for document, label in labels.items() if label >= ELIGIBLE):
        for other in excluded:
            total += not place == other == last
            right += place < other
    return right / total if total else None


def _by_label(relevant_from: int) -> dict[str, ir_measures.Measure]:
    return {
        **{f"recall@{k}": R(rel=relevant_from) @ k for k in RECALL_AT},
        **{f"precision@{k}": P(rel=relevant_from) @ k for k in PRECISION_AT},
        **{f"success@{k}": Success(rel=relevant_from) @ k for k in SUCCESS_AT},
        MRR: RR(rel=relevant_from),
        NDCG_LINEAR: nDCG @ K,
    }


# Of gains in place of labels, in a call of their own: nDCG's ``gains`` beside plain nDCG in one call of ir-measures 0.4.3 gives one of the
# two the other's value, depending on their order.
_BY_GAIN: Final[Mapping[str, ir_measures.Measure]] = MappingProxyType({NDCG: nDCG @ K, NDCG_CONDENSED: nDCG(judged_only=True) @ K})
