"""Rows of what truth holds, document by document: ids, counts, lengths and values of vocabularies, never text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, func, select

from pipeline.domain.reading import PageOutcome
from pipeline.domain.vocabulary import ResourceOutcome
from pipeline.storage.collections import in_collection
from pipeline.storage.fhir_tables import fhir_resources
from pipeline.storage.study_tables import studies
from pipeline.storage.tables import chunk_accounts, chunks, document_pages, documents, index_state

_DAYS_A_YEAR: Final = 365.25
_SHOWN: Final = (ResourceOutcome.DOCUMENT.value,)
_FAULTY: Final = (ResourceOutcome.QUARANTINED.value, ResourceOutcome.SKIPPED.value)

Row = dict[str, Any]


def studies_of(tx: Connection, ids: Sequence[UUID], now: datetime) -> Iterator[Row]:
    """Yield the studies among these documents. ``days_since_update`` is as of ``now``."""
    columns = [
        studies.c[name]
        for name in ("document_id", "nct_id", "overall_status", "study_type", "minimum_age_days", "maximum_age_days", "enrollment_count")
    ]
    query = select(*columns, studies.c.last_update_post_date_sort.label("updated")).where(studies.c.document_id.in_(ids))
    for row in tx.execute(query):
        lowest, highest = _years(row.minimum_age_days), _years(row.maximum_age_days)
        updated: date | None = row.updated
        yield {
            "row": str(row.document_id),
            "document_id": str(row.document_id),
            "nct_id": row.nct_id,
            "overall_status": row.overall_status,
            "study_type": row.study_type,
            "minimum_age_years": lowest,
            "maximum_age_years": highest,
            "age_span_years": None if lowest is None or highest is None else highest - lowest,
            "enrollment_count": row.enrollment_count,
            "days_since_update": None if updated is None else (now.date() - updated).days,
        }


def _years(days: float | None) -> float | None:
    return None if days is None else days / _DAYS_A_YEAR


def pages_of(tx: Connection, ids: Sequence[UUID]) -> Iterator[Row]:
    """Yield the pages of these documents."""
    names = ("document_id", "page", "outcome", "confidence", "characters", "unexplained")
    query = select(*(document_pages.c[name] for name in names)).where(document_pages.c.document_id.in_(ids))
    for row in tx.execute(query.order_by(document_pages.c.document_id, document_pages.c.page)):
        yield {
            "row": f"{row.document_id}/page {row.page}",
            "document_id": str(row.document_id),
            "page": row.page,
            "outcome": row.outcome,
            "failed": int(row.outcome == PageOutcome.FAILED),
            "confidence": row.confidence,
            "ocr_confidence": row.confidence if row.outcome == PageOutcome.OCR else None,
            "characters": row.characters,
            "unexplained": row.unexplained,
        }


def documents_of(tx: Connection, ids: Sequence[UUID]) -> Iterator[Row]:
    """Yield these documents as they are live; what is counted of chunks is missing where nothing of a document is live."""
    live = select(index_state).where(in_collection(None)).subquery()
    counted = (
        select(chunks.c.document_id, chunks.c.generation, func.count().label("chunks"))
        .where(chunks.c.document_id.in_(ids))
        .group_by(chunks.c.document_id, chunks.c.generation)
        .subquery()
    )
    of_generation = (live.c.document_id == counted.c.document_id) & (live.c.live_generation == counted.c.generation)
    account = (live.c.document_id == chunk_accounts.c.document_id) & (live.c.live_generation == chunk_accounts.c.generation)
    query = (
        select(
            documents.c.document_id,
            documents.c.kind,
            documents.c.source,
            documents.c.content_hash,
            func.length(documents.c.title).label("title_length"),
            live.c.live_generation,
            live.c.live_chunks,
            func.coalesce(counted.c.chunks, 0).label("chunks"),
            chunk_accounts.c.outcome,
            chunk_accounts.c.characters,
            chunk_accounts.c.redacted,
            chunk_accounts.c.unexplained,
        )
        .outerjoin(live, live.c.document_id == documents.c.document_id)
        .outerjoin(counted, of_generation)
        .outerjoin(chunk_accounts, account)
        .where(documents.c.document_id.in_(ids))
        .order_by(documents.c.document_id)
    )
    rows = list(tx.execute(query))
    copies = _same_content(tx, [row.content_hash for row in rows])
    for row in rows:
        is_live = row.live_generation is not None
        yield {
            "row": str(row.document_id),
            "document_id": str(row.document_id),
            "kind": row.kind,
            "source": row.source,
            "content_hash": row.content_hash,
            "title_length": row.title_length,
            "outcome": row.outcome,
            "chunks": row.chunks if is_live else None,
            "chunk_gap": row.live_chunks - row.chunks if is_live else None,
            "unexplained": row.unexplained,
            "redacted_share": row.redacted / row.characters if row.characters else None,
            "same_content": copies.get(row.content_hash, 1),
        }


def _same_content(tx: Connection, hashes: Sequence[str]) -> dict[str, int]:
    query = select(documents.c.content_hash, func.count()).where(documents.c.content_hash.in_(hashes), documents.c.tombstoned_at.is_(None))
    return {value: int(count) for value, count in tx.execute(query.group_by(documents.c.content_hash))}


def resources(tx: Connection, *, limit: int) -> Iterator[Row]:
    """Yield FHIR resources, what was seen last first."""
    columns = [fhir_resources.c[name] for name in ("resource_key", "resource_type", "outcome", "payload_sha256", "path")]
    query = select(*columns).order_by(fhir_resources.c.seen_at.desc(), fhir_resources.c.resource_key).limit(limit)
    for row in tx.execution_options(yield_per=2000).execute(query):
        yield {
            "row": row.resource_key,
            "resource_type": row.resource_type,
            "outcome": row.outcome,
            "has_payload": int(row.payload_sha256 is not None) if row.outcome in _SHOWN else None,
            "quarantined": int(row.outcome == ResourceOutcome.QUARANTINED),
            "fault_named": int(row.path is not None) if row.outcome in _FAULTY else None,
        }
