"""A ``table`` element in, its cells row by row out. A cell over several rows stands in each: every row is cited alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from bs4 import Tag

_MAX_COLUMNS: Final = 1000  # WHATWG HTML, 4.9.11: colspan is at most 1,000
_ARRANGED: Final = ["h1", "h2", "h3", "h4", "h5", "h6", "table"]


@dataclass(slots=True)
class _Table:
    """One table: its rows with their cells, not those of tables in it."""

    rows: list[tuple[Tag, list[Tag]]] = field(default_factory=list)
    has_header_cell: bool = False
    arranges: bool = False  # its cells hold headings or tables


class Tables:
    """All tables of a page, found in one walk. Rows and cells whose end tags are left out lie in one another; here each is its own."""

    def __init__(self, page: Tag) -> None:
        self._tables: dict[int, _Table] = {}
        self._of: dict[int, int] = {}  # each row and cell: its table
        todo: list[tuple[Tag, Tag | None, list[Tag]]] = [(page, None, [])]
        while todo:
            tag, table, cells = todo.pop()
            table, cells = self._place(tag, table, cells)
            todo += [(child, table, cells) for child in reversed(tag.contents) if isinstance(child, Tag)]

    def _place(self, tag: Tag, table: Tag | None, cells: list[Tag]) -> tuple[Tag | None, list[Tag]]:
        """Note what an element is; return table and row's cells of what lies in it."""
        if table is not None and tag.name in _ARRANGED:
            self._tables[id(table)].arranges = True
        if tag.name == "table":
            self._tables[id(tag)] = _Table()
            return tag, []
        if table is not None and tag.name in ("tr", "td", "th"):
            self._of[id(tag)] = id(table)
            mine = self._tables[id(table)]
            if tag.name == "tr":
                cells = []
                mine.rows.append((tag, cells))
            else:
                cells.append(tag)
                mine.has_header_cell = mine.has_header_cell or tag.name == "th"
        return table, cells

    def are_beside(self, tag: Tag, cell: Tag) -> bool:
        """Whether a row or cell that lies in a cell is of the same table: it only seems to lie in it."""
        return self._of.get(id(tag), 0) == self._of.get(id(cell))

    def is_layout(self, table: Tag) -> bool:
        """Whether a table only arranges a page: no header cell, and its cells hold headings or tables, or it has one column."""
        mine = self._tables[id(table)]
        return not mine.has_header_cell and (mine.arranges or all(len(cells) <= 1 for _, cells in mine.rows))

    def grid(self, table: Tag, text_of: Callable[[Tag], str]) -> tuple[list[list[str]], int]:
        """Return the cells of a table and how many of its first rows name columns: those of header or bold cells only, or in its ``thead``.

        A header cell over several columns stands in each; another cell over several columns stands in the first.
        """
        rows = self._tables[id(table)].rows
        below: dict[int, tuple[int, str]] = {}  # column: rows that a cell above still covers, and its text
        grid: list[list[str]] = []
        header_rows = 0
        for number, (row, cells) in enumerate(rows):
            line: list[str] = []
            for cell in cells:
                _fill(line, below)
                text, is_header = text_of(cell), cell.name == "th"
                height = min(_span(cell, "rowspan") or len(rows), len(rows) - number)
                for index in range(min(_span(cell, "colspan") or 1, _MAX_COLUMNS - len(line))):
                    value = text if index == 0 or is_header else ""
                    if height > 1:
                        below[len(line)] = (height - 1, value)
                    line.append(value)
            _fill(line, below)
            grid.append(line)
            header_rows += int(header_rows == number and _names_columns(row, cells, text_of))
        return grid, header_rows if header_rows < len(grid) else 0


def _names_columns(row: Tag, cells: list[Tag], text_of: Callable[[Tag], str]) -> bool:
    if row.parent is not None and row.parent.name == "thead":
        return True
    return bool(cells) and (all(cell.name == "th" for cell in cells) or all(_is_bold(cell, text_of) for cell in cells))


def _is_bold(cell: Tag, text_of: Callable[[Tag], str]) -> bool:
    """Whether all words of a cell stand in one bold element."""
    words = text_of(cell)
    bold = cell.find(["b", "strong"])
    return bool(words) and bold is not None and text_of(bold) == words


def _fill(line: list[str], below: dict[int, tuple[int, str]]) -> None:
    """Put what reaches down from above into the next free columns of a row."""
    while len(line) in below:
        column = len(line)
        left, value = below.pop(column)
        if left > 1:
            below[column] = (left - 1, value)
        line.append(value)


def _span(cell: Tag, name: str) -> int:
    """Return a span; 0 where it is none, or 0 itself: down to the last row."""
    value = cell.get(name, "1")
    return int(value) if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 6 else 1
