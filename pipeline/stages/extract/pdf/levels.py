"""Pages in, pages out: headings with the level that they have in the whole document, and its title.

On its own page a heading without a number cannot know its level. Over the document, headings of one size and weight share one: that of numbered
headings that look alike, or their rank by size. A number wins over both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pipeline.stages.extract.content import Block, BlockKind, PageContent
from pipeline.stages.extract.pdf.headings import DEEPEST, PLAIN_LEVEL, numbered_depth

_TITLE_LARGER: Final = 1.25  # of the size of most text
_TITLE_WORDS: Final = (3, 60)
_TITLE_GAP: Final = 0.6  # of the size, between the lines of a title: a subtitle, the authors stand further off or are smaller
_LOWEST_TITLE: Final = 0.75  # of the page's height: below stand addresses and notices
_TITLE_PAGES: Final = 2  # a cover may be a picture
_SECTIONS: Final = 3  # headings of one look: they are those of sections
_HALF_POINT: Final = 2  # sizes are compared in half points

_Look = tuple[float, bool]  # size, bold


def relevel(pages: Sequence[PageContent]) -> list[PageContent]:
    """Return the pages with levels 1 to 6 on headings, and at most one ``TITLE``."""
    pages, title = _with_title(pages)
    levels = _levels(_headings(pages, title))
    return [replace(page, blocks=tuple(_relevelled(block, levels, title) for block in page.blocks)) for page in pages]


def _relevelled(block: Block, levels: Mapping[_Look, int], title: Block | None) -> Block:
    if block is title:
        return replace(block, kind=BlockKind.TITLE, level=0)
    if block.kind is not BlockKind.HEADING:
        return block
    depth = numbered_depth(_text(block))
    inset = max(block.level - PLAIN_LEVEL, 0)  # under another heading of its look, by its left edge
    return replace(block, level=depth or min(levels.get(_look(block), PLAIN_LEVEL) + inset, DEEPEST))


def _with_title(pages: Sequence[PageContent]) -> tuple[Sequence[PageContent], Block | None]:
    """Return the pages with the title's lines in one block, and that block."""
    first = _title(pages, _body_size(pages))
    for index, page in enumerate(pages[:_TITLE_PAGES]):
        start = next((place for place, block in enumerate(page.blocks) if block is first), None)
        if first is None or start is None:
            continue
        end = start + 1
        while end < len(page.blocks) and _goes_on(page.blocks[end - 1], page.blocks[end]):
            end += 1
        parts = page.blocks[start:end]
        lines = tuple(line for block in parts for line in block.lines)
        if len(" ".join(line.text for line in lines).split()) > _TITLE_WORDS[1]:
            return pages, first
        box = first.box
        for block in parts[1:]:
            box = box.joined(block.box)
        whole = replace(first, box=box, lines=lines)
        joined = replace(page, blocks=(*page.blocks[:start], whole, *page.blocks[end:]))
        return [*pages[:index], joined, *pages[index + 1 :]], whole
    return pages, first


def _goes_on(before: Block, after: Block) -> bool:
    """Whether a title's next line stands in the block after: right below, in the same type, and without a number of its own."""
    if after.kind not in (BlockKind.HEADING, BlockKind.PARAGRAPH) or not after.lines or _look(before) != _look(after):
        return False
    gap = after.box.top - before.box.bottom
    return -1 <= gap < _TITLE_GAP * before.lines[-1].size and not numbered_depth(_text(after))


def _headings(pages: Iterable[PageContent], title: Block | None) -> list[Block]:
    return [block for page in pages for block in page.blocks if block.kind is BlockKind.HEADING and block is not title]


def _levels(headings: Sequence[Block]) -> dict[_Look, int]:
    """Return the level of every look of headings without numbers."""
    depths: dict[_Look, Counter[int]] = defaultdict(Counter)
    looks: set[_Look] = set()
    for block in headings:
        depth = numbered_depth(_text(block))
        looks.add(_look(block))
        if depth:
            depths[_look(block)][depth] += 1
    usual = {look: counted.most_common(1)[0][0] for look, counted in depths.items()}
    lowest = min(max(usual.values(), default=DEEPEST) + 1, DEEPEST)  # whatever has no number stands right below what has
    levels: dict[_Look, int] = {}
    level = 0
    for look in sorted(looks, reverse=True):
        level = usual.get(look, min(level + 1, lowest))
        levels[look] = level
    return levels


def _look(block: Block) -> _Look:
    line = block.lines[0]
    return round(line.size * _HALF_POINT) / _HALF_POINT, line.bold


def _text(block: Block) -> str:
    return " ".join(line.text for line in block.lines)


def _body_size(pages: Iterable[PageContent]) -> float:
    sizes: dict[float, int] = defaultdict(int)
    for page in pages:
        for block in page.blocks:
            for line in block.lines:
                sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def _title(pages: Sequence[PageContent], body: float) -> Block | None:
    """Return the block in the largest type on the first page that has text set larger than the body.

    What looks like the headings of sections under something larger is none: the title is that, be it one word long.
    """
    headings = _headings(pages, None)
    looks = Counter(_look(block) for block in headings)
    for page in pages[:_TITLE_PAGES]:
        largest = max((block.lines[0].size for block in page.blocks if block.kind is BlockKind.HEADING), default=0.0)
        able = [block for block in page.blocks if _may_be_title(block, page, body)]
        able = [block for block in able if looks[_look(block)] < _SECTIONS or block.lines[0].size + 1 / _HALF_POINT > largest]
        if able:
            return max(able, key=lambda block: (block.lines[0].size, -block.box.top))
    return None


def _may_be_title(block: Block, page: PageContent, body: float) -> bool:
    if block.kind not in (BlockKind.HEADING, BlockKind.PARAGRAPH) or block.box.top > _LOWEST_TITLE * page.height:
        return False
    text = _text(block)
    fewest, most = _TITLE_WORDS
    return block.lines[0].size >= _TITLE_LARGER * body > 0 and fewest <= len(text.split()) <= most and not numbered_depth(text)
