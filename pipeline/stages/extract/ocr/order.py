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
    joined = True
    while joined:
        joined = False
        for first in range(len(blocks)):
            for second in range(first + 1, len(blocks)):
                if _are_columns_of_a_table(blocks[first], blocks[second]):
                    blocks[first] = _joined(blocks[first], blocks.pop(second))
                    joined = True
                    break
            if joined:
                break
    return [
        replace(word, block=block, paragraph=strip.words[0].paragraph, line=line)
        for block, lines in enumerate(blocks)
        for line, strip in enumerate(lines)
        for word in strip.words
    ]


def _are_columns_of_a_table(one: _Lines, other: _Lines) -> bool:
    few, many = sorted((one, other), key=len)
    rows = [(line, against) for line in few for against in many if _same_row(line, against)]
    if not rows or median(min(len(line.words), len(against.words)) for line, against in rows) > _CELL_WORDS:
        return False
    return len({id(line) for line, _ in rows}) >= _ALIGNED * len(few)


def _same_row(one: _Strip, other: _Strip) -> bool:
    apart = one.right <= other.left or other.right <= one.left
    return apart and abs(one.middle - other.middle) <= _SAME_HEIGHT * max(one.height, other.height)


def _joined(one: _Lines, other: _Lines) -> _Lines:
    lines = [_Strip(list(line.words)) for line in one]
    for line in other:
        like = next((against for against in lines if _same_row(line, against)), None)
        if like is None:
            lines.append(line)
        else:
            like.words = sorted(like.words + line.words, key=lambda word: word.left)
    return sorted(lines, key=lambda line: line.middle)
