"""Pages in, the same pages out with tables that go on over a page marked as such: one header, said once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pipeline.stages.extract.content import Block, PageContent, Table

_MARGIN: Final = 0.13  # of the page's height, at its top and bottom: what stands there does not part a table
_ENDED: Final = re.compile(r"[.!?:;][\"'”’)\]]*$")
_CONTINUED: Final = re.compile(r"\bcont(?:\.|inued|'d)|^\s*Table\b", re.IGNORECASE)


def join_continued(pages: Sequence[PageContent]) -> list[PageContent]:
    """Return the pages; a table that opens one and carries on the last of the page before is marked ``continues``.

    It carries on where it has as many columns, each under its own. It gets the header rows of the first part; where it repeats them, they are
    dropped and counted. Where it has another header, it is another table.
    """
    joined: list[PageContent] = []
    for page in pages:
        before = _last_table(joined[-1]) if joined else None
        index = _first_table(page)
        if before is not None and index is not None:
            page = _continued(page, index, before)
        joined.append(page)
    return joined


def _last_table(page: PageContent) -> Table | None:
    for block in reversed(page.blocks):
        if block.table is not None:
            return block.table
        if block.box.top < page.height * (1 - _MARGIN):
            return None
    return None


def _first_table(page: PageContent) -> int | None:
    for index, block in enumerate(page.blocks):
        if block.table is not None:
            return index
        if block.box.bottom > page.height * _MARGIN and not _is_repeated_caption(block):
            return None
    return None


def _is_repeated_caption(block: Block) -> bool:
    return len(block.lines) <= 2 and bool(_CONTINUED.search(" ".join(line.text for line in block.lines)))


def _continued(page: PageContent, index: int, before: Table) -> PageContent:
    block = page.blocks[index]
    table = block.table
    if table is None or not _same_columns(before, table):
        return page
    heads = before.header_rows
    repeated = heads if heads and [_plain(row) for row in table.rows[:heads]] == [_plain(row) for row in before.rows[:heads]] else 0
    if table.header_rows and not repeated:
        return page
    joined = replace(
        table,
        rows=before.rows[:heads] + _with_name(table.rows[repeated:], before.rows[heads:]),
        header_rows=heads,
        continues=True,
        words=((((),) * len(before.rows[0]),) * heads + table.words[repeated:]) if table.words else (),
    )
    gone = {id(word) for row in table.words[:repeated] for cell in row for word in cell}
    kept = [replace(line, words=tuple(word for word in line.words if id(word) not in gone)) for line in block.lines]
    dropped = sum(len(word.text) for line in block.lines for word in line.words if id(word) in gone)
    blocks = list(page.blocks)
    blocks[index] = replace(block, table=joined, lines=tuple(line for line in kept if line.words))
    return replace(page, blocks=tuple(blocks), dropped=page.dropped + dropped)


def _with_name(rows: tuple[tuple[str, ...], ...], before: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return rows; the first, where the page break cuts a row and its rest has no name, with the name of the row that it goes on with."""
    if not rows or not before or rows[0][0] or not before[-1][0]:
        return rows
    goes_on = any(rest[:1].islower() and cut and not _ENDED.search(cut) for rest, cut in zip(rows[0], before[-1], strict=True))
    return ((before[-1][0], *rows[0][1:]), *rows[1:]) if goes_on else rows


def _plain(row: Sequence[str]) -> list[str]:
    return [" ".join(cell.split()).casefold() for cell in row]


def _same_columns(one: Table, other: Table) -> bool:
    """Whether both have as many columns, each below the other's."""
    if not one.rows or not other.rows or len(one.rows[0]) != len(other.rows[0]):
        return False
    pairs = [(_extent(one, column), _extent(other, column)) for column in range(len(one.rows[0]))]
    known = [(left, right) for left, right in pairs if left is not None and right is not None]
    return len(known) * 2 > len(pairs) and all(min(a[1], b[1]) > max(a[0], b[0]) for a, b in known)


def _extent(table: Table, column: int) -> tuple[float, float] | None:
    boxes = [word.box for row in table.words for word in row[column]]
    return (min(box.x0 for box in boxes), max(box.x1 for box in boxes)) if boxes else None
