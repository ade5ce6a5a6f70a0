"""Lines of a section's text come in; paragraphs, list items, rows and headings go out.

What a reader marked is taken as marked. Where nothing is marked (TXT, MD), a list item is told by its sign, a row by its bars, and a line
goes on with the one before it where that was wrapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.stages.chunking.shown import Shown


class BlockKind(StrEnum):
    """What a block is on the page."""

    TEXT = "text"
    ITEM = "item"
    ROW = "row"
    HEADING = "heading"
    FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch without blanks at its ends. ``fresh``: a blank line stands before it. ``mark``: what the reader said of it."""

    start: int
    end: int
    kind: BlockKind
    fresh: bool
    mark: Mark | None = None


_KINDS: Final = {
    MarkKind.LIST_ITEM: BlockKind.ITEM,
    MarkKind.TABLE_ROW: BlockKind.ROW,
    MarkKind.HEADING: BlockKind.HEADING,
    MarkKind.TITLE: BlockKind.HEADING,
    MarkKind.FIGURE: BlockKind.FIGURE,
}
_LINE: Final = re.compile(r"[^\n]+")
_ITEM: Final = re.compile(
    r"[ \t]{0,40}(?:[-*+•◦▪▫●○■□◆►▶▸‣⁃∙✓➢❖·\uf0b7\uf0a7]|o(?=[ \t])|[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,5})[.)）])[ \t]{1,8}(?=\S)"
)
_MIN_BARS: Final = 2  # of a row of a table written with bars
# A text file's lines are wrapped at one width; nobody wraps wider. A paragraph on one line is mostly longer than that.
_WRAP_WIDTHS: Final = range(60, 132)
_WRAP_SHARE: Final = 0.95  # of lines are not wider than the width they are wrapped at
_LOOK_BACK: Final = 80  # blanks before a line
_NEAR_WRAP: Final = 0.8  # a wrapped line is at least this full


def wrap_width(text: str) -> int | None:
    """Return the width that a text's lines are wrapped at, or ``None`` where a line is a paragraph."""
    widths = sorted(match.end() - match.start() for match in _LINE.finditer(text))
    width = widths[int((len(widths) - 1) * _WRAP_SHARE)] if widths else 0
    return width if width in _WRAP_WIDTHS else None


def regions(marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks that make blocks, in order and apart: one inside another counts as part of it."""
    kept: list[Mark] = []
    for mark in of_kind(marks, *_KINDS):
        if mark.start < mark.end and (not kept or mark.start >= kept[-1].end):
            kept.append(mark)
    return kept


def blocks(source: Shown, marked: Sequence[Mark], start: int, end: int, wrap: int | None) -> Iterator[Block]:
    """Yield the blocks of ``start:end`` in order; ``marked`` are the ``regions`` that share characters with it."""
    position = start
    for mark in marked:
        first, last = max(mark.start, start), min(mark.end, end)
        yield from _unmarked(source, position, first, wrap)
        left, right = source.trimmed(first, last)
        if left < right:
            yield Block(left, right, _KINDS[mark.kind], _is_fresh(source.text, left), mark)
        position = max(position, last)
    yield from _unmarked(source, position, end, wrap)


def _unmarked(source: Shown, start: int, end: int, wrap: int | None) -> Iterator[Block]:
    text = source.text
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text, start, end)]
    spans = [(left, right) for left, right in (source.trimmed(*line) for line in lines) if left < right]
    if not spans:
        return
    first, last = spans[0]
    kind = _kind(text, first, last)
    for before, (left, right) in pairwise(spans):
        kind_here = _kind(text, left, right)
        if kind_here is BlockKind.TEXT and kind is not BlockKind.ROW and _goes_on(text, before, left, wrap):
            last = right
            continue
        yield Block(first, last, kind, _is_fresh(text, first))
        first, last, kind = left, right, kind_here
    yield Block(first, last, kind, _is_fresh(text, first))


def _kind(text: str, start: int, end: int) -> BlockKind:
    if _ITEM.match(text, start, end):
        return BlockKind.ITEM
    return BlockKind.ROW if text.count("|", start, end) >= _MIN_BARS else BlockKind.TEXT


def _goes_on(text: str, before: tuple[int, int], start: int, wrap: int | None) -> bool:
    """Whether the line at ``start`` goes on with the line ``before`` it."""
    if text.count("\n", before[1], start) > 1:
        return False
    return text[start].islower() or (wrap is not None and before[1] - before[0] >= wrap * _NEAR_WRAP)


def _is_fresh(text: str, start: int) -> bool:
    """Whether a blank line, or nothing, stands before an offset."""
    before = text[max(0, start - _LOOK_BACK) : start]
    gap = before[len(before.rstrip()) :]
    return gap.count("\n") > 1 or len(gap) == start
