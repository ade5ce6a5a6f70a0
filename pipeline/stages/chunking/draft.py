"""Chunks in the making: passages with their place, before they are measured against the model's window."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.domain.chunks import Drop, Span
from pipeline.domain.vocabulary import Section
from pipeline.stages.chunking.passage import Passage


@dataclass(slots=True, eq=False)
class Draft:
    """One chunk before it is cut to the window."""

    section: Section
    ordinal: int
    is_exclusion: bool | None
    part: str
    passage: Passage = field(repr=False)
    scope: tuple[str, ...] = ()
    context: tuple[str, ...] = field(default=(), repr=False)
    later_context: tuple[str, ...] = field(default=(), repr=False)  # what pieces after the first carry as well
    repeats: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Carried:
    """The raw characters of ``span`` stand in a draft's context, as ``text``."""

    part: str
    span: Span
    draft: Draft = field(repr=False)
    text: str = field(repr=False)


@dataclass(slots=True)
class Drafts:
    """What reading a part gave."""

    drafts: list[Draft] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
