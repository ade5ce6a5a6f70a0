"""Rules of notes, discharge summaries, reports and what nobody knows: whole sentences within a section, counted in tokens of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.domain.sections import SectionSpan
from pipeline.stages.chunking.units import Unit, UnitKind

#: Kinds of section below this share of the target are joined to a neighbour of the same category.
_SHORT_SHARE: Final = 3
# A sentence that is repeated may take this share of the target at most: one that is longer says enough alone.
_OVERLAP_SHARE: Final = 4


@dataclass(frozen=True, slots=True)
class ClinicalRules:
    """Sizes are in tokens, special ones apart; ``longest`` in characters, for words that the model counts as one token whatever they say."""

    target: int
    maximum: int
    longest: int
    overlap_sentences: int

    @property
    def minimum(self) -> int:
        """A third of the target."""
        return self.target // _SHORT_SHARE

    def size(self, unit: Unit) -> int:
        """Tokens."""
        return unit.tokens

    def overlap(self, units: Sequence[Unit], first: int, end: int) -> int:
        """Repeat whole sentences of running text; never an item, a row, or the piece of a sentence."""
        start = end
        room = self.target // _OVERLAP_SHARE
        while end - start < self.overlap_sentences and start - 1 > first:
            unit = units[start - 1]
            room -= unit.tokens
            if unit.kind is not UnitKind.SENTENCE or unit.keep or unit.lead or room < 0:
                break
            start -= 1
        return start

    def may_join(self, units: Sequence[Unit], before: SectionSpan, after: SectionSpan) -> bool:
        """A short section with the next of the same category (``HEENT:``, ``Lungs:`` of one examination)."""
        # A unit costs a token at least: no more of them need be summed than the bound has tokens.
        same = before.section is after.section and before.path[:-1] == after.path[:-1]
        return same and sum(unit.tokens for unit in units[-self.minimum :]) < self.minimum
