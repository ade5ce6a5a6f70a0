"""Words in columns in, whether they are a table out: lists, letterheads, tables of contents and prose in columns stand in columns too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pipeline.stages.extract.tables.cells import is_numeric
from pipeline.stages.extract.tables.grid import Cell, Grid, header_rows

_LEAST_ROWS: Final = 3
_ROWS_WITHOUT_HEAD: Final = 4
_MOST_WORDS: Final = 8  # a cell, on the mean: more is prose in columns
_BULLETS: Final = frozenset("\u2022\u25cf\u25cb\u25aa\u25e6\uf0b7\u00b7o")
_ENUMERATION: Final = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})[.)\]]")


def is_plausible(grid: Grid, *, has_rules: bool) -> bool:
    """Return whether the evidence is strong. ``has_rules``: rules of its breadth stand above and below, or under its head."""
    heads = header_rows(grid)
    body = [cell for cell in grid.cells if cell.row >= heads]
    if grid.height - heads < 2 or grid.height < _LEAST_ROWS or len(body) * 2 < grid.width * (grid.height - heads):
        return False
    if any(sum(len(cell.content.words) for cell in part) > _MOST_WORDS * len(part) for part in (body, grid.row(0))):
        return False
    first = [cell.content.text for cell in body if cell.column == 0]
    if _is_list(body, grid.width, heads):
        return False
    if sum(text.endswith(":") for text in first) * 2 > len(first):
        return False  # labels and their values: a letterhead, a signature block, a form
    numeric = sum(_is_numeric_column(body, column) for column in range(1, grid.width))
    if heads:
        return has_rules or (bool(numeric) and grid.height - heads >= _LEAST_ROWS)
    return numeric > 0 and grid.width > 2 and grid.height >= _ROWS_WITHOUT_HEAD


def _is_list(body: Sequence[Cell], width: int, heads: int) -> bool:
    """Whether a column holds no more than a list's numbers or bullets; a first column with a name over it may."""
    if any(cell.content.text in _BULLETS for cell in body):
        return True
    for column in range(width):
        texts = [cell.content.text for cell in body if cell.column == column]
        numbered = sum(_ENUMERATION.fullmatch(text) is not None for text in texts) * 2 > len(texts)
        if numbered and (column > 0 or width == 2 or not heads):
            return True
    return False


def _is_numeric_column(cells: Sequence[Cell], column: int) -> bool:
    texts = [cell.content.text for cell in cells if cell.column == column]
    return len(texts) > 1 and sum(map(is_numeric, texts)) * 3 >= len(texts) * 2
