"""A query, understood and routed, in; how it was read, in its own words, out: for whoever asked it, beside the hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from pipeline.search.understand.model import Mention, Understood


class Reread(BaseModel):
    """A word that was taken for a misspelt one."""

    written: str = Field(repr=False)
    read: str = Field(repr=False)


class Wording(BaseModel):
    """Words that were searched with."""

    text: str = Field(repr=False)
    why: str = Field(description="original, corrected, expanded, synonym, focus")


class QueryReading(BaseModel):
    """How a query was read."""

    wordings: list[Wording] = Field([], description="that were searched with, the query's own words first")
    corrections: list[Reread] = []
    known: list[str] = Field([], repr=False, description="identifiers in it that the index holds")
    absent: list[str] = Field([], repr=False, description="well-formed ones that it does not hold, as far as who asks may know")


def reading_of(understood: Understood, *, known: Sequence[Mention] = (), absent: Sequence[Mention] = ()) -> QueryReading:
    """Return how a query was read; ``known`` and ``absent`` are its route's."""
    query = understood.query
    return QueryReading(
        wordings=[Wording(text=one.text, why=one.why.value) for one in understood.variants],
        corrections=[Reread(written=query[one.start : one.end], read=one.to) for one in understood.corrections],
        known=[one.value for one in known],
        absent=[one.value for one in absent],
    )
