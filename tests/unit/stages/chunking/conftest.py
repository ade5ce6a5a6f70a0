"""A chunker with a counter that needs no model, and documents of one part."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from pipeline.domain.chunks import ChunkedDocument
from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart, Facets, Redaction
from pipeline.domain.vocabulary import DocumentKind, Reading
from pipeline.stages.chunking import Chunker
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
