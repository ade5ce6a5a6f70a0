"""Where the signs of a page went: counted sign by sign, so that one text too many cannot hide one that is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.stages.extract.content import Line, PageContent, Table

_HYPHENS = str.maketrans("\u00ad\ufffe", "--")  # written as a hyphen where they are kept

_AT_LINE_ENDS = ("-", "\u2010")


def signs_of(text: str) -> Counter[str]:
    """Return how often each sign stands in a text, blanks left out."""
    return Counter("".join(text.split()).translate(_HYPHENS))


def signs_of_lines(lines: Iterable[Line]) -> Counter[str]:
    """Return the signs of lines."""
    return signs_of("".join(word.text for line in lines for word in line.words))


def signs_of_page(content: PageContent) -> Counter[str]:
    """Return the signs of a page as it was read: its lines, before any of them became a table or a figure."""
    return signs_of_lines(line for block in content.blocks for line in block.lines)


def hyphens_of_table(table: Table) -> Counter[str]:
    """Return the hyphens of words broken over two lines of a cell, which its text does not have.

    Only where a word ends with one and another follows: a minus sign that a cell lost is no hyphen.
    """
    dropped: Counter[str] = Counter()
    counted: set[int] = set()
    for row, row_words in zip(table.rows, table.words, strict=False):
        for text, words in zip(row, row_words, strict=True):
            if not words or id(words[0]) in counted:  # said again
                continue
            counted.add(id(words[0]))
            at_ends = signs_of("".join(word.text[-1:] for word in words[:-1] if len(word.text) > 1))
            lost = signs_of("".join(word.text for word in words)) - signs_of(text)
            dropped += Counter({hyphen: min(lost[hyphen], at_ends[hyphen]) for hyphen in _AT_LINE_ENDS})
    return dropped


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
