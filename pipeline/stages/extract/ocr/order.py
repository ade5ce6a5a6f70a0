"""Puts the cells of a row back together: words of Tesseract in its order in, the same words with rows of a table (or a list) as lines out.

Tesseract takes a table without rules for columns of text about every third time, and the numbers of a list for a column of their own. Then
a value stands nowhere near its name. Columns of prose have long lines; cells and numbers are short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from statistics import median
from typing import Final

from pipeline.stages.extract.ocr.tesseract import Recognised

_CELL_WORDS: Final = 4  # words of the shorter half of a row, its median; columns of prose have six and more
_ALIGNED: Final = 0.6  # share of the smaller block's lines that have a line at their height in the other
_SAME_HEIGHT: Final = 0.5  # of a line's height, between the middles
_GOES_ON: Final = 1.5  # of a line's height: a line of its own that stands so near behind another is its end; gutters of columns are wider


@dataclass(slots=True)
class _Strip:
    """A line of a block of Tesseract."""

    words: list[Recognised] = field(repr=False)

    @property
    def left(self) -> int:
        return min(word.left for word in self.words)

    @property
    def right(self) -> int:
        return max(word.left + word.width for word in self.words)

    @property
    def middle(self) -> float:
        return median(word.top + word.height / 2 for word in self.words)

    @property
    def height(self) -> float:
        return median(word.height for word in self.words)


_Lines = list[_Strip]


def rows_together(words: Sequence[Recognised]) -> list[Recognised]:
    """Return the words with blocks that stand beside each other, row for row, as one block."""
    blocks: list[_Lines] = []
    for _, of_block in groupby(words, key=lambda word: word.block):
        blocks.append([_Strip(list(line)) for _, line in groupby(of_block, key=lambda word: (word.paragraph, word.line))])
    tables: set[int] = set()  # ids of blocks that were put together
    while (pair := _first_pair(blocks)) is not None:
        one, other = blocks[pair[0]], blocks.pop(pair[1])
        blocks[pair[0]] = _joined(one, other)
        tables = (tables - {id(one), id(other)}) | {id(blocks[pair[0]])}
    _move_rows([block for block in blocks if id(block) in tables])
    return [
        replace(word, block=block, paragraph=strip.words[0].paragraph, line=line)
        for block, lines in enumerate(blocks)
        for line, strip in enumerate(lines)
        for word in strip.words
    ]


def _first_pair(blocks: Sequence[_Lines]) -> tuple[int, int] | None:
    pairs = ((first, second) for first in range(len(blocks)) for second in range(first + 1, len(blocks)))
    return next((pair for pair in pairs if _are_columns_of_a_table(blocks[pair[0]], blocks[pair[1]])), None)


def _move_rows(tables: Sequence[_Lines]) -> None:
    """Put the right part of a row that came to one table with a column of two tables into the other, where its left part is."""
    for table in tables:
        for line in list(table):
            homes = (against for other in tables if other is not table for against in other)
            home = next((one for one in homes if one.left < line.left and _same_row(one, line)), None)
            if home is not None and len(table) > 1:
                home.words = sorted(home.words + line.words, key=lambda word: word.left)
                table.remove(line)


def _are_columns_of_a_table(one: _Lines, other: _Lines) -> bool:
    few, many = sorted((one, other), key=len)
    rows = [(line, against) for line in few for against in many if _same_row(line, against)]
    if len(few) == 1 and any(_goes_on(line, against) for line, against in rows):
        return True
    if not rows or median(min(len(line.words), len(against.words)) for line, against in rows) > _CELL_WORDS:
        return False
    return len({id(line) for line, _ in rows}) >= _ALIGNED * len(few)


def _goes_on(one: _Strip, other: _Strip) -> bool:
    """Whether one line of a row ends where the other begins. Blanks that stand below each other part lines of typewriter print."""
    return max(one.left, other.left) - min(one.right, other.right) <= _GOES_ON * max(one.height, other.height)


def _same_row(one: _Strip, other: _Strip) -> bool:
    """Whether two lines stand at one height, no word of one over a word of the other."""
    if abs(one.middle - other.middle) > _SAME_HEIGHT * max(one.height, other.height):
        return False
    if one.right <= other.left or other.right <= one.left:
        return True
    return all(a.left + a.width <= b.left or b.left + b.width <= a.left for a in one.words for b in other.words)


def _joined(one: _Lines, other: _Lines) -> _Lines:
    lines = [_Strip(list(line.words)) for line in one]
    for line in other:
        like = next((against for against in lines if _same_row(line, against)), None)
        if like is None:
            lines.append(line)
        else:
            like.words = sorted(like.words + line.words, key=lambda word: word.left)
    return sorted(lines, key=lambda line: line.middle)
