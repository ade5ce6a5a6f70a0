"""Headings, paragraphs, list items and tables in, one text with marks out: for formats that flow and have no pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.stages.extract.content import Box, Table
from pipeline.stages.extract.tables.rows import write_rows

#: Flowing formats have no places on paper.
_NOWHERE: Final = Box(0.0, 0.0, 0.0, 0.0)
_MAX_LEVEL: Final = 6


@dataclass(slots=True)
class Flow:
    """Collects a text in reading order. Blanks at the ends of a stretch are left out; an empty stretch is none."""

    marks: list[Mark] = field(default_factory=list, repr=False)
    _parts: list[str] = field(default_factory=list, repr=False)
    _length: int = 0
    _tables: int = 0
    _in_list: bool = False

    def paragraph(self, text: str) -> None:
        """Add a paragraph. It may have several lines: breaks that the author set."""
        self._add(text.strip(), "\n\n")

    def heading(self, text: str, level: int) -> None:
        """Add a heading, 1 the highest."""
        text = " ".join(text.split())
        if text:
            start = self._add(text, "\n\n")
            self.marks.append(Mark(start, self._length, MarkKind.HEADING, level=min(max(level, 1), _MAX_LEVEL)))

    def list_item(self, text: str, level: int) -> None:
        """Add an item of a list, ``level`` from 1: a line of its own."""
        text = text.strip()
        if text:
            start = self._add(text, "\n" if self._in_list or self._ends_with_colon() else "\n\n")
            self.marks.append(Mark(start, self._length, MarkKind.LIST_ITEM, level=max(level, 1)))
            self._in_list = True

    def table(self, rows: Sequence[Sequence[str]], header_rows: int) -> None:
        """Add a table, its rows of any length."""
        width = max(map(len, rows), default=0)
        cells = tuple((*row, *[""] * (width - len(row))) for row in rows)
        written = [row for row in write_rows(Table(cells, header_rows, _NOWHERE)).rows if row.text]
        if not written:
            return
        self._tables += 1
        first = len(self.marks)
        begin = 0
        for number, row in enumerate(written, start=1):
            start = self._add(row.text, "\n\n" if number == 1 else "\n")
            begin = start if number == 1 else begin
            level = 1 if row.is_header else 0
            self.marks.append(Mark(start, self._length, MarkKind.TABLE_ROW, number=number, level=level))
            cells_of_row = [Mark(start + one.start, start + one.end, MarkKind.TABLE_CELL, one.column, level) for one in row.cells]
            self.marks += cells_of_row
        self.marks.insert(first, Mark(begin, self._length, MarkKind.TABLE, number=self._tables))

    def file(self, *, title: str = "", furniture: Sequence[str] = (), notices: Sequence[str] = ()) -> ReadFile:
        """Return what was collected. ``furniture``: running headers and footers; one said twice is kept once."""
        lines = dict.fromkeys(line for line in (" ".join(one.split()) for one in furniture) if line)
        return ReadFile(
            text="".join(self._parts),
            marks=tuple(self.marks),
            furniture="\n".join(lines),
            title=" ".join(title.split()),
            notices=tuple(sorted(set(notices))),
        )

    def _add(self, text: str, before: str) -> int:
        """Append a stretch after a break; return where it starts."""
        if not text:
            return self._length
        lead = before if self._length else ""
        self._parts += (lead, text)
        start = self._length + len(lead)
        self._length = start + len(text)
        self._in_list = False
        return start

    def _ends_with_colon(self) -> bool:
        return bool(self._parts) and self._parts[-1].endswith(":")


_SUPERSCRIPTS: Final = str.maketrans("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")


def raised(text: str) -> str:
    """Return what is set as a superscript, as signs that stay raised without typography: 10 to the 9th never becomes 109."""
    stripped = text.strip()
    return text.translate(_SUPERSCRIPTS) if stripped and all(ord(sign) in _SUPERSCRIPTS for sign in stripped) else text
