"""Words of a page in, the text of one cell out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Box, Line, PageContent, Word
from pipeline.stages.extract.paragraphs import join_lines

_SIDEWAYS: Final = 1.5  # a word that is this much taller than wide stands sideways
_TELLING: Final = 4  # letters: "it" and "ill" are taller than wide as they are
_READ_RULINGS: Final = frozenset({"|", "||", "\u00a6", "_", "__"})
_NUMERIC: Final = re.compile(
    r"[\[(]?\s*[<>\u2264\u2265\u00b1~+\-\u2212\u2013]?\s*[$\u20ac\u00a3]?\s*\d[\d.,:/]*\s*"
    r"(?:%|[-\u2013\u2212\u00b1x\u00d7/(,;]|to\b|\[)?[\s\d.,:/%()\[\];\-\u2013\u2212\u00b1<>\u2264\u2265]*"
    r"(?:[A-Za-z\u00b5\u03bc\u00b0%/\u00b2\u00b3^0-9.]{0,12}\s?){0,2}[*\u2020\u2021]*"
)
_MARKS: Final = frozenset(
    {"x", "\u2713", "\u2714", "\u2022", "\u25cf", "+", "-", "\u2013", "\u2014", "n/a", "na", "nd", "ne", "yes", "no", "h", "l", "*"}
)


@dataclass(frozen=True, slots=True)
class CellText:
    """A cell's text, the words it was made of in that order, and the hyphens that were left out."""

    text: str = field(default="", repr=False)
    words: tuple[Word, ...] = field(default=(), repr=False)
    dropped: int = 0


def page_words(content: PageContent) -> list[Word]:
    """Return the words of all blocks that have lines, tables and figures left out; of a page read by OCR no rulings."""
    words = [
        word for block in content.blocks if block.table is None and block.figure is None for line in block.lines for word in line.words
    ]
    return [word for word in words if not is_ruling(word, content)]


def is_ruling(word: Word, content: PageContent) -> bool:
    """Whether a word is a table's upright ruling, which OCR reads as a sign."""
    return content.outcome is PageOutcome.OCR and word.text in _READ_RULINGS


def cell_text(words: Sequence[Word], *, downwards: bool = False) -> CellText:
    """Return the text of the words of one cell, lines from top to bottom, words broken over two lines whole again.

    ``downwards``: sideways words are read from top to bottom, else from bottom to top.
    """
    if not words:
        return CellText()
    lines = sideways_lines(words, downwards=downwards) if is_sideways(words) else text_lines(words)
    joined = join_lines(lines)
    return CellText(joined.text, tuple(word for line in lines for word in line.words), joined.dropped)


def is_sideways(words: Iterable[Word]) -> bool:
    """Whether the words stand on their sides."""
    telling = [word for word in words if len(word.text) >= _TELLING]
    return bool(telling) and all(word.box.height > _SIDEWAYS * word.box.width for word in telling)


def text_lines(words: Iterable[Word]) -> list[Line]:
    """Return words as lines: those that share half the height of the lower one stand in one line; left to right."""
    lines: list[list[Word]] = []
    spans: list[tuple[float, float]] = []
    for word in sorted(words, key=lambda one: ((one.box.top + one.box.bottom) / 2, one.box.x0)):
        for index in range(len(lines) - 1, max(len(lines) - 4, -1), -1):
            top, bottom = spans[index]
            shared = min(bottom, word.box.bottom) - max(top, word.box.top)
            if shared > 0.5 * min(bottom - top, word.box.height):
                lines[index].append(word)
                if word.box.height > bottom - top:
                    spans[index] = (word.box.top, word.box.bottom)
                break
        else:
            lines.append([word])
            spans.append((word.box.top, word.box.bottom))
    return [_line(sorted(line, key=lambda one: one.box.x0)) for line in lines]


def sideways_lines(words: Iterable[Word], *, downwards: bool) -> list[Line]:
    """Return sideways words as the lines they are read in."""
    columns: list[list[Word]] = []
    for word in sorted(words, key=lambda one: one.box.x0):
        if columns and word.box.x0 < (columns[-1][0].box.x0 + columns[-1][0].box.x1) / 2:
            columns[-1].append(word)
        else:
            columns.append([word])
    if downwards:
        columns.reverse()
    return [_line(sorted(column, key=lambda one: one.box.top if downwards else -one.box.bottom)) for column in columns]


def is_numeric(text: str) -> bool:
    """Whether a cell holds a quantity (with its unit, range or flag), or a mark as schedules have: what stands under a column's name."""
    plain = text.strip()
    return plain.lower() in _MARKS or _NUMERIC.fullmatch(plain) is not None


def bounds(boxes: Iterable[Box]) -> Box:
    """Return the smallest rectangle around some (at least one)."""
    first, *rest = boxes
    for one in rest:
        first = first.joined(one)
    return first


def _line(words: Sequence[Word]) -> Line:
    return Line(tuple(words), bounds(word.box for word in words))
