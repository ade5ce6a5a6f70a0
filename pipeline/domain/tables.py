"""Rows of a document's tables, de-identified, as truth keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row. ``number`` counts from 1 within its table; 0 holds the names of the columns. ``cells``: as printed, one a column."""

    table_number: int
    number: int
    page: int | None
    cells: tuple[str, ...] = field(repr=False)
