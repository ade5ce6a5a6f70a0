"""Rules of protocols, analysis plans, guidelines, EMS protocols and papers: paragraphs under their headings, counted in characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.domain.sections import SectionSpan
from pipeline.stages.chunking.units import Unit, UnitKind

# Headings of this level or higher begin a chunk, however short what stands before them is.
_CHAPTER_LEVEL: Final = 2
# One sentence of up to twice the overlap is repeated whole; a longer one is not: half a sentence can lose its negation.
_LONGEST_OVERLAP: Final = 2


@dataclass(frozen=True, slots=True)
class ProtocolRules:
    """Sizes are in characters."""

    target: int
    minimum: int
    maximum: int
    overlap_characters: int

    @property
    def longest(self) -> int:
        """The maximum."""
        return self.maximum

    def size(self, unit: Unit) -> int:
        """Characters, and the blank after it."""
        return unit.end - unit.start + 1

    def overlap(self, units: Sequence[Unit], first: int, end: int) -> int:
        """Repeat the last whole sentences of running text, together about as long as the overlap."""
        start = end
        taken = 0
        while start - 1 > first and taken < self.overlap_characters:
            unit = units[start - 1]
            taken += self.size(unit)
            limit = self.overlap_characters * (_LONGEST_OVERLAP if start == end else 1)
            if unit.kind is not UnitKind.SENTENCE or unit.keep or unit.lead or taken > limit:
                break
            start -= 1
        return start

    def may_join(self, units: Sequence[Unit], before: SectionSpan, after: SectionSpan) -> bool:
        """A short subsection with its sibling or its own first subsection, below the level of chapters."""
        if after.level <= _CHAPTER_LEVEL or before.section is not after.section:
            return False
        related = before.path[:-1] == after.path[:-1] or after.path[:-1] == before.path
        return related and units[-1].end - units[0].start < self.minimum
