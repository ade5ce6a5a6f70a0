"""A table in, its lines out: ``Label: value; Label: value``, with the offsets of every value.

The text alone is not parsed back: a value may hold ``;`` or ``:`` as printed. The offsets say where a value starts and ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.stages.extract.content import Table

_BETWEEN_NAMED: Final = "; "
_BETWEEN_UNNAMED: Final = " | "


@dataclass(frozen=True, slots=True)
class WrittenCell:
    """A value within its line: half-open characters of the line. ``column``: 1-based."""

    start: int
    end: int
    column: int


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """One line and the values in it, left to right. The cells of a header row are the columns' names."""

    text: str = field(repr=False)
    cells: tuple[WrittenCell, ...]
    is_header: bool = False


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """The lines of a table. A table that continues another has no header line, but its values keep their labels."""

    rows: tuple[WrittenRow, ...]

    @property
    def text(self) -> str:
        """All lines, one a row."""
        return "\n".join(row.text for row in self.rows)


def write_rows(table: Table) -> WrittenTable:
    """Return the lines of a table: the header once, then each row that holds a value. Empty cells are left out."""
    labels = column_labels(table)
    named = any(labels)
    written = []
    if named and not table.continues:
        written.append(_line([("", label) for label in labels], _BETWEEN_NAMED, is_header=True))
    for row in table.rows[table.header_rows :]:
        cells = [(_before_colon(label), _one_line(value)) for label, value in zip(labels, row, strict=True)]
        if any(value for _, value in cells):
            written.append(_line(cells, _BETWEEN_NAMED if named else _BETWEEN_UNNAMED))
    return WrittenTable(tuple(written))


def column_labels(table: Table) -> tuple[str, ...]:
    """Return each column's name: its header cells from above, joined by a blank, one said twice in a row once; empty where it has none."""
    columns = len(table.rows[0]) if table.rows else 0
    labels = []
    for column in range(columns):
        parts: list[str] = []
        for row in table.rows[: table.header_rows]:
            part = _one_line(row[column])
            if part and (not parts or parts[-1] != part):
                parts.append(part)
        labels.append(" ".join(parts))
    return tuple(labels)


def _line(cells: Sequence[tuple[str, str]], between: str, *, is_header: bool = False) -> WrittenRow:
    text, marked = "", []
    for column, (label, value) in enumerate(cells, start=1):
        if not value:
            continue
        text += (between if text else "") + (f"{label}: " if label else "")
        marked.append(WrittenCell(len(text), len(text) + len(value), column))
        text += value
    return WrittenRow(text, tuple(marked), is_header)


def _one_line(value: str) -> str:
    return " ".join(value.split())


def _before_colon(label: str) -> str:
    return label.removesuffix(":").rstrip()
