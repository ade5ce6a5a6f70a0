"""One evaluation: names resolved, queries asked, answers measured, floors held against them. Writes nothing; ``keep`` does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from pipeline.jobs.evaluate.asking import Answer, Ask
from pipeline.jobs.evaluate.floor import random_floor
from pipeline.jobs.evaluate.intervals import overall, paired
from pipeline.jobs.evaluate.judged import JudgedQuery
from pipeline.jobs.evaluate.measures import ELIGIBLE, EXCLUDED, MEANINGS, PerQuery, measure, pair_accuracy
from pipeline.jobs.evaluate.model import (
    Basis,
    Change,
    EvaluationSummary,
    Floor,
    GroupFigures,
    Interval,
    Missing,
    QueryFigures,
)
from pipeline.jobs.evaluate.names import Names
from pipeline.wiring import utc_now

NEAR_MISS: Final = "near_miss_accuracy"
PASSAGE: Final = ("passage@1", 1), ("passage@3", 3)
REFUSAL: Final = "refusal"
ANSWERED: Final = "answered"

#: Measures that only queries of a richer form have.
MORE: Final[Mapping[str, str]] = {
    NEAR_MISS: "pairs of a relevant document and one that only looks like it in which the relevant one stands first",
    "passage@1": "queries whose first hit is a gold passage of a relevant document",
    "passage@3": "queries with such a hit among the first 3",
    REFUSAL: "queries without evidence that were refused or found nothing",
    ANSWERED: "queries with evidence that were not refused and found something",
}


@dataclass(frozen=True, slots=True)
class How:
    """What an evaluation is told besides its queries."""

    mode: str
    limit: int
    url: bool
    floors: Mapping[str, float]
    allow_missing: bool


def evaluate(
    queries: Sequence[JudgedQuery], names: Names, ask: Ask, *, basis: Basis, how: How, progress: Callable[[int], None] = lambda _: None
) -> EvaluationSummary:
    """Ask every query and measure the answers.

    Args:
        queries: With judgements by name.
        names: What the names mean.
        ask: The search.
        basis: What is searched.
        how: See ``How``.
        progress: Called with the number of queries asked so far.
    """
    start = time.monotonic()
    answers: dict[str, Answer] = {}
    for number, query in enumerate(queries, start=1):
        answers[query.query_id] = ask(query)
        progress(number)
    rows = measured(queries, names, answers)
    own = {query.query_id: rows[query.query_id] for query in queries if query.twin_of is None and query.query_id in rows}
    metrics = {name: Interval(**asdict(figure)) for name, figure in overall(own).items()}
    qrels = {query.query_id: _labels(query, names) for query in queries if query.twin_of is None}
    return EvaluationSummary(
        created_at=utc_now(),
        queries=len(queries),
        measured=len(own),
        metrics=metrics,
        random_floor=random_floor(qrels, basis.documents) if basis.documents else {},
        groups=_groups(queries, rows),
        twins=_twins(queries, rows),
        per_query={query: _query_figures(rows.get(query, {}), answer) for query, answer in answers.items()},
        missing=_missing(queries, names),
        without_judgement=sum(query.query_id not in rows for query in queries),
        floors=[
            Floor(metric=name, least=least, value=metrics[name].value if name in metrics else None) for name, least in how.floors.items()
        ],
        mode=how.mode,
        limit=how.limit,
        url=how.url,
        seconds=_seconds([answer.seconds for answer in answers.values()], time.monotonic() - start),
        basis=basis,
        meanings={name: meaning for name, meaning in {**MEANINGS, **MORE}.items() if name in metrics},
        allow_missing=how.allow_missing,
    )


def measured(queries: Sequence[JudgedQuery], names: Names, answers: Mapping[str, Answer]) -> PerQuery:
    """Return all measures by query. A query of which nothing can be measured is absent.

    What a judgement names and is not here counts as not found: it was asked for, and users do not get it.
    """
    run = {query: {one.document_id: -float(rank) for rank, one in enumerate(answer.found)} for query, answer in answers.items()}
    qrels = {query.query_id: _labels(query, names) for query in queries if query.labels}
    rows = measure(run, qrels)
    for query in queries:
        more = _more(query, qrels.get(query.query_id, {}), names, answers[query.query_id])
        if more:
            rows.setdefault(query.query_id, {}).update(more)
    return rows


def _more(query: JudgedQuery, labels: Mapping[str, int], names: Names, answer: Answer) -> dict[str, float]:
    """Return what a query of the richer form is measured by besides."""
    if query.refuse:
        return {REFUSAL: float(answer.refused)}
    relevant = {document for document, label in labels.items() if label > 0}
    if not relevant:
        return {}
    row = {ANSWERED: float(not answer.refused)}
    if query.near:
        pairs = dict.fromkeys(relevant, ELIGIBLE) | {names.ids.get(name, name): EXCLUDED for name in query.near}
        accuracy = pair_accuracy([one.document_id for one in answer.found], pairs)
        row |= {NEAR_MISS: accuracy} if accuracy is not None else {}
    if query.passages:
        row |= {
            name: float(any(one.is_gold_passage and one.document_id in relevant for one in answer.found[:first])) for name, first in PASSAGE
        }
    return row


def _labels(query: JudgedQuery, names: Names) -> dict[str, int]:
    """Return labels by document id. Where two names mean one document, the better label counts."""
    labels: dict[str, int] = {}
    for name, label in query.labels.items():
        document = names.ids.get(name, name)
        labels[document] = max(label, labels.get(document, 0))
    return labels


def _groups(queries: Sequence[JudgedQuery], rows: PerQuery) -> dict[str, dict[str, GroupFigures]]:
    members: dict[str, dict[str, list[str]]] = {}
    for query in queries:
        for field, value in query.groups.items():
            if query.query_id in rows and (query.twin_of is None or field == "variant"):
                members.setdefault(field, {}).setdefault(value, []).append(query.query_id)
    return {
        field: {value: _group({query: rows[query] for query in ids}) for value, ids in sorted(by_value.items())}
        for field, by_value in sorted(members.items())
    }


def _group(rows: PerQuery) -> GroupFigures:
    return GroupFigures(queries=len(rows), metrics={name: Interval(**asdict(figure)) for name, figure in overall(rows).items()})


def _twins(queries: Sequence[JudgedQuery], rows: PerQuery) -> dict[str, dict[str, Change]]:
    """Return each variant's twins against the queries that they are twins of."""
    variants: dict[str, list[JudgedQuery]] = {}
    for query in queries:
        if query.twin_of is not None and query.query_id in rows:
            variants.setdefault(query.groups.get("variant", "other"), []).append(query)
    made = {}
    for variant, twins in sorted(variants.items()):
        clean = {twin.query_id: rows[twin.twin_of] for twin in twins if twin.twin_of in rows}
        changes = paired(clean, {twin.query_id: rows[twin.query_id] for twin in twins})
        made[variant] = {name: Change(**asdict(change)) for name, change in changes.items()}
    return made


def _query_figures(row: Mapping[str, float], answer: Answer) -> QueryFigures:
    return QueryFigures(
        metrics={name: round(value, 6) for name, value in row.items()},
        route=answer.route,
        refused=answer.refused,
        found=len(answer.found),
        seconds=round(answer.seconds, 4),
    )


def _missing(queries: Sequence[JudgedQuery], names: Names) -> list[Missing]:
    return [
        Missing(name=name, queries=sorted(query.query_id for query in queries if name in query.names), reason=reason)
        for name, reason in names.missing.items()
    ]


def _seconds(each: Sequence[float], total: float) -> dict[str, float]:
    quantiles = np.quantile(each, [0.5, 0.95, 0.99]) if each else [0.0, 0.0, 0.0]
    return {
        **{name: round(float(value), 4) for name, value in zip(("p50", "p95", "p99"), quantiles, strict=True)},
        "total": round(total, 2),
    }
