"""Puts what a person says of a document in the place of what was found. Every change is in the content hash, so that the index follows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from uuid import UUID

from pipeline.domain.chunks import Chunk, ChunkedDocument
from pipeline.domain.documents import Document
from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import fingerprint
from pipeline.domain.review import Fix
from pipeline.domain.vocabulary import CRITERION_SECTIONS, PUBLIC_KINDS, DocumentKind, FailureCategory, Section
from pipeline.jobs.site_files import SiteFile
from pipeline.storage import review
from pipeline.wiring import Services

#: Kinds whose title may be a person's words: those of clinical documents are made by the program, so that they name nobody.
TITLED_KINDS: Final = (*PUBLIC_KINDS, DocumentKind.TRIAL)

_ORDER: Final = {section: number for number, section in enumerate(Section)}
_POLARITY: Final = {Section.INCLUSION_CRITERION: False, Section.EXCLUSION_CRITERION: True}
_STUDY_POPULATION: Final = "study_population"  # prose that is always unparsed: no criteria


def fix_of(services: Services, document_id: UUID) -> Fix | None:
    """Return what people say of one document; ``None``: nothing."""
    with services.db.read() as tx:
        return review.fixes(tx, [document_id]).get(document_id)


def fixed(document: Document, fix: Fix | None) -> Document:
    """Return a document with the title that it is said to have. Its kind is given to what reads it, its sections to ``resectioned``."""
    if fix is None:
        return document
    title = fix.title if fix.title and document.kind in TITLED_KINDS else document.title
    said = {name: value for name, value in fix.said().items() if name != "rule"}
    return replace(document, title=title, content_hash=fingerprint([document.content_hash, said]))


def refuse_public(file: SiteFile, fix: Fix | None) -> None:
    """Refuse to take a patient's file as a public document: its policy would let names pass.

    Raises:
        RecordError: ``bad_sidecar``, as where a sidecar says so.
    """
    sidecar = file.facts.sidecar
    if fix is not None and fix.kind in PUBLIC_KINDS and (sidecar.patient or sidecar.known_identifiers):
        raise RecordError(FailureCategory.BAD_SIDECAR, "a public kind with a patient")


def resectioned(chunked: ChunkedDocument, kind: DocumentKind, fix: Fix | None) -> ChunkedDocument:
    """Return chunks with those of one section in another, counted on from what stands there already."""
    if fix is None or fix.section is None or fix.from_section is None or fix.section is fix.from_section:
        return chunked
    if kind is DocumentKind.TRIAL and not {fix.section, fix.from_section} <= set(CRITERION_SECTIONS):
        return chunked  # another program's file of decisions: criteria of a trial stay criteria
    before = max((max(one.ordinal, *one.repeats, 0) for one in chunked.chunks if one.section is fix.section), default=0)
    chunks = [_moved(one, fix.section, before) if _concerns(one, fix.from_section) else one for one in chunked.chunks]
    if kind is DocumentKind.TRIAL:  # of a trial in order of section and ordinal, of others in reading order
        chunks.sort(key=lambda one: (_ORDER[one.section], one.ordinal))
    return replace(chunked, chunks=tuple(chunks))


def _concerns(chunk: Chunk, section: Section) -> bool:
    return chunk.section is section and chunk.part.partition("[")[0] != _STUDY_POPULATION


def _moved(chunk: Chunk, section: Section, before: int) -> Chunk:
    return replace(
        chunk,
        section=section,
        is_exclusion=_POLARITY.get(section),
        ordinal=chunk.ordinal + before,
        repeats=tuple(one + before for one in chunk.repeats),
    )
