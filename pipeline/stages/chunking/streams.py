"""Units of a part come in; streams go out: runs that may share a chunk. What stands in two streams is never in one chunk.

A table and a figure are streams of their own; so is each section, but for short neighbours that a rule set lets stand together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pipeline.domain.sections import SectionSpan
from pipeline.domain.vocabulary import Element
from pipeline.stages.chunking.units import Unit


@dataclass(slots=True)
class Stream:
    """Units that may share a chunk, in order."""

    units: list[Unit] = field(repr=False)
    element: Element = Element.TEXT
    number: int | None = None

    @property
    def is_opening(self) -> bool:
        """Whether it holds nothing but what stays with what comes next."""
        return all(unit.keep for unit in self.units)


def streams_of(
    units: Sequence[Unit], sections: Sequence[SectionSpan], may_join: Callable[[Sequence[Unit], SectionSpan, SectionSpan], bool]
) -> list[Stream]:
    """Part the units of a part; ``may_join(open units, their section, next section)`` says whether the next section goes on with them."""
    streams: list[Stream] = []
    for (index, _, _), group in groupby(units, key=_place):
        made = list(group)
        element = made[0].element
        stream = Stream(made, element, made[0].number)
        if streams and _goes_on(streams[-1], stream, sections, index, may_join):
            before = streams[-1]
            streams[-1] = Stream([*before.units, *made], element, stream.number) if element is not before.element else before
            if streams[-1] is before:
                before.units += made
        else:
            streams.append(stream)
    return streams


def _place(unit: Unit) -> tuple[int, Element, int | None]:
    return unit.section, unit.element, unit.number


def _goes_on(
    before: Stream,
    stream: Stream,
    sections: Sequence[SectionSpan],
    index: int,
    may_join: Callable[[Sequence[Unit], SectionSpan, SectionSpan], bool],
) -> bool:
    """Whether a stream goes on with the one before it: a heading or caption with what it opens, or short neighbours of running text."""
    if before.is_opening:  # a heading without text, a caption
        return before.element is Element.TEXT
    if before.element is not Element.TEXT or stream.element is not Element.TEXT:
        return False
    last = before.units[-1].section
    return last != index and may_join(before.units, sections[last], sections[index])
