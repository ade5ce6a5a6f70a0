"""A page and its pictures in, the page with each picture as one block at its place out. No line is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipeline.domain.reading import FigureKind
from pipeline.stages.extract.content import Block, BlockKind, Figure, Line, PageContent
from pipeline.stages.extract.tables.cells import bounds


def place_figures(content: PageContent, figures: Sequence[Figure]) -> PageContent:
    """Return the page with its figures in reading order: where the caption stood, else before the text that stands below.

    The block keeps the lines that the figure took. Pictures that are no figures come last: they have no text.
    """
    owner = {id(line): number for number, figure in enumerate(figures) for line in figure.lines}
    placed: set[int] = set()
    blocks: list[Block] = []
    for block in content.blocks:
        rest: list[Line] = []
        for line in block.lines if block.table is None and block.figure is None else ():
            number = owner.get(id(line))
            if number is None:
                rest.append(line)
            elif number not in placed:
                placed.add(number)
                blocks.extend(_rest(block, rest))
                rest = []
                blocks.append(_block(figures[number]))
        blocks.extend([block] if block.table is not None or block.figure is not None or not block.lines else _rest(block, rest))
    left = [figure for number, figure in enumerate(figures) if number not in placed]
    for figure in left:
        shown = figure.kind is FigureKind.FIGURE
        blocks.insert(_index_below(blocks, figure) if shown else len(blocks), _block(figure))
    return replace(content, blocks=tuple(blocks))


def _rest(block: Block, lines: Sequence[Line]) -> list[Block]:
    if len(lines) == len(block.lines):
        return [block]
    return [replace(block, lines=tuple(lines), box=bounds(line.box for line in lines))] if lines else []


def _block(figure: Figure) -> Block:
    return Block(BlockKind.FIGURE, figure.box, figure.lines, figure=figure)


def _index_below(blocks: Sequence[Block], figure: Figure) -> int:
    """Return the index of the first block that stands below a figure in its column; that of the end where none does."""
    middle = (figure.box.top + figure.box.bottom) / 2
    for index, block in enumerate(blocks):
        beside = min(block.box.x1, figure.box.x1) > max(block.box.x0, figure.box.x0)
        if beside and block.box.top >= middle and (block.figure is None or block.figure.kind is FigureKind.FIGURE):
            return index
    return len(blocks)
