"""Aggregates that only monitors ask for; the others are the report's (``jobs.report.queries``)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, case, func, select

from pipeline.domain.reading import PageOutcome
from pipeline.domain.vocabulary import ResourceOutcome, RunKind
from pipeline.jobs.report.queries import document_states
from pipeline.storage.fhir_tables import fhir_resources as resources_table
from pipeline.storage.tables import document_pages, runs
from pipeline.storage.tables import documents as documents_table

_PAGES = document_pages.c


def documents(tx: Connection) -> dict[tuple[str, ...], int]:
    """Return documents by kind, source and state; deleted ones are counted as well."""
    state, known = document_states()
    by = (documents_table.c.kind, documents_table.c.source, state)
    query = select(*by, func.count()).select_from(known).group_by(*by)
    return {(kind, source, name): int(count) for kind, source, name, count in tx.execute(query)}


def fhir_resources(tx: Connection) -> dict[str, int]:
    """Return FHIR resources by outcome; all outcomes are named where there is any resource."""
    query = select(resources_table.c.outcome, func.count()).group_by(resources_table.c.outcome)
    found = {outcome: int(count) for outcome, count in tx.execute(query)}
    return {outcome.value: found.get(outcome.value, 0) for outcome in ResourceOutcome} if found else {}


def runs_by_kind_and_state(tx: Connection) -> dict[tuple[str, ...], int]:
    """Return how many runs there were."""
    query = select(runs.c.kind, runs.c.state, func.count()).group_by(runs.c.kind, runs.c.state)
    return {(kind, state): int(count) for kind, state, count in tx.execute(query)}


def last_successes(tx: Connection) -> dict[str, datetime]:
    """Return when the last successful run of each kind ended."""
    query = select(runs.c.kind, func.max(runs.c.finished_at)).where(runs.c.state == "success").group_by(runs.c.kind)
    return {kind: at for kind, at in tx.execute(query) if at is not None}


def embedding_lookups(tx: Connection) -> tuple[int, int]:
    """Return how many texts of all index runs had a vector already, and how many got one."""
    sums = [func.coalesce(func.sum(runs.c.counts[name].as_integer()), 0) for name in ("cached", "embedded")]
    row = tx.execute(select(*sums).where(runs.c.kind == RunKind.INDEX.value)).one()
    return int(row[0]), int(row[1])


def pages(tx: Connection) -> dict[str, int]:
    """Return pages of live documents by outcome; all outcomes are named where there is any page."""
    joined = document_pages.join(documents_table, documents_table.c.document_id == _PAGES.document_id)
    query = select(_PAGES.outcome, func.count()).select_from(joined).where(documents_table.c.tombstoned_at.is_(None))
    found = {outcome: int(count) for outcome, count in tx.execute(query.group_by(_PAGES.outcome))}
    return {outcome.value: found.get(outcome.value, 0) for outcome in PageOutcome} if found else {}


def ocr_confidence(tx: Connection, bounds: Sequence[float]) -> tuple[tuple[int, ...], float]:
    """Return how many pages that OCR read fall between the bounds (the upper one included), one more above the last; and the sum."""
    upto = [func.coalesce(func.sum(case((_PAGES.confidence <= bound, 1), else_=0)), 0) for bound in bounds]
    joined = document_pages.join(documents_table, documents_table.c.document_id == _PAGES.document_id)
    query = select(*upto, func.count(), func.coalesce(func.sum(_PAGES.confidence), 0.0)).select_from(joined)
    query = query.where(_PAGES.outcome == PageOutcome.OCR.value, documents_table.c.tombstoned_at.is_(None))
    *cumulative, total = tx.execute(query).one()
    counts = [int(one) for one in cumulative]
    return tuple(now - before for before, now in zip([0, *counts], counts, strict=False)), float(total)
