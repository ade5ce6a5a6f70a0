"""Hits from groups of passages: what is shown of a document, its best passage and the others, with their citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from pipeline.domain.chunks import Chunk, TextVersion
from pipeline.domain.identifiers import text_hash
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import Element
from pipeline.search.cite import age_in_days, citation
from pipeline.search.cite.figures import figures_of
from pipeline.search.cite.matched import Wanted, matched, wanted
from pipeline.search.cite.token import token_of, version_mark
from pipeline.search.passages import Group, Passage
from pipeline.search.request import Figure, Hit, JoinedPassage, Matched, RelatedHit, Scores, Span
from pipeline.search.understand.model import Understood
from pipeline.storage.chunks import text_versions
from pipeline.storage.documents import DocumentRow
from pipeline.storage.freshness import Confirmation
from pipeline.wiring import Services

MAX_RELATED: Final = 3  # further chunks of one document shown under its best hit: more would push the next one off the screen


@dataclass(frozen=True, slots=True)
class Clock:
    """What the ages of a search's statuses are measured by."""

    today: date
    now: datetime
    max_age_hours: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What was searched for, as far as hits say why they are there.

    Attributes:
        filters: The caller's and the route's; who may see what is not among them.
    """

    understood: Understood
    route: str
    filters: PointFilter = field(repr=False)


def hits_of(services: Services, asked: Asked, groups: Sequence[Group], confirmed: Mapping[UUID, Confirmation], clock: Clock) -> list[Hit]:
    """Return a hit a group, in their order. Two short looks into truth, whatever their number, and one a document with figures."""
    made = _making(services, asked, groups)
    return [_hit(made, group, confirmed.get(group.document_id), clock) for group in groups]


@dataclass(frozen=True, slots=True)
class _Making:
    """What all hits of a search are made with."""

    secret: bytes = field(repr=False)
    asked: Asked
    wanted: Wanted
    filters: dict[str, list[str]]
    versions: Mapping[tuple[UUID, int], TextVersion]
    figures: Mapping[tuple[UUID, int], Figure]


def _making(services: Services, asked: Asked, groups: Sequence[Group]) -> _Making:
    shown = [(group.document, one.row) for group in groups for one in group.passages[: MAX_RELATED + 1]]
    with services.db.read() as tx:
        versions = text_versions(tx, {(row.document_id, row.generation) for _, row in shown})
        figures = figures_of(tx, [(row.document_id, about.kind, row.chunk) for about, row in shown])
    words = wanted(asked.understood.variants)
    return _Making(services.secret, asked, words, _told(asked.filters), versions, figures)


def _told(where: PointFilter) -> dict[str, list[str]]:
    """Return a filter's conditions by name. ``visible`` is of the reader, not of the query."""
    values = {name: getattr(where, name) for name in where.__dataclass_fields__ if name != "visible"}
    return {name: [str(one) for one in value] if isinstance(value, tuple) else [str(value)] for name, value in values.items() if value}


def _hit(made: _Making, group: Group, confirmation: Confirmation | None, clock: Clock) -> Hit:
    about, best = group.document, group.passages[0]
    facet, chunk = about.facets, best.row.chunk
    version = made.versions.get((best.row.document_id, best.row.generation))
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
        token=token_of(made.secret, best.row.document_id, best.row.generation, chunk, version),
        text_hash=text_hash(chunk.text),
        version=version_mark(made.secret, version) or None,
        generation=best.row.generation,
        why=_why(made, best),
        figure=made.figures.get((group.document_id, chunk.element_number or 0)) if chunk.element is Element.FIGURE else None,
        joined=_joined(best),
        related=[_related(made, about, other) for other in group.passages[1 : MAX_RELATED + 1]],
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
        "loinc_codes": list(facet.loinc_codes),
        "snomed_codes": list(facet.snomed_codes),
        "rxnorm_codes": list(facet.rxnorm_codes),
        "encounter": facet.encounter,
        "resource_status": facet.resource_status,
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


def _why(made: _Making, passage: Passage) -> Matched:
    candidate, variants = passage.candidate, made.asked.understood.variants
    return Matched(
        terms=matched(made.wanted, passage.row.chunk.text),
        found_by=[name for name, score in (("dense", candidate.dense), ("sparse", candidate.sparse)) if score is not None],
        wordings=list(dict.fromkeys(variants[number].why.value for number in candidate.variants if number < len(variants))),
        route=made.asked.route,
        filters=made.filters,
    )


def _joined(passage: Passage) -> JoinedPassage | None:
    whole = passage.joined
    if whole is None:
        return None
    span = Span(part=passage.row.chunk.part, start=whole.span.start, end=whole.span.end)
    return JoinedPassage(text=whole.text, span=span, page=whole.page, page_to=whole.page_to, passages=whole.passages)


def _related(made: _Making, about: DocumentRow, passage: Passage) -> RelatedHit:
    row, chunk = passage.row, passage.row.chunk
    version = made.versions.get((row.document_id, row.generation))
    return RelatedHit(
        section=chunk.section.value,
        ordinal=chunk.ordinal,
        score=passage.score,
        text=chunk.text,
        citation=citation(about.source_key, chunk, kind=about.kind, facets=about.facets),
        joined=_joined(passage),
        token=token_of(made.secret, row.document_id, row.generation, chunk, version),
        text_hash=text_hash(chunk.text),
        span=Span(part=chunk.part, start=chunk.span.start, end=chunk.span.end),
        page=chunk.page,
        figure=made.figures.get((row.document_id, chunk.element_number or 0)) if chunk.element is Element.FIGURE else None,
    )
