"""What resolving a citation gives: where the passage is now, what it says now, and how it differs."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, Field

from pipeline.search.request import Figure


class CitationStatus(StrEnum):
    """What became of a cited passage."""

    SAME = "same"  # the same text at the same place
    MOVED = "moved"  # the same text elsewhere: another section, ordinal, span or page
    CHANGED = "changed"  # the document says it otherwise now
    REMOVED = "removed"  # the passage is gone, or its document: nothing of its text is shown


class Removal(StrEnum):
    """What is gone."""

    DOCUMENT = "document"  # deleted, held back, or not for this reader: which of them is not said
    PASSAGE = "passage"


class Place(BaseModel):
    """Where a passage stands. ``start`` and ``end``: half-open, characters of the de-identified part."""

    section: str
    ordinal: int
    piece: int = Field(description="1-based number of this piece of an over-long unit")
    part: str
    start: int
    end: int
    page: int | None


class Edit(BaseModel):
    """A run of words that both versions have, or that one of them has."""

    kind: str = Field(description="same, removed or added")
    text: str = Field(repr=False)


class Citation(BaseModel):
    """An old citation, resolved."""

    token: str
    status: CitationStatus
    removed: Removal | None = None
    document_id: str
    was: Place = Field(description="as the token says")
    now: Place | None = Field(None, description="where it stands, or where stands what came in its place")
    moved: list[str] = Field([], description="in what the two places differ: section, ordinal, piece, part, span, page")
    citation: str | None = Field(None, description="in words, as it would be cited now")
    source: str | None = None
    kind: str | None = None
    nct_id: str | None = None
    title: str | None = Field(None, repr=False)
    text: str | None = Field(None, repr=False, description="as it is now")
    text_hash: str | None = Field(None, description="SHA-256 of text")
    old_text: str | None = Field(None, repr=False, description="of a changed passage; null: it is kept no longer")
    difference: list[Edit] = Field([], description="of a changed passage, word by word; empty where the old text is not kept")
    version: str | None = Field(None, description="of the text it was taken from; null: from before there were versions")
    live_version: str | None = Field(None, description="of the text that is live")
    figure: Figure | None = Field(None, description="where the passage is a figure")
