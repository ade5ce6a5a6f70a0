"""Collects what the report says of files with pages: how each page ended, and which ones a person should look at. No text."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, case, func, select

from pipeline.domain.reading import LOW_CONFIDENCE, PageOutcome
from pipeline.jobs.report.model import Count, PageFacts, PageNamed
from pipeline.storage.tables import document_figures, document_pages, documents

SHOWN_PAGES: Final = 50  # the database has all

_PAGES: Final = document_pages.c
_ALIVE: Final = documents.c.tombstoned_at.is_(None)


def page_facts(tx: Connection) -> PageFacts:
    """Return the report's section on pages, over all documents that are not deleted."""
    found: dict[str, int] = {
        outcome: int(count) for outcome, count in tx.execute(_of_pages(_PAGES.outcome, func.count()).group_by(_PAGES.outcome))
    }
    sums = ("characters", "body", "furniture", "dropped", "unexplained", "tables", "suspects")
    counted: list[ColumnElement[Any]] = [func.coalesce(func.sum(_PAGES[name]), 0).label(name) for name in sums]
    low = func.coalesce(func.sum(case((_is_low(), 1), else_=0)), 0).label("low_confidence")
    files = func.count(func.distinct(_PAGES.document_id)).label("documents")
    row = tx.execute(_of_pages(*counted, low, files)).one()
    return PageFacts(
        **{name: int(value) for name, value in row._mapping.items()},
        figures=_figures(tx),
        by_outcome={outcome.value: found.get(outcome.value, 0) for outcome in PageOutcome},
        ocr_reasons=_counts(tx, _PAGES.reason),
        failures=_counts(tx, _PAGES.failure),
        to_look_at=_to_look_at(tx),
    )


def page_rows(tx: Connection, document_id: UUID) -> list[dict[str, Any]]:
    """Return the account of each page of one document, in order."""
    query = select(document_pages).where(_PAGES.document_id == document_id).order_by(_PAGES.page)
    return [{name: value for name, value in row._mapping.items() if name != "document_id"} for row in tx.execute(query)]


def _is_low() -> ColumnElement[bool]:
    return (_PAGES.outcome == PageOutcome.OCR.value) & (_PAGES.confidence < LOW_CONFIDENCE)


def _of_pages(*columns: ColumnElement[Any]) -> Select[Any]:
    joined = document_pages.join(documents, documents.c.document_id == _PAGES.document_id)
    return select(*columns).select_from(joined).where(_ALIVE)


def _counts(tx: Connection, value: ColumnElement[Any]) -> list[Count]:
    rows = tx.execute(_of_pages(value, func.count()).where(value.is_not(None)).group_by(value))
    return sorted((Count(value=name, count=int(count)) for name, count in rows), key=lambda one: (-one.count, one.value or ""))


def _figures(tx: Connection) -> int:
    joined = document_figures.join(documents, documents.c.document_id == document_figures.c.document_id)
    query = select(func.count()).select_from(joined).where(_ALIVE, document_figures.c.number > 0)
    return int(tx.execute(query).scalar_one())


def _to_look_at(tx: Connection) -> list[PageNamed]:
    """Return pages that failed, then those that OCR was least sure of, then those with unexplained characters."""
    trouble = (_PAGES.failure.is_not(None)) | _is_low() | (_PAGES.unexplained > 0)
    query = (
        _of_pages(
            documents.c.document_id, documents.c.kind, _PAGES.page, _PAGES.outcome, _PAGES.failure, _PAGES.confidence, _PAGES.suspects
        )
        .where(trouble)
        .order_by(case((_PAGES.failure.is_not(None), 0), else_=1), _PAGES.confidence, documents.c.document_id, _PAGES.page)
        .limit(SHOWN_PAGES)
    )
    return [
        PageNamed(
            document_id=str(row.document_id),
            kind=row.kind,
            page=row.page,
            outcome=row.outcome,
            failure=row.failure,
            confidence=round(row.confidence, 3),
            suspects=row.suspects,
        )
        for row in tx.execute(query)
    ]
