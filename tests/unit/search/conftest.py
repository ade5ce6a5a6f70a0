"""Groups of passages made by hand: what re-ranking gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid5

import pytest

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.documents import Facets
from pipeline.domain.vocabulary import DocumentKind, Section, Source
from pipeline.search.passages import Group, Passage
from pipeline.search.retrieve import Candidate
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.documents import DocumentRow

_SPACE = UUID(int=7)

MakePassage = Callable[..., Passage]
MakeGroup = Callable[..., Group]


@pytest.fixture
def passage() -> MakePassage:
    """A passage of a text in a section; ``rank`` is its place in both rankings."""

    def make(
        text: str, section: Section = Section.NOTE_TEXT, *, rank: int = 1, start: int = 0, part: str = "text", **of_chunk: Any
    ) -> Passage:
        chunk = Chunk(
            section=section,
            ordinal=of_chunk.pop("ordinal", 1),
            is_exclusion=None,
            text=text,
            embed_text=of_chunk.pop("embed_text", text),
            part=part,
            span=Span(start, start + len(text)),
            token_count=len(text.split()),
            **of_chunk,
        )
        point = uuid5(_SPACE, f"{section}{start}{text}")
        candidate = Candidate(point, 2.0 / (60 + rank), dense=0.6, sparse=6.0, dense_rank=rank, sparse_rank=rank, variants=(0,))
        return Passage(candidate, ChunkRow.of(point, uuid5(_SPACE, "document"), 1, chunk, "hash"), candidate.fused)

    return make


@pytest.fixture
def group() -> MakeGroup:
    """A document with passages."""

    def make(title: str, *passages: Passage, kind: DocumentKind = DocumentKind.EMS_PROTOCOL, key: str = "", **facets: Any) -> Group:
        document = DocumentRow(
            document_id=uuid5(_SPACE, key or f"{title}{facets}"),
            source=Source.DOCUMENTS.value,
            source_key=key or title,
            kind=kind.value,
            title=title,
            facets=Facets(**facets),
            tombstoned=False,
        )
        return Group(document, passages, passages[0].score)

    return make
