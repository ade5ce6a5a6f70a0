"""Evaluation of two collections by a site's own judgements, where it has any: the same queries, the same measures as ``clindex evaluate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pipeline.domain.errors import ConfigurationError, UsageError
from pipeline.jobs.evaluate.asking import in_process
from pipeline.jobs.evaluate.intervals import Difference, paired
from pipeline.jobs.evaluate.judged import JudgedQuery
from pipeline.jobs.evaluate.measures import NDCG, K
from pipeline.jobs.evaluate.names import Names, names_in
from pipeline.jobs.evaluate.reading import read_judged
from pipeline.jobs.evaluate.run import measured
from pipeline.search.request import Mode
from pipeline.wiring import Services

# One query's worth of rounding, not of quality: a mean over queries is compared as it is but for this.
TOLERANCE: Final = 1e-6

PerQuery = Mapping[str, Mapping[str, float]]


def judgements(services: Services) -> list[JudgedQuery] | None:
    """Return the site's judged queries that have a relevant document, or ``None`` where the settings name none.

    Raises:
        ConfigurationError: A file is missing or cannot be read; the message says what is wrong with which line.
    """
    queries, qrels = services.settings.evaluation_queries, services.settings.evaluation_qrels
    if queries is None and qrels is None:
        return None
    if queries is None:
        raise ConfigurationError("CLINDEX_EVALUATION_QRELS is set, and CLINDEX_EVALUATION_QUERIES is not")
    try:
        found = read_judged(queries, qrels)
    except UsageError as error:
        raise ConfigurationError(f"CLINDEX_EVALUATION_QUERIES, CLINDEX_EVALUATION_QRELS: {error.message}", remedy=error.remedy) from None
    return [query for query in found if any(label > 0 for label in query.labels.values())]


def figures(there: Services, judged: Sequence[JudgedQuery]) -> PerQuery:
    """Return the measures of each query on one collection."""
    names: Names = names_in(there, {name for query in judged for name in query.names})
    ask = in_process(there, limit=K, mode=Mode.FULL)
    return measured(judged, names, {query.query_id: ask(query) for query in judged})


def ndcg_change(live: PerQuery, candidate: PerQuery) -> tuple[float, float, Difference]:
    """Return mean nDCG@10 of the live collection and of the candidate, and their paired difference."""
    means = [sum(row[NDCG] for row in rows.values()) / len(rows) for rows in (live, candidate)]
    return means[0], means[1], paired(live, candidate)[NDCG]
