"""Reads from truth what a person may have to look at: one query a kind, in order of subject and place. No text is read.

A reader starts at a subject and yields what it finds from there on, so that a page of a large home costs no more than one of a small.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from heapq import merge
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Select, func, or_, select

from pipeline.domain.identifiers import fingerprint
from pipeline.domain.reading import LOW_CONFIDENCE, PageOutcome
from pipeline.domain.review import About, FindingKind
from pipeline.domain.vocabulary import DocumentKind, NoticeCategory, ResourceOutcome, Section
from pipeline.storage.collections import in_collection
from pipeline.storage.fhir_tables import fhir_resources
from pipeline.storage.study_tables import study_notices
from pipeline.storage.tables import chunks, document_pages, documents, index_state, quarantine

ELIGIBILITY: Final = "eligibility_criteria"  # what else is unparsed (a study population) is prose that states no polarity
SAME_CONTENT: Final = "document_not_copied"  # as the expectation of data quality is called: what is accepted here does not break it
LOW_CONFIDENCE_PAGE: Final = NoticeCategory.LOW_CONFIDENCE.value
PAGE_FAILED: Final = "page_failed"

_STREAM: Final = 500  # rows fetched together
_NOTICES: Final = (NoticeCategory.UNKNOWN_VALUE, NoticeCategory.UNPARSED_AGE, NoticeCategory.UNPARSED_DATE, NoticeCategory.WRONG_TYPE)
_CODE: Final = re.compile(r"[A-Z][A-Z0-9_]{1,62}\Z", re.ASCII)
_ALIVE: Final = documents.c.tombstoned_at.is_(None)


@dataclass(frozen=True, slots=True)
class Found:
    """One row. ``blocks``: it keeps something from going live."""

    about: About
    subject_kind: str
    count: int | None = None
    value: str | None = None
    blocks: bool = False


Reader = Callable[[Connection, str | None], Iterator[Found]]


def _rows(tx: Connection, query: Select[Any]) -> Iterator[Any]:
    yield from tx.execution_options(yield_per=_STREAM).execute(query)


def _from(query: Select[Any], start: str | None) -> Select[Any]:
    """Let a query of documents begin at one."""
    return query if start is None else query.where(documents.c.document_id >= UUID(start))


def unparsed_criteria(tx: Connection, start: str | None) -> Iterator[Found]:
    """Yield trials with live passages of eligibility text whose polarity is not stated."""
    live = (index_state.c.document_id == chunks.c.document_id) & (index_state.c.live_generation == chunks.c.generation)
    query = (
        select(documents.c.document_id, documents.c.kind, documents.c.content_hash, func.count().label("passages"))
        .join(chunks, chunks.c.document_id == documents.c.document_id)
        .join(index_state, live)
        .where(in_collection(None), _ALIVE, chunks.c.section == Section.ELIGIBILITY_UNPARSED.value, chunks.c.part == ELIGIBILITY)
        .group_by(documents.c.document_id, documents.c.kind, documents.c.content_hash)
        .order_by(documents.c.document_id)
    )
    for row in _rows(tx, _from(query, start)):
        rule = NoticeCategory.ELIGIBILITY_UNPARSED.value
        about = About(FindingKind.UNPARSED_CRITERIA, str(row.document_id), rule, ELIGIBILITY, row.content_hash)
        yield Found(about, row.kind, count=row.passages)


def low_confidence(tx: Connection, start: str | None) -> Iterator[Found]:
    """Yield pages that OCR read badly, and pages that could not be read."""
    pages = document_pages.c
    query = (
        select(documents.c.document_id, documents.c.kind, documents.c.content_hash, pages.page, pages.outcome, pages.confidence)
        .join(document_pages, pages.document_id == documents.c.document_id)
        .where(_ALIVE, or_(pages.confidence < LOW_CONFIDENCE, pages.outcome == PageOutcome.FAILED.value))
        .order_by(documents.c.document_id, pages.page)
    )
    for row in _rows(tx, _from(query, start)):
        rule = PAGE_FAILED if row.outcome == PageOutcome.FAILED else LOW_CONFIDENCE_PAGE
        about = About(FindingKind.LOW_CONFIDENCE, str(row.document_id), rule, f"page {row.page}", row.content_hash)
        yield Found(about, row.kind, value=f"{row.confidence:.2f}")


def suspected_phi(tx: Connection, start: str | None) -> Iterator[Found]:
    """Yield documents that the gate holds back. What is let pass is exactly what was judged: the basis is content and recipe."""
    query = (
        select(quarantine, documents.c.kind)
        .join(documents, documents.c.document_id == quarantine.c.document_id)
        .where(_ALIVE, documents.c.content_hash == quarantine.c.content_hash)
        .order_by(documents.c.document_id)
    )
    for row in _rows(tx, _from(query, start)):
        classes = sorted({one["category"] for one in row.findings})
        about = About(FindingKind.SUSPECTED_PHI, str(row.document_id), "gate_refused", "", row.fingerprint)
        yield Found(about, row.kind, count=sum(one["count"] for one in row.findings), value=", ".join(classes), blocks=True)


def duplicates(tx: Connection, start: str | None) -> Iterator[Found]:
    """Yield documents whose content another one has."""
    copies = select(documents.c.content_hash, func.count().label("copies")).where(_ALIVE).group_by(documents.c.content_hash)
    several = copies.having(func.count() > 1).subquery()
    query = (
        select(documents.c.document_id, documents.c.kind, documents.c.content_hash, several.c.copies)
        .join(several, several.c.content_hash == documents.c.content_hash)
        .where(_ALIVE)
        .order_by(documents.c.document_id)
    )
    for row in _rows(tx, _from(query, start)):
        about = About(FindingKind.DUPLICATE, str(row.document_id), SAME_CONTENT, "", row.content_hash)
        yield Found(about, row.kind, count=row.copies)


def unknown_values(tx: Connection, start: str | None) -> Iterator[Found]:
    """Yield files of unknown kind, and values of studies that no vocabulary has. A value is shown where it is a code."""
    return merge(_unknown_kinds(tx, start), _notices(tx, start), key=lambda found: found.about.subject)


def _unknown_kinds(tx: Connection, start: str | None) -> Iterator[Found]:
    query = select(documents.c.document_id, documents.c.kind, documents.c.content_hash)
    query = query.where(_ALIVE, documents.c.kind == DocumentKind.UNKNOWN.value).order_by(documents.c.document_id)
    for row in _rows(tx, _from(query, start)):
        rule = NoticeCategory.KIND_UNKNOWN.value
        yield Found(About(FindingKind.UNKNOWN_VALUE, str(row.document_id), rule, "kind", row.content_hash), row.kind)


def _notices(tx: Connection, start: str | None) -> Iterator[Found]:
    notice = study_notices.c
    columns = (documents.c.document_id, documents.c.kind, documents.c.content_hash, notice.category, notice.field)
    query = (
        select(*columns, func.min(notice.value).label("value"), func.count().label("times"))
        .join(study_notices, notice.document_id == documents.c.document_id)
        .where(_ALIVE, notice.category.in_([one.value for one in _NOTICES]))
        .group_by(*columns)
        .order_by(documents.c.document_id, notice.field, notice.category)
    )
    for row in _rows(tx, _from(query, start)):
        about = About(FindingKind.UNKNOWN_VALUE, str(row.document_id), row.category, row.field, row.content_hash)
        yield Found(about, row.kind, count=row.times, value=row.value if row.value and _CODE.match(row.value) else None)


def resources(tx: Connection, start: str | None) -> Iterator[Found]:
    """Yield FHIR resources that are invalid or were left out, with the path and rule that say why."""
    row = fhir_resources.c
    outcomes = [ResourceOutcome.QUARANTINED.value, ResourceOutcome.SKIPPED.value]
    query = select(fhir_resources).where(row.outcome.in_(outcomes)).order_by(row.resource_key)
    for one in _rows(tx, query if start is None else query.where(row.resource_key >= start)):
        basis = fingerprint(one.order_key) if one.order_key else None  # which version: of an invalid one nothing else is kept
        about = About(FindingKind.RESOURCE, one.resource_key, one.rule or one.outcome, one.path or "", basis)
        yield Found(about, one.resource_type, value=one.outcome, blocks=True)


#: What reads the findings of each kind but those of the last check of quality, which are in a file.
READERS: Final[Mapping[FindingKind, Reader]] = MappingProxyType(
    {
        FindingKind.SUSPECTED_PHI: suspected_phi,
        FindingKind.UNPARSED_CRITERIA: unparsed_criteria,
        FindingKind.LOW_CONFIDENCE: low_confidence,
        FindingKind.DUPLICATE: duplicates,
        FindingKind.RESOURCE: resources,
        FindingKind.UNKNOWN_VALUE: unknown_values,
    }
)
