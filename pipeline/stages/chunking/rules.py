"""What the two kinds of documents differ in: what is counted, how long a chunk is, what it repeats, and which sections may share one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pipeline.domain.sections import SectionSpan
from pipeline.stages.chunking.units import Unit


class Rules(Protocol):
    """A rule set."""

    @property
    def target(self) -> int:
        """Size that is aimed at."""
        ...

    @property
    def minimum(self) -> int:
        """Size below which a chunk, or a rest, is too short to be wanted."""
        ...

    @property
    def maximum(self) -> int:
        """Size that no chunk is over."""
        ...

    @property
    def longest(self) -> int:
        """Characters that no unit is over."""
        ...

    def size(self, unit: Unit) -> int:
        """Return what a unit adds to the size."""
        ...

    def overlap(self, units: Sequence[Unit], first: int, end: int) -> int:
        """Return where the repetition begins that a chunk at ``end`` makes of the chunk ``first:end``; ``end`` for none."""
        ...

    def may_join(self, units: Sequence[Unit], before: SectionSpan, after: SectionSpan) -> bool:
        """Whether a section goes on with the running text before it."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """One chunk of a stream: ``units[first:end]``, of which ``units[first:own]`` are said again."""

    first: int
    own: int
    end: int
