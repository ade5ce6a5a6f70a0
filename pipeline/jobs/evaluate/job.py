"""Evaluations as commands and tasks ask for them: of a home, of a server, of the judged queries that settings name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx

from pipeline.domain.errors import ClindexError, ConfigurationError, UsageError
from pipeline.jobs.evaluate.asking import client_for, in_process, over_http
from pipeline.jobs.evaluate.basis import basis_of, basis_of_server
from pipeline.jobs.evaluate.judged import JudgedQuery
from pipeline.jobs.evaluate.keeping import keep, write_artifact
from pipeline.jobs.evaluate.model import EvaluationSummary
from pipeline.jobs.evaluate.names import Names, names_in, names_without_home
from pipeline.jobs.evaluate.reading import read_judged
from pipeline.jobs.evaluate.run import How, evaluate
from pipeline.jobs.evaluate.shipped import SHIPPED, shipped_queries
from pipeline.search.request import Mode
from pipeline.settings import Settings
from pipeline.wiring import Services, open_services, utc_now

Progress = Callable[[int], None]


def queries_of(settings: Settings, queries: Path | None = None, qrels: Path | None = None) -> list[JudgedQuery]:
    """Return the judged queries that are named, or those of the settings, or the shipped ones.

    Raises:
        UsageError: A file or a line cannot be used.
    """
    if queries is None and qrels is not None:
        raise UsageError("judgements need their queries", remedy="--queries FILE")
    if queries is None and settings.evaluation_queries is not None:
        queries, qrels = settings.evaluation_queries, settings.evaluation_qrels
    return read_judged(queries or shipped_queries(), qrels)


def evaluate_home(services: Services, queries: Sequence[JudgedQuery], how: How, progress: Progress = lambda _: None) -> EvaluationSummary:
    """Evaluate the live collection of a home, and keep the result."""
    started = utc_now()
    there = services.live()
    there.require_collection()
    names = names_in(there, _named(queries))
    ask = in_process(there, limit=how.limit, mode=Mode(how.mode))
    summary = evaluate(queries, names, ask, basis=basis_of(there, queries), how=how, progress=progress)
    return keep(services, summary, started)


def evaluate_server(
    settings: Settings, url: str, queries: Sequence[JudgedQuery], how: How, progress: Progress = lambda _: None
) -> EvaluationSummary:
    """Evaluate a server. Names of files are resolved by the home of the settings where there is one; the result is kept as a file."""
    with client_for(url, os.environ) as client:
        names = _names_for_server(settings, queries)
        ask = over_http(client, limit=how.limit, mode=Mode(how.mode))
        basis = basis_of_server(settings, queries, _documents_of(client))
        summary = evaluate(queries, names, ask, basis=basis, how=how, progress=progress)
    return summary.model_copy(update={"artifact": str(write_artifact(settings, summary))})


def floors_of(settings: Settings) -> dict[str, float]:
    """Return the floors that the settings ask for."""
    floors = {"recall@10": settings.evaluation_min_recall, "ndcg@10": settings.evaluation_min_ndcg}
    return {name: least for name, least in floors.items() if least > 0}


def require_judgements(settings: Settings) -> list[JudgedQuery]:
    """Return the judged queries that a scheduled evaluation asks: those of the settings, else the shipped ones.

    Raises:
        ConfigurationError: The settings name files that cannot be used.
    """
    try:
        return queries_of(settings)
    except UsageError as error:
        raise ConfigurationError(error.message, remedy=error.remedy) from None


def holds_samples(services: Services) -> bool:
    """Whether a home holds what the shipped queries ask for."""
    if not SHIPPED.is_file():
        return False
    return not names_in(services.live(), _named(read_judged(SHIPPED, None))).missing


def _named(queries: Sequence[JudgedQuery]) -> frozenset[str]:
    return frozenset(name for query in queries for name in query.names)


def _names_for_server(settings: Settings, queries: Sequence[JudgedQuery]) -> Names:
    names = names_without_home(_named(queries))
    if not names.missing:
        return names
    try:
        with open_services(settings) as services:
            return names_in(services, _named(queries))
    except ClindexError:
        return names


def _documents_of(client: httpx.Client) -> int | None:
    """Return how many documents a server says it serves; ``None``: it does not say so to us."""
    try:
        answer = client.get("/status")
        return int(answer.json()["documents"]["live"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return None
