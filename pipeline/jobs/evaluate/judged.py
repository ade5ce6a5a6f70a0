"""A judged query: what is asked, and what answers it. Names are as its file gives them; ``names`` finds what a home knows them as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: What a query without a file of judgements gives its relevant documents.
RELEVANT = 1


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """A chunk that answers: by its section (empty: any), and by words that stand in it (letters of any case, any white space between)."""

    section: str
    contains: str = field(default="", repr=False)

    def fits(self, section: str, text: str) -> bool:
        """Whether a hit's passage is this one."""
        return self.section in ("", section) and " ".join(self.contains.split()).lower() in " ".join(text.split()).lower()


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """One query with its judgements.

    Attributes:
        query_id: Its id; results name nothing else of it.
        text: What is asked.
        labels: Label by document, 0 and above.
        near: Documents that look alike and do not answer.
        passages: Chunks that answer, of documents with a label above 0; none: any of theirs does.
        refuse: Nothing in the index answers it, and the search should say so.
        twin_of: The query of the same meaning that it is another spelling of.
        groups: What it is reported by: ``intent``, ``source``, ``variant``.
        filters: Fields of a search request.
    """

    query_id: str
    text: str = field(repr=False)
    labels: Mapping[str, int] = field(default_factory=dict, repr=False)
    near: tuple[str, ...] = field(default=(), repr=False)
    passages: tuple[GoldPassage, ...] = ()
    refuse: bool = False
    twin_of: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> frozenset[str]:
        """Every document that it speaks of."""
        return frozenset((*self.labels, *self.near))
