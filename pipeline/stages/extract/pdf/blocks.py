"""Lines of regions in, blocks out: paragraphs, list items, headings and the title, told apart by typography."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final

from pipeline.stages.extract.content import Block, BlockKind, Line
from pipeline.stages.extract.pdf.headings import LEADER, PageType, heading_level

_OTHER_SIZE: Final = 0.08  # share of the size: less is rounding
_SPACE: Final = 1.3  # of the usual distance of baselines: more parts paragraphs
_INDENT: Final = 0.8  # of the size
_ROOM: Final = 1.2  # of the size: room for the next word and this much more says that the line was ended on purpose
_USUAL_STEP: Final = 1.2  # of the size, where a region has too few lines to tell
_BULLETS: Final = "\ufffd•●○◦▪■□☐☑☒✓‣➢➔⬧◆❖∙·–—-*o"
_GLUED_BULLETS: Final = "\ufffd•●◦▪■□☐☑☒‣➢❖∙"
_LABEL: Final = re.compile(r"\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,5}|[IVX]{1,5})[.)]\Z")
_LIST_STEP: Final = 0.6  # of the size: a smaller difference of indents is the same level
_DEEPEST: Final = 6


@dataclass(slots=True)
class Placed:
    """A line with its place in the frame of reading: points along the line and down. ``is_tabular``: wide gaps between its words."""

    line: Line = field(repr=False)
    x0: float
    x1: float
    base: float
    first_word: float  # width
    is_bold: bool  # every word is
    is_tabular: bool


def blocks_of(regions: Sequence[Sequence[Placed]]) -> list[Block]:
    """Return the blocks of a page in reading order; no block goes over two regions."""
    page = PageType.of([placed.line for region in regions for placed in region])
    blocks: list[Block] = []
    indents: list[float] = []
    for region in regions:
        for group in _groups(region):
            blocks.append(_block(group, page, indents))
    return blocks


def is_list_start(line: Line) -> bool:
    """Whether a line begins with a bullet or the label of a list item, and something follows."""
    first = line.words[0].text
    if first[0] in _GLUED_BULLETS and len(line.text) > 1:
        return True
    return len(line.words) > 1 and (first in _BULLETS or _LABEL.match(first) is not None)


def _block(group: Sequence[Placed], page: PageType, indents: list[float]) -> Block:
    lines = tuple(placed.line for placed in group)
    box = lines[0].box
    for line in lines[1:]:
        box = box.joined(line.box)
    level = 0 if any(placed.is_tabular for placed in group) else heading_level(lines, page, is_bold=all(placed.is_bold for placed in group))
    is_inset = bool(indents) and group[0].x0 > indents[0] + _LIST_STEP * lines[0].size
    if level and not (is_inset and lines[0].size <= page.size and not lines[0].text.isupper()):
        indents.clear()
        return Block(BlockKind.HEADING, box, lines, level)
    if is_list_start(lines[0]) and not LEADER.search(lines[0].text):
        return Block(BlockKind.LIST_ITEM, box, lines, _list_level(group[0], indents))
    if indents and group[0].x0 < indents[0] + _LIST_STEP * lines[0].size:
        indents.clear()
    return Block(BlockKind.PARAGRAPH, box, lines)


def _list_level(placed: Placed, indents: list[float]) -> int:
    """Return the nesting of an item, given the indents of those that it stands in (changed in place)."""
    step = _LIST_STEP * placed.line.size
    while indents and placed.x0 < indents[-1] - step:
        indents.pop()
    if not indents or placed.x0 > indents[-1] + step:
        indents.append(placed.x0)
    return min(len(indents), _DEEPEST)


def _groups(region: Sequence[Placed]) -> list[list[Placed]]:
    if not region:
        return []
    steps = _usual_steps(region)
    right = max(placed.x1 for placed in region)
    groups = [[region[0]]]
    for index in range(1, len(region)):
        line, after = region[index], region[index + 1] if index + 1 < len(region) else None
        size = round(line.line.size)
        if _begins(groups[-1], line, after, steps.get(size, _USUAL_STEP * line.line.size), right):
            groups.append([line])
        else:
            groups[-1].append(line)
    return groups


def _usual_steps(region: Sequence[Placed]) -> dict[int, float]:
    """Return the usual distance of baselines by size: the median, or where most lines stand alone, the lower quarter."""
    steps: dict[int, list[float]] = defaultdict(list)
    for first, second in pairwise(region):
        size = second.line.size
        if abs(first.line.size - size) <= _OTHER_SIZE * size and 0 < second.base - first.base < 3 * size:
            steps[round(size)].append(second.base - first.base)
    usual = {}
    for size, values in steps.items():
        middle, low = median(values), sorted(values)[len(values) // 4]
        usual[size] = low if middle > _SPACE * low else middle
    return usual


def _begins(block: Sequence[Placed], line: Placed, after: Placed | None, usual: float, right: float) -> bool:
    """Whether a line begins a new block."""
    last, size = block[-1], line.line.size
    step = line.base - last.base
    if abs(last.line.size - size) > _OTHER_SIZE * size or not 0 < step <= max(_SPACE * usual, size):
        return True
    if last.is_tabular or line.is_tabular or last.is_bold != line.is_bold:
        return True
    if is_list_start(line.line):
        return not _is_inside_sentence(block, line, right)
    if _are_centred(last, line):
        return False
    if _was_ended(last, line, right):
        return True
    return _indent_begins(block, line, after)


def _are_centred(last: Placed, line: Placed) -> bool:
    size = line.line.size
    return abs(last.x0 - line.x0) > _INDENT * size and abs(last.x0 + last.x1 - line.x0 - line.x1) < size


def _was_ended(last: Placed, line: Placed, right: float) -> bool:
    """Whether the line before was ended on purpose: the next word had room in it, and does not go on in lower case."""
    if last.x1 + line.first_word + _ROOM * line.line.size >= right:
        return False
    return not line.line.words[0].text[0].islower()


def _is_inside_sentence(block: Sequence[Placed], line: Placed, right: float) -> bool:
    """Whether what looks like the label of an item is part of running text: "criteria: 1) age, 2) sex and" goes on with "3) weight"."""
    last, size = block[-1], line.line.size
    is_bullet = not line.line.words[0].text.rstrip(".)").isalnum() and not line.line.words[0].text.startswith("(")
    is_full = last.x1 + line.first_word + _ROOM * size >= right and last.line.text[-1] not in ".:;"
    return is_full and not is_bullet and abs(line.x0 - last.x0) < _LIST_STEP * size and not is_list_start(block[0].line)


def _indent_begins(block: Sequence[Placed], line: Placed, after: Placed | None) -> bool:
    indent = _INDENT * line.line.size
    last = block[-1]
    if line.x0 > last.x0 + indent:
        if is_list_start(block[0].line):
            return len(block) > 1  # the second line of an item hangs below its text
        if line.line.words[0].text[0].islower():
            return False  # the paragraph hangs
        return after is None or after.x0 < line.x0 - indent or (after.x0 <= line.x0 + indent and len(block) > 1)
    if line.x0 < last.x0 - indent:
        return len(block) > 1 or is_list_start(block[0].line)
    return False
