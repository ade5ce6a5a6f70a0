"""The marks of a de-identified part in, the rows of its tables out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart
from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.tables import TableRow


def table_rows(document: DeidentifiedDocument) -> list[TableRow]:
    """Return the rows of all tables, in order, each with one cell a column of its table (empty where nothing is printed)."""
    return [row for part in document.parts for row in _rows_of(part)]


def _rows_of(part: DeidentifiedPart) -> list[TableRow]:
    """Return a part's rows. A table that goes on behind a paragraph has several marks of one number: its rows are counted on."""
    pages = of_kind(part.marks, MarkKind.PAGE)
    starts = [page.start for page in pages]
    cells = of_kind(part.marks, MarkKind.TABLE_CELL)
    rows = of_kind(part.marks, MarkKind.TABLE_ROW)
    pieces: dict[int, list[Mark]] = defaultdict(list)
    for table in of_kind(part.marks, MarkKind.TABLE):
        pieces[table.number].append(table)
    found: list[TableRow] = []
    for table_number, marks in pieces.items():
        own = [cell for piece in marks for cell in _inside(cells, piece)]
        width = max((cell.number for cell in own), default=0)
        number = 0
        for index, row in enumerate(row for piece in marks for row in _inside(rows, piece)):
            values = _cells(part.text, width, _inside(cells, row))
            is_head = row.level > 0 and index == 0
            number += 0 if is_head else 1
            page = pages[bisect_right(starts, row.start) - 1].number if pages and starts[0] <= row.start else None
            found.append(TableRow(table_number, 0 if is_head else number, page, values))
    return found


def _inside(marks: Sequence[Mark], outer: Mark) -> list[Mark]:
    """Return those of the marks, in order of place, that lie within another."""
    first, last = (bisect_left(marks, offset, key=lambda mark: mark.start) for offset in (outer.start, outer.end))
    return [mark for mark in marks[first:last] if mark.end <= outer.end]


def _cells(text: str, width: int, marks: Iterable[Mark]) -> tuple[str, ...]:
    values = [""] * width
    for mark in marks:
        values[mark.number - 1] = text[mark.start : mark.end]
    return tuple(values)
