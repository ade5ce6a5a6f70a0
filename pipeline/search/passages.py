"""What was found, read from truth: passages, and the documents they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from pipeline.domain.chunks import Span
from pipeline.search.retrieve import Candidate
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.documents import DocumentRow


@dataclass(frozen=True, slots=True)
class Joined:
    """Neighbouring passages of one section as one.

    Attributes:
        text: Of all, what they share once.
        span: From the first one's beginning to the last one's end, in their part.
        page: That it begins on.
        page_to: That it ends on.
        passages: How many.
    """

    text: str = field(repr=False)
    span: Span
    page: int | None = None
    page_to: int | None = None
    passages: int = 1


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that was found. ``score`` orders the passages of a document; higher is better.

    ``joined`` is the chunk with its neighbours that were found, too; ``None``: none was. The chunk itself is what is cited.
    """

    candidate: Candidate
    row: ChunkRow = field(repr=False)
    score: float
    joined: Joined | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A document with those of its chunks that were found, best first. ``score`` orders documents; higher is better.

    ``signals`` are what the score was made of, by name: shown with a hit, and what the model is fitted on.
    """

    document: DocumentRow = field(repr=False)
    passages: tuple[Passage, ...]
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def document_id(self) -> UUID:
        """Which document it is."""
        return self.document.document_id
