"""The marks of a de-identified part in, the rows of its tables out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart
from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.tables import TableRow


def table_rows(document: DeidentifiedDocument) -> list[TableRow]:
    """Return the rows of all tables, in order, each with one cell a column of its table (empty where nothing is printed)."""
    return [row for part in document.parts for row in _rows_of(part)]


def _rows_of(part: DeidentifiedPart) -> list[TableRow]:
    pages = of_kind(part.marks, MarkKind.PAGE)
    starts = [page.start for page in pages]
    cells = of_kind(part.marks, MarkKind.TABLE_CELL)
    rows = of_kind(part.marks, MarkKind.TABLE_ROW)
    found: list[TableRow] = []
    for table in of_kind(part.marks, MarkKind.TABLE):
        own = [cell for cell in cells if table.start <= cell.start and cell.end <= table.end]
        width = max((cell.number for cell in own), default=0)
        number = 0
        for row in rows:
            if not (table.start <= row.start and row.end <= table.end):
                continue
            values = _cells(part.text, width, (cell for cell in own if row.start <= cell.start and cell.end <= row.end))
            number += 0 if row.level else 1
            page = pages[bisect_right(starts, row.start) - 1].number if pages and starts[0] <= row.start else None
            found.append(TableRow(table.number, 0 if row.level else number, page, values))
    return found


def _cells(text: str, width: int, marks: Iterable[Mark]) -> tuple[str, ...]:
    values = [""] * width
    for mark in marks:
        values[mark.number - 1] = text[mark.start : mark.end]
    return tuple(values)
