"""Pages in, pages out: a list that goes on over a page's end keeps the nesting of its items, which a page alone cannot know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pipeline.stages.extract.content import Block, BlockKind, PageContent

LIST_STEP: Final = 0.6  # of the size: a smaller difference of indents is the same level
DEEPEST_LIST: Final = 6


def nest(x0: float, size: float, indents: list[float]) -> int:
    """Return the nesting of an item, 1 the outermost, given the left edges of those that it stands in (changed in place)."""
    step = LIST_STEP * size
    while indents and x0 < indents[-1] - step:
        indents.pop()
    if not indents or x0 > indents[-1] + step:
        indents.append(x0)
    return min(len(indents), DEEPEST_LIST)


def renest(pages: Sequence[PageContent]) -> list[PageContent]:
    """Return the pages with the levels of list items as the pages before say; a heading or a paragraph further left ends a list."""
    indents: list[float] = []
    done = []
    for page in pages:
        if page.rotation:  # left edges of another frame
            indents = []
            done.append(page)
            continue
        blocks, indents = _renested(page, indents)
        done.append(replace(page, blocks=tuple(blocks)))
    return done


def _renested(page: PageContent, indents: list[float]) -> tuple[list[Block], list[float]]:
    """Return a page's blocks, and the left edges of the items that are open at its end."""
    is_carried = bool(indents) and _begins_inside(page.blocks, indents)
    indents = indents if is_carried else []
    blocks: list[Block] = []
    for block in page.blocks:
        size = block.lines[0].size if block.lines else 0.0
        if block.kind is BlockKind.LIST_ITEM and block.lines:
            level = nest(block.lines[0].box.x0, size, indents)
            blocks.append(replace(block, level=level) if is_carried else block)
            continue
        is_left = block.kind is BlockKind.PARAGRAPH and bool(indents) and block.box.x0 < indents[0] + LIST_STEP * size
        if block.kind in (BlockKind.HEADING, BlockKind.TITLE) or is_left:
            indents, is_carried = [], False
        blocks.append(block)
    return blocks, indents


def _begins_inside(blocks: Sequence[Block], indents: Sequence[float]) -> bool:
    """Whether a page's first item or paragraph stands no further left than the open list does."""
    first = next((one for one in blocks if one.lines and one.kind not in (BlockKind.TABLE, BlockKind.FIGURE)), None)
    return (
        first is not None
        and first.kind in (BlockKind.LIST_ITEM, BlockKind.PARAGRAPH)
        and first.lines[0].box.x0 >= indents[0] - LIST_STEP * first.lines[0].size
    )
