"""Hits from groups of passages: what is shown of a document, its best passage and the others, with their citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from pipeline.domain.chunks import Chunk
from pipeline.search.cite import age_in_days, citation
from pipeline.search.passages import Group, Passage
from pipeline.search.request import Hit, RelatedHit, Scores, Span
from pipeline.storage.documents import DocumentRow
from pipeline.storage.freshness import Confirmation

MAX_RELATED: Final = 3  # further chunks of one document shown under its best hit: more would push the next one off the screen


@dataclass(frozen=True, slots=True)
class Clock:
    """What the ages of a search's statuses are measured by."""

    today: date
    now: datetime
    max_age_hours: float


def hits_of(groups: Sequence[Group], confirmed: Mapping[UUID, Confirmation], clock: Clock) -> list[Hit]:
    """Return a hit a group, in their order."""
    return [_hit(group, confirmed.get(group.document_id), clock) for group in groups]


def _hit(group: Group, confirmation: Confirmation | None, clock: Clock) -> Hit:
    about, best = group.document, group.passages[0]
    facet, chunk = about.facets, best.row.chunk
    return Hit(
        document_id=str(group.document_id),
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
        score=group.score,
        scores=Scores(dense=best.candidate.dense, sparse=best.candidate.sparse, fused=best.candidate.fused, signals=dict(group.signals)),
        citation=citation(about.source_key, chunk, kind=about.kind, facets=facet),
        related=[_related(about, other) for other in group.passages[1 : MAX_RELATED + 1]],
        patient=facet.patient,
        access=facet.access,
        department=facet.department,
        **_of_file(about, chunk),
        **_confirmed(confirmation, clock),
    )


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


def _confirmed(found: Confirmation | None, clock: Clock) -> dict[str, Any]:
    """Return what a hit says of its status' freshness; of a document without a status, nothing."""
    if found is None:
        return {}
    age = found.age_hours(clock.now)
    return {
        "status_confirmed_at": found.confirmed_at.isoformat(),
        "status_age_hours": round(age, 1),
        "status_stale": found.outdated or age > clock.max_age_hours,
    }


def _related(about: DocumentRow, passage: Passage) -> RelatedHit:
    chunk = passage.row.chunk
    return RelatedHit(
        section=chunk.section.value,
        ordinal=chunk.ordinal,
        score=passage.score,
        text=chunk.text,
        citation=citation(about.source_key, chunk, kind=about.kind, facets=about.facets),
    )
