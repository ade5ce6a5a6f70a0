"""Search: dense and sparse rankings fused in the engine, hydrated from truth, grouped by study.

Every hit is read from truth: one whose generation is not the live one, or whose document is deleted, is dropped and counted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pipeline.domain.chunks import Chunk
from pipeline.domain.documents import Facets
from pipeline.domain.errors import CollectionMissingError
from pipeline.domain.points import PointFilter, ScoredPoint
from pipeline.search.cite import age_in_days, citation
from pipeline.search.request import Hit, RelatedHit, SearchRequest, SearchResult, Span
from pipeline.storage import chunks as chunk_store
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.documents import DocumentRow, load_documents
from pipeline.storage.freshness import Confirmation, confirmations
from pipeline.wiring import Services, utc_now

# With a server, a flip between the query and the look into truth hides a document from this one search: it is asked once more.
ATTEMPTS = 2

MAX_RELATED = 3  # further chunks of one study shown under its best hit: more would push the next study off the screen


def search(services: Services, request: SearchRequest, *, today: date, now: datetime | None = None) -> SearchResult:
    """Answer one search from the collection that is live now.

    Args:
        services: The home.
        request: What is asked.
        today: For the age of statuses, as their sources date them.
        now: For how long ago their sources confirmed them; ``None``: this moment.
    """
    there = services.live()
    try:
        return search_in(there, request, today=today, now=now)
    except CollectionMissingError:  # it was live a moment ago, and somebody has retired it by hand since
        if (moved := services.live()).collection == there.collection:
            raise
        return search_in(moved, request, today=today, now=now)


def search_in(services: Services, request: SearchRequest, *, today: date, now: datetime | None = None) -> SearchResult:
    """Answer one search from the collection of ``services``. Its hits are hydrated by its name: a promotion in between mixes nothing."""
    start = time.monotonic()
    settings = services.settings
    clock = _Clock(today, now or utc_now(), settings.status_max_age_hours)
    wanted = request.limit * settings.overfetch
    dense = services.embedder.embed_query(request.query)
    sparse = services.sparse.encode_query(request.query)
    where = request.where()
    for _ in range(ATTEMPTS):
        with services.index.session() as index:
            services.require_collection()
            points = index.query(
                dense=dense,
                sparse=sparse if sparse.indices else None,
                where=where,
                limit=wanted,
                candidates=wanted,
                rrf_k=settings.rrf_k,
            )
            strong = [point for point in points if point.score >= request.threshold]
            found = _hydrate(services, strong, where, request.limit, clock)  # while writers, who flip in a session, wait
        if not found.unknown or len(found.hits) >= request.limit:
            break
    dropped = {"not_in_truth": found.unknown, "changed_since": found.changed, "below_threshold": len(points) - len(strong)}
    return SearchResult(
        query=request.query, route="hybrid", refused=False, hits=found.hits, dropped=dropped, seconds=round(time.monotonic() - start, 4)
    )


@dataclass(frozen=True, slots=True)
class _Clock:
    """What the ages of a search's statuses are measured by."""

    today: date
    now: datetime
    max_age_hours: float


@dataclass(frozen=True, slots=True)
class _Found:
    hits: list[Hit]
    unknown: int  # points that truth does not know as live
    changed: int  # points of studies that truth, by now, says the filters do not want


def _fits(where: PointFilter, facets: Facets) -> bool:
    """Whether a study is, by truth, one that the filters want: a status may have changed since its payloads were written."""
    return (
        (not where.overall_status or facets.overall_status in where.overall_status)
        and (not where.study_types or facets.study_type in where.study_types)
        and (not where.phases or not set(where.phases).isdisjoint(facets.phases))
        and (not where.conditions or not set(where.conditions).isdisjoint(facets.conditions))
        and (not where.patients or facets.patient in where.patients)
        and (not where.access or facets.access in where.access)
        and (not where.departments or facets.department in where.departments)
    )


