"""Where the signs of a page went: counted sign by sign, so that one text too many cannot hide one that is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.stages.extract.content import Block, Line, PageContent

_HYPHENS = str.maketrans("\u00ad\ufffe", "--")  # written as a hyphen where they are kept


def signs_of(text: str) -> Counter[str]:
    """Return how often each sign stands in a text, blanks left out."""
    return Counter("".join(text.split()).translate(_HYPHENS))


def signs_of_lines(lines: Iterable[Line]) -> Counter[str]:
    """Return the signs of lines."""
    return signs_of("".join(word.text for line in lines for word in line.words))


def signs_of_page(content: PageContent) -> Counter[str]:
    """Return the signs of a page as it was read: its lines, before any of them became a table or a figure."""
    return signs_of_lines(line for block in content.blocks for line in block.lines)


def signs_of_table(block: Block) -> Counter[str]:
    """Return the signs of a table's cells, each cell once."""
    return signs_of("".join(cell for row in block.table.rows for cell in row)) if block.table else Counter()


@dataclass(slots=True)
class Account:
    """What was done with the signs of one page. ``read`` are those of its pictures, which no text layer has."""

    body: Counter[str] = field(default_factory=Counter)
    furniture: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    read: int = 0

    def missing(self, source: Counter[str]) -> int:
        """Return how many signs of the source went nowhere."""
        return (source - self.body - self.furniture - self.dropped).total()

    def twice(self, source: Counter[str]) -> int:
        """Return how many signs were written that the source does not have, or has less often."""
        return (self.body + self.furniture + self.dropped - source).total()
