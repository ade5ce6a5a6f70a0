"""Search: dense and sparse rankings fused in the engine, hydrated from truth, grouped by study.

Every hit is read from truth: one whose generation is not the live one, or whose document is deleted, is dropped and counted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date
from uuid import UUID

from pipeline.domain.points import ScoredPoint
from pipeline.search.cite import age_in_days, citation
from pipeline.search.request import Hit, RelatedHit, SearchRequest, SearchResult, Span
from pipeline.storage import chunks as chunk_store
from pipeline.storage import index_state
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.documents import titles
from pipeline.wiring import Services

MAX_RELATED = 3  # further chunks of one study shown under its best hit: more would push the next study off the screen


def search(services: Services, request: SearchRequest, *, today: date) -> SearchResult:
    """Answer one search.

    Args:
        services: The home.
        request: What is asked.
        today: For the age of statuses.
    """
    start = time.monotonic()
    settings = services.settings
    wanted = request.limit * settings.overfetch
    dense = services.embedder.embed_query(request.query)
    sparse = services.sparse.encode_query(request.query)
    with services.index.session() as index:
        services.require_collection()
        points = index.query(
            dense=dense,
            sparse=sparse if sparse.indices else None,
            where=request.where(),
            limit=wanted,
            candidates=wanted,
            rrf_k=settings.rrf_k,
        )
    strong = [point for point in points if point.score >= request.threshold]
    hits, unknown = _hydrate(services, strong, request.limit, today)
    dropped = {"not_in_truth": unknown, "below_threshold": len(points) - len(strong)}
    return SearchResult(
        query=request.query, route="hybrid", refused=False, hits=hits, dropped=dropped, seconds=round(time.monotonic() - start, 4)
    )


def _hydrate(services: Services, points: Sequence[ScoredPoint], limit: int, today: date) -> tuple[list[Hit], int]:
    """Return hits, one a study, and how many points truth does not know as live."""
    ids = [point.id for point in points if isinstance(point.id, UUID)]
    with services.db.read() as tx:
        rows = chunk_store.rows_by_point(tx, ids)
        documents = sorted({row.document_id for row in rows.values()})
        known = index_state.get_many(tx, documents)
        facets = index_state.facets_of(tx, documents)
        names = titles(tx, documents)
    groups: dict[UUID, list[tuple[ScoredPoint, ChunkRow]]] = {}
    unknown = 0
    for point in points:
        row = rows.get(point.id) if isinstance(point.id, UUID) else None
        if row is None:
            unknown += 1
        else:
            groups.setdefault(row.document_id, []).append((point, row))
    hits: list[Hit] = []
    for document, group in list(groups.items())[:limit]:
        (best, row), rest = group[0], group[1 : MAX_RELATED + 1]
        about, facet, chunk = known[document], facets[document], row.chunk
        hits.append(
            Hit(
                document_id=str(document),
                source=about.source,
                kind=about.kind,
                nct_id=facet.nct_id,
                title=names[document],
                status=facet.overall_status,
                status_as_of=facet.status_as_of,
                status_age_days=age_in_days(facet.status_as_of, today),
                section=chunk.section.value,
                ordinal=chunk.ordinal,
                is_exclusion=chunk.is_exclusion,
                scope=list(chunk.scope),
                text=chunk.text,
                span=Span(part=chunk.part, start=chunk.span.start, end=chunk.span.end),
                page=chunk.page,
                score=best.score,
                citation=citation(about.source_key, chunk),
                related=[_related(about.source_key, point, other) for point, other in rest],
            )
        )
    return hits, unknown


def _related(source_key: str, point: ScoredPoint, row: ChunkRow) -> RelatedHit:
    return RelatedHit(
        section=row.chunk.section.value,
        ordinal=row.chunk.ordinal,
        score=point.score,
        text=row.chunk.text,
        citation=citation(source_key, row.chunk),
    )