def _hydrate(services: Services, points: Sequence[ScoredPoint], where: PointFilter, limit: int, clock: _Clock) -> _Found:
    """Return hits, one a study, and how many points were left out."""
    ids = [point.id for point in points if isinstance(point.id, UUID)]
    with services.db.read() as tx:
        rows = chunk_store.rows_by_point(tx, ids, collection=services.collection)
        known = load_documents(tx, sorted({row.document_id for row in rows.values()}))
        confirmed = {one.document_id: one for one in confirmations(tx, known)}
    groups: dict[UUID, list[tuple[ScoredPoint, ChunkRow]]] = {}
    unknown = changed = 0
    for point in points:
        row = rows.get(point.id) if isinstance(point.id, UUID) else None
        if row is None:
            unknown += 1
        elif not _fits(where, known[row.document_id].facets):
            changed += 1
        else:
            groups.setdefault(row.document_id, []).append((point, row))
    hits: list[Hit] = []
    for document, group in list(groups.items())[:limit]:
        (best, row), rest = group[0], group[1 : MAX_RELATED + 1]
        about, chunk = known[document], row.chunk
        facet = about.facets
        hits.append(
            Hit(
                document_id=str(document),
                source=about.source,
                kind=about.kind,
                nct_id=facet.nct_id,
                title=about.title,
                status=facet.overall_status,
                status_as_of=facet.status_as_of,
                status_age_days=age_in_days(facet.status_as_of, clock.today),
                section=chunk.section.value,
                ordinal=chunk.ordinal,
                is_exclusion=chunk.is_exclusion,
                scope=list(chunk.scope),
                text=chunk.text,
                span=Span(part=chunk.part, start=chunk.span.start, end=chunk.span.end),
                page=chunk.page,
                score=best.score,
                citation=citation(about.source_key, chunk, kind=about.kind, facets=facet),
                related=[_related(about, point, other) for point, other in rest],
                patient=facet.patient,
                access=facet.access,
                department=facet.department,
                **_of_file(about, chunk),
                **_confirmed(confirmed.get(document), clock),
            )
        )
    return _Found(hits, unknown, changed)


def _of_file(about: DocumentRow, chunk: Chunk) -> dict[str, Any]:
    """Return what a hit in a file says of its place there and of the file."""
    facet = about.facets
    return {
        "page_to": chunk.page_to,
        "headings": list(chunk.headings),
        "content_type": chunk.content_type.value if chunk.content_type else None,
        "element": chunk.element.value,
        "element_number": chunk.element_number,
        "confidence": chunk.confidence,
        "ocr_suspect": bool(chunk.suspects),
        "suspects": [Span(part=chunk.part, start=one.start, end=one.end) for one in chunk.suspects],
        "document_date": facet.document_date,
        "author_role": facet.author_role,
        "agency": facet.agency,
        "state": facet.state,
        "protocol_number": facet.protocol_number,
        "amendment": facet.amendment,
        "reference_number": facet.reference_number,
        "nct_ids": list(facet.nct_ids),
        "icd_codes": sorted({*facet.icd_codes, *chunk.icd_codes}),
    }


def _confirmed(found: Confirmation | None, clock: _Clock) -> dict[str, Any]:
    """Return what a hit says of its status' freshness; of a document without a status, nothing."""
    if found is None:
        return {}
    age = found.age_hours(clock.now)
    return {
        "status_confirmed_at": found.confirmed_at.isoformat(),
        "status_age_hours": round(age, 1),
        "status_stale": found.outdated or age > clock.max_age_hours,
    }


def _related(about: DocumentRow, point: ScoredPoint, row: ChunkRow) -> RelatedHit:
    return RelatedHit(
        section=row.chunk.section.value,
        ordinal=row.chunk.ordinal,
        score=point.score,
        text=row.chunk.text,
        citation=citation(about.source_key, row.chunk, kind=about.kind, facets=about.facets),
    )
