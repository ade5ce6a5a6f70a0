"""What an audit of the index for identifiers returns: classes, counts and places, never a value."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.jobs.summaries import Summary

Reader = Literal["gate", "known", "detector"]


class LeakGroup(Summary):
    """Leaks of one class under one policy that one reader found."""

    policy: str = Field(description="name and version; 'before X': made by an older recipe than the one of policy X now")
    category: str
    by: Reader
    where: str = Field(description="chunk, title, payload, heading, table, facet or superseded (a passage kept for old citations)")
    count: int
    characters: int


class LeakPlace(Summary):
    """Where something leaked."""

    document_id: str | None = Field(description="null: the point names no document")
    policy: str
    category: str
    by: Reader
    where: str
    section: str | None
    ordinal: int | None
    count: int
    start: int = Field(description="of the first, in characters of the text")
    characters: int


class PolicyAudit(Summary):
    """How much one policy replaces, and what it may have replaced too much."""

    policy: str
    documents: int
    characters: int
    placeholders: int
    placeholder_share: float = Field(description="characters of placeholders over all characters, 0..1")
    beside_clinical_words: int = Field(description="placeholders followed by a unit or by a word such as disease: likely too much")
    sources_read: int = Field(description="documents whose source was at hand")
    clinical_terms: int = Field(description="clinical words in these sources")
    lost_terms: int = Field(description="of these, words that stand in a replaced stretch")
    lost_by_class: dict[str, int]


class AuditSummary(Summary):
    """What an audit found."""

    run_id: str
    clean: bool = Field(description="nothing leaked; suspected and released ones apart")
    documents: int
    chunks: int
    points: int
    leaked_documents: int
    leaked_characters: int
    leaks: list[LeakGroup]
    suspected: list[LeakGroup] = Field(description="what the detector alone takes for a name or place in a passage without its document")
    released: list[LeakGroup] = Field(description="in documents that a person let pass")
    places: list[LeakPlace] = Field(description="the first 200 leaks")
    policies: list[PolicyAudit]
    seconds: float
