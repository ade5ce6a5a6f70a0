"""A table while it is being found: cells with their place, from which the rows are made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.stages.extract.content import Box, Table, Word
from pipeline.stages.extract.tables.cells import CellText, is_numeric
from pipeline.stages.extract.tables.facts import states_facts

_DEEPEST_HEAD: Final = 4  # rows
_MOST_CARRIED_BESIDE: Final = 6
_NAMED_COLUMNS: Final = 3
_NAMED_ROWS: Final = 3
_NAME: Final = re.compile(r"[A-Z][A-Za-z /()\-]{1,30}[A-Za-z)]")
_NAME_WORDS: Final = 4
_TEXT_WORDS: Final = 8  # a cell, on the mean: a sentence
_MOST_CARRIED: Final = 12  # words: a longer cell beside many rows is a text of its own, no name of theirs


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and the rows and columns that it covers (half-open, from 0). ``strong``: bold or shaded."""

    row: int
    row_end: int
    column: int
    column_end: int
    content: CellText = field(repr=False)
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of one table. ``rule_under``: the number of rows above a rule that parts head and body; 0: there is none."""

    box: Box
    height: int
    width: int
    cells: tuple[Cell, ...] = field(repr=False)
    rule_under: int = 0

    def row(self, number: int) -> list[Cell]:
        """Return the cells that begin in a row and hold text."""
        return [cell for cell in self.cells if cell.row == number and cell.content.text]


def header_rows(grid: Grid) -> int:
    """Return how many first rows name the columns.

    A first row is a head where it is marked (bold, shaded, ruled off) and the next is not, or where words stand over numbers.
    Heads that span columns, and cells that span rows, take the rows below them into the head. A row of facts is no head.
    """
    if grid.height < 2:
        return 0
    count = _marked(grid) or (1 if _words_over_numbers(grid) or _names_over_texts(grid) else 0)
    if not count or any(_states_facts(grid, row) for row in range(count)):
        return 0
    while count < grid.height - 1:
        deepest = max((cell.row_end for row in range(count) for cell in grid.row(row)), default=count)
        spans = any(cell.column_end - cell.column > 1 for cell in grid.row(count - 1)) and len(grid.row(count - 1)) > 1
        if count < deepest <= _DEEPEST_HEAD:
            count = min(deepest, grid.height - 1)
        elif spans and _could_name(grid, count):
            count += 1
        else:
            break
    return count


def without_titles(grid: Grid) -> Grid | None:
    """Return the grid without first rows that are one cell over its whole width, or facts above its head: they stay text before the table.

    Nothing if no row is left.
    """
    first = 0
    while first < grid.height:
        cells = grid.row(first)
        if not (len(cells) == 1 and cells[0].column == 0 and cells[0].column_end == grid.width > 1):
            break
        first = cells[0].row_end
    titled = _below(grid, first)
    facts = 0
    while titled is not None and facts < titled.height and _states_facts(titled, facts):
        facts = max(cell.row_end for cell in titled.row(facts))
    rest = _below(titled, facts) if titled is not None and facts else None
    return rest if rest is not None and header_rows(rest) else titled


def _states_facts(grid: Grid, row: int) -> bool:
    return states_facts([cell.content.text for cell in sorted(grid.row(row), key=lambda cell: cell.column)])


def _below(grid: Grid, first: int) -> Grid | None:
    """Return the grid without the rows above ``first``; nothing if no text is left."""
    if not first:
        return grid
    top = max((word.box.bottom for cell in grid.cells if cell.row < first for word in cell.content.words), default=grid.box.top)
    kept = tuple(replace(cell, row=cell.row - first, row_end=cell.row_end - first) for cell in grid.cells if cell.row >= first)
    if not any(cell.content.text for cell in kept):
        return None
    box = Box(grid.box.x0, top, grid.box.x1, grid.box.bottom)
    return Grid(box, grid.height - first, grid.width, kept, max(grid.rule_under - first, 0))


def table_of(grid: Grid) -> Table:
    """Return the rows. A head that spans columns is said over each; a short cell that spans rows is said in each."""
    heads = header_rows(grid)
    texts = [[""] * grid.width for _ in range(grid.height)]
    words: list[list[tuple[Word, ...]]] = [[() for _ in range(grid.width)] for _ in range(grid.height)]
    for cell in grid.cells:
        in_head = cell.row < heads
        carried = not in_head and _is_carried(cell)
        rows = range(cell.row, cell.row_end if carried else cell.row + 1)
        columns = range(cell.column, cell.column_end if in_head else cell.column + 1)
        for row in rows:
            for column in columns:
                texts[row][column] = cell.content.text
                words[row][column] = cell.content.words
    begun = {cell.row for cell in grid.cells if cell.content.text}
    kept = [row for row in range(grid.height) if row in begun]  # what is only carried down is no row
    return Table(
        rows=tuple(tuple(texts[row]) for row in kept),
        header_rows=sum(row < heads for row in kept),
        box=grid.box,
        words=tuple(tuple(words[row]) for row in kept),
    )


def _is_carried(cell: Cell) -> bool:
    """Whether a cell over several rows is a value of each: a name in the first column, elsewhere one short line. More may be values one by one."""
    words = cell.content.words
    if cell.column == 0:
        return len(words) <= _MOST_CARRIED
    one_line = bool(words) and max(word.box.top for word in words) < min(word.box.bottom for word in words)
    return one_line and len(words) <= _MOST_CARRIED_BESIDE


def _marked(grid: Grid) -> int:
    """Return the number of first rows that are set off from the rest by print or rule."""
    strong = [bool(grid.row(row)) and all(cell.strong for cell in grid.row(row)) for row in range(grid.height)]
    groups = [row > 0 and len(grid.row(row)) == 1 and grid.row(row)[0].column == 0 for row in range(grid.height)]
    count = next((row for row in range(grid.height) if not strong[row] or groups[row]), grid.height)
    if 0 < count <= min(_DEEPEST_HEAD, max(1, grid.height // 2)) and any(_names_columns(grid.row(row), grid) for row in range(count)):
        return count
    return grid.rule_under if 0 < grid.rule_under < grid.height else 0


def _names_columns(cells: Sequence[Cell], grid: Grid) -> bool:
    """Whether cells cover enough columns to name them: a band over a list names none."""
    covered = sum(cell.column_end - cell.column for cell in cells)
    return len(cells) > 1 and covered * 2 >= grid.width


def _words_over_numbers(grid: Grid) -> bool:
    first = grid.row(0)
    if not _names_columns(first, grid) or any(is_numeric(cell.content.text) for cell in first if cell.column > 0):
        return False
    for column in range(1, grid.width):
        named = any(cell.column <= column < cell.column_end for cell in first)
        body = [cell.content.text for cell in grid.cells if cell.column == column and cell.row > 0 and cell.content.text]
        if named and len(body) > 1 and sum(map(is_numeric, body)) * 3 >= len(body) * 2:
            return True
    return False


def _names_over_texts(grid: Grid) -> bool:
    """Whether short names stand over every column and sentences under one: a table without numbers whose head is not marked.

    Three columns at least: in a table of two, the first row is as likely the first label and its value.
    """
    first = grid.row(0)
    if grid.width < _NAMED_COLUMNS or grid.height < _NAMED_ROWS or [cell.column for cell in first] != list(range(grid.width)):
        return False
    names = [cell.content.text for cell in first]
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) and len(name.split()) <= _NAME_WORDS for name in names):
        return False
    texts = [[len(cell.content.words) for cell in grid.cells if cell.column == column and cell.row > 0] for column in range(1, grid.width)]
    return any(
        len(counts) >= _NAMED_ROWS - 1 and min(counts) > _NAME_WORDS and sum(counts) >= _TEXT_WORDS * len(counts) for counts in texts
    )


def _could_name(grid: Grid, row: int) -> bool:
    """Whether a row under a spanning head can be its second line."""
    cells = grid.row(row)
    return len(cells) > 1 and not _states_facts(grid, row) and not any(is_numeric(cell.content.text) for cell in cells if cell.column > 0)
