"""Rows of tables as truth keeps them: the rows of a table are counted once, over all its pieces."""

from uuid import UUID

from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart, Facets
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.tables import TableRow
from pipeline.domain.vocabulary import DocumentKind, Reading
from pipeline.stages.assemble import table_rows

HEAD = "Ward; Beds"


def part(*pieces: tuple[int, list[tuple[str, int]]], between: str = "Text.") -> DeidentifiedPart:
    """A part with pieces of tables: a table's number, and its rows with their levels; cells are parted by ``;``."""
    text, marks = "", []
    for table, rows in pieces:
        begin = len(text)
        for row, level in rows:
            start = len(text)
            text += row + "\n"
            marks.append(Mark(start, start + len(row), MarkKind.TABLE_ROW, level=level))
            at = start
            for column, cell in enumerate(row.split("; "), start=1):
                marks.append(Mark(at, at + len(cell), MarkKind.TABLE_CELL, number=column, level=level))
                at += len(cell) + 2
        marks.append(Mark(begin, len(text) - 1, MarkKind.TABLE, number=table))
        text += f"\n{between}\n\n"
    return DeidentifiedPart("text", text, None, Reading.TEXT_LAYER, 1.0, marks=tuple(marks))


def rows(*parts: DeidentifiedPart) -> list[TableRow]:
    document = DeidentifiedDocument(UUID(int=1), "documents", "a.pdf", DocumentKind.PAPER, "", parts, Facets(), "", "", "")
    return table_rows(document)


def test_rows_are_counted_within_their_table_and_its_head_is_row_nought() -> None:
    found = rows(part((1, [(HEAD, 1), ("North; 4", 0), ("South; 5", 0)]), (2, [("Left; 1", 0)])))
    assert [(row.table_number, row.number, row.cells) for row in found] == [
        (1, 0, ("Ward", "Beds")),
        (1, 1, ("North", "4")),
        (1, 2, ("South", "5")),
        (2, 1, ("Left", "1")),
    ]


def test_a_table_that_goes_on_behind_a_paragraph_is_counted_on() -> None:
    found = rows(part((1, [(HEAD, 1), ("North; 4", 0)]), (1, [("South; 5; shut", 0)])))
    assert [(row.number, row.cells) for row in found] == [(0, ("Ward", "Beds", "")), (1, ("North", "4", "")), (2, ("South", "5", "shut"))]


def test_a_second_head_is_a_row_of_its_own() -> None:
    assert [row.number for row in rows(part((1, [(HEAD, 1), (HEAD, 1), ("North; 4", 0)])))] == [0, 1, 2]
