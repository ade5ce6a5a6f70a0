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
from pipeline.stages.extract.pdf.headings import LEADER, PageType, heading_level, numbered_depth
from pipeline.stages.extract.pdf.nesting import LIST_STEP, nest

_OTHER_SIZE: Final = 0.08  # share of the size: less is rounding
_SPACE: Final = 1.3  # of the usual distance of baselines: more parts paragraphs
_INDENT: Final = 0.8  # of the size
_ROOM: Final = 1.2  # of the size: room for the next word and this much more says that the line was ended on purpose
_USUAL_STEP: Final = 1.2  # of the size, where a region has too few lines to tell, or cells of a table stand closer
_BULLETS: Final = "\ufffd•●○◦▪■□☐☑☒✓‣➢➔⬧◆❖∙·–—-*o"
_GLUED_BULLETS: Final = "\ufffd•●◦▪■□☐☑☒‣➢❖∙"
_LABEL: Final = re.compile(r"\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,5}|[IVX]{1,5})[.)]\Z")
_INSET_WORDS: Final = 6  # of a heading inside a list's item
_SMALL_WORD: Final = 3  # "and", "of"
_LINES_OF_NAMES: Final = 3  # so many lines that all begin with a capital are items without bullets, not one paragraph
_UNFINISHED: Final = re.compile(r"(?:[,/&–—-]|\b(?:a|an|and|at|by|for|from|in|of|on|or|the|to|with))\Z")


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
        insets: list[float] = []
        groups = _groups(region)
        for group, following in zip(groups, [*groups[1:], None], strict=True):
            blocks.append(_block(group, following[0] if following else None, page, indents, insets))
    return blocks


def is_list_start(line: Line) -> bool:
    """Whether a line begins with a bullet or the label of a list item, and something follows."""
    first = line.words[0].text
    if first[0] in _GLUED_BULLETS and len(line.text) > 1:
        return True
    return len(line.words) > 1 and (first in _BULLETS or _LABEL.match(first) is not None)


def _has_bullet(line: Line) -> bool:
    first = line.words[0].text
    return first[0] in _GLUED_BULLETS or (first in _BULLETS and first != "o" and len(line.words) > 1)


def _block(group: Sequence[Placed], following: Placed | None, page: PageType, indents: list[float], insets: list[float]) -> Block:
    """Return a block. ``indents`` and ``insets``: those of the list items and headings that it stands in, changed in place."""
    lines = tuple(placed.line for placed in group)
    box = lines[0].box
    for line in lines[1:]:
        box = box.joined(line.box)
    level = 0 if any(placed.is_tabular for placed in group) else heading_level(lines, page, is_bold=all(placed.is_bold for placed in group))
    is_inset = bool(indents) and group[0].x0 > indents[0] + LIST_STEP * lines[0].size
    is_plain = lines[0].size <= page.size and not lines[0].text.isupper()
    if level and not _has_bullet(lines[0]) and not (is_inset and is_plain and not _is_over(group, following)):
        indents.clear()
        return Block(
            BlockKind.HEADING, box, lines, level if numbered_depth(lines[0].text) else level + _inset_depth(group[0], following, insets)
        )
    if is_list_start(lines[0]) and not LEADER.search(lines[0].text):
        return Block(BlockKind.LIST_ITEM, box, lines, nest(group[0].x0, lines[0].size, indents))
    if indents and group[0].x0 < indents[0] + LIST_STEP * lines[0].size:
        indents.clear()
    return Block(BlockKind.PARAGRAPH, box, lines)


def _is_over(group: Sequence[Placed], following: Placed | None) -> bool:
    """Whether a line in capitals of title case stands over text that is set further in: a heading inside a list's item."""
    words = [word.text for word in group[0].line.words]
    if following is None or len(group) > 1 or len(words) > _INSET_WORDS or any(sign.isdigit() for word in words for sign in word):
        return False
    return all(word[0].isupper() for word in words if len(word) > _SMALL_WORD) and following.x0 > group[0].x0 + _INDENT * group[0].line.size


def _inset_depth(placed: Placed, following: Placed | None, insets: list[float]) -> int:
    """Return how many headings of the page a heading is set in under, by its left edge; centred ones are set in under none."""
    step = _INDENT * placed.line.size
    while insets and placed.x0 < insets[-1] - step:
        insets.pop()
    is_over_text = following is not None and following.x0 > placed.x0 - step
    if not insets or (placed.x0 > insets[-1] + step and is_over_text):
        insets.append(placed.x0)
    return len(insets) - 1


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
    return [part for group in groups for part in _items(group)]


def _items(group: list[Placed]) -> list[list[Placed]]:
    """Part a group whose lines, at one left edge, all begin with a capital and end finished: a list without bullets."""
    first = group[0]
    is_prose = any(placed.line.text.endswith((".", ";")) for placed in group)
    if len(group) < _LINES_OF_NAMES or is_prose or is_list_start(first.line) or first.line.size != group[-1].line.size:
        return [group]
    for last, line in pairwise(group):
        word = line.line.words[0].text
        is_name = len(word) > 1 and word[0].isupper() and word[1:].islower()
        if not is_name or abs(line.x0 - first.x0) > 1 or _UNFINISHED.search(last.line.text):
            return [group]
    return [[line] for line in group]


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
    if abs(last.line.size - size) > _OTHER_SIZE * size or not 0 < step <= max(_SPACE * usual, _USUAL_STEP * size):
        return True
    if last.is_tabular or line.is_tabular or last.is_bold != line.is_bold:
        return True
    if is_list_start(line.line):
        return not _is_inside_sentence(block, line, right)
    if _are_centred(last, line) and not _are_stairs(last, line, after):
        return False
    if _was_ended(last, line, right):
        return True
    return _indent_begins(block, line, after)


def _are_centred(last: Placed, line: Placed) -> bool:
    size = line.line.size
    return abs(last.x0 - line.x0) > _INDENT * size and abs(last.x0 + last.x1 - line.x0 - line.x1) < size


def _are_stairs(last: Placed, line: Placed, after: Placed | None) -> bool:
    """Whether three lines are set in step by step: that the first two have one middle is chance."""
    step = _INDENT * line.line.size
    return after is not None and last.x0 + step < line.x0 < after.x0 - step and not _are_centred(line, after)


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
    return is_full and not is_bullet and abs(line.x0 - last.x0) < LIST_STEP * size and not is_list_start(block[0].line)


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
        hangs_again = after is not None and abs(after.x0 - last.x0) < indent and line.line.words[0].text[0].isupper()
        return len(block) > 1 or is_list_start(block[0].line) or hangs_again
    return False
