"""Chunkers with a counter that needs no model, documents of one part, and a sectioner of a few headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from uuid import UUID

import pytest

from pipeline.domain.chunks import ChunkedDocument
from pipeline.domain.documents import FURNITURE_PART, TEXT_PART, DeidentifiedDocument, DeidentifiedPart, Facets, Redaction
from pipeline.domain.marks import Mark
from pipeline.domain.sections import Sectioner, SectionSpan
from pipeline.domain.vocabulary import DocumentKind, Reading, Section
from pipeline.stages.chunking import Chunker, DocumentChunker
from pipeline.testing.tokens import ApproximateTokens

Chunk = Callable[..., ChunkedDocument]


def document(*parts: tuple[str, str], redactions: tuple[Redaction, ...] = ()) -> DeidentifiedDocument:
    return DeidentifiedDocument(
        document_id=UUID(int=9),
        source="clinicaltrials.gov",
        source_key="NCT90000001",
        kind=DocumentKind.TRIAL,
        title="",
        parts=tuple(DeidentifiedPart(name, text, None, Reading.STRUCTURED, 1.0, redactions) for name, text in parts),
        facets=Facets(),
        content_hash="c",
        facets_hash="f",
        policy="p",
    )


@pytest.fixture
def chunk_parts() -> Chunk:
    """Chunk a document of the given (name, text) parts, with a window and target of one's own."""

    def run(*parts: tuple[str, str], window: int = 256, parent: int = 160, target: int = 180, redactions=()) -> ChunkedDocument:
        chunker = Chunker(ApproximateTokens(window), parent_context_characters=parent, prose_target_tokens=target)
        return chunker.chunk(document(*parts, redactions=redactions))

    return run


@pytest.fixture
def eligibility(chunk_parts: Chunk) -> Chunk:
    """Chunk an eligibility text."""

    def run(text: str, **settings: int) -> ChunkedDocument:
        return chunk_parts(("eligibility_criteria", text), **settings)

    return run


class Headings:
    """Lines ``# Heading`` (``##``: level 2, ``###``: level 3) begin a section; its category is the heading in capitals, where there is one."""

    version = "headings-1"
    _heading = re.compile(r"^(#{1,6}) ([^\n]+)\n?", re.MULTILINE)

    def sections(self, document: DeidentifiedDocument) -> tuple[SectionSpan, ...]:
        return tuple(span for part in document.parts if part.name != FURNITURE_PART for span in self._of(part))

    def _of(self, part: DeidentifiedPart) -> list[SectionSpan]:
        found = list(self._heading.finditer(part.text))
        first = found[0].start() if found else len(part.text)
        spans = [SectionSpan(part.name, 0, first, Section.NOTE_TEXT, 0)] if first else []
        path: list[tuple[int, str]] = []
        for match, following in zip(found, [*found[1:], None], strict=False):
            level, name = len(match[1]), match[2].strip()
            path = [*(one for one in path if one[0] < level), (level, name)]
            category = name.upper().replace(" ", "_")
            section = Section(category) if category in Section.__members__ else Section.NOTE_TEXT
            end = following.start() if following else len(part.text)
            spans.append(SectionSpan(part.name, match.start(), end, section, match.end(), level, tuple(one[1] for one in path)))
        return spans


def site_document(
    text: str,
    *,
    kind: DocumentKind = DocumentKind.NOTE,
    title: str = "Note, 2024",
    marks: Sequence[Mark] = (),
    furniture: str = "",
    redactions: tuple[Redaction, ...] = (),
) -> DeidentifiedDocument:
    parts = [DeidentifiedPart(TEXT_PART, text, None, Reading.TEXT_LAYER, 1.0, redactions, tuple(marks))]
    if furniture:
        parts.append(DeidentifiedPart(FURNITURE_PART, furniture, None, Reading.TEXT_LAYER, 1.0))
    return DeidentifiedDocument(UUID(int=9), "documents", "k", kind, title, tuple(parts), Facets(), "c", "f", "p")


def document_chunker(
    *,
    window: int = 256,
    target: int = 180,
    overlap: int = 1,
    characters: tuple[int, int, int, int] = (1200, 400, 1800, 150),
    sectioner: Sectioner | None = None,
) -> DocumentChunker:
    wanted, least, most, again = characters
    return DocumentChunker(
        ApproximateTokens(window),
        sectioner or Headings(),
        prose_target_tokens=target,
        overlap_sentences=overlap,
        target_characters=wanted,
        min_characters=least,
        max_characters=most,
        overlap_characters=again,
    )
