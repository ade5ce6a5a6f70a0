"""A table in, its lines out: ``Label: value; Label: value``, with the offsets of every value.

A table of two columns whose first holds labels is written ``label: value``, row by row, so that a label is read where its value is.

The text alone is not parsed back: a value may hold ``;`` or ``:`` as printed. The offsets say where a value starts and ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.stages.extract.content import Table, Word

_BETWEEN_NAMED: Final = "; "
_BETWEEN_UNNAMED: Final = " | "
_BETWEEN_PAIR: Final = ": "
#: Names of columns that say nothing of what stands in them.
_LABEL_COLUMN: Final = frozenset(
    {"attribute", "element", "field", "item", "key", "label", "parameter", "particular", "particulars", "topic"}
)
_VALUE_COLUMN: Final = frozenset({"answer", "content", "description", "detail", "details", "entry", "information", "response", "value"})
_PAIR: Final = 2
_LEAST_PAIRS: Final = 3  # without names: two rows of two are as often boxes of a chart
_HYPHENS: Final = ("\u00ad", "\ufffe")  # written as a hyphen where they are kept
_LABEL_CHARACTERS: Final = 40  # of a first cell that labels: more is a text set in two columns


@dataclass(frozen=True, slots=True)
class WrittenCell:
    """A value within its line: half-open characters of the line. ``column``: 1-based."""

    start: int
    end: int
    column: int


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """Where a word of the page stands in its line: half-open characters. Of a broken word each part has its own."""

    start: int
    end: int
    word: Word = field(repr=False)


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """One line and the values in it, left to right. The cells of a header row are the columns' names.

    ``words``: those of the values, where the table knows them; a cell that is said in several rows has its words in each.
    """

    text: str = field(repr=False)
    cells: tuple[WrittenCell, ...]
    is_header: bool = False
    words: tuple[WrittenWord, ...] = field(default=(), repr=False)


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
    pairs = _holds_pairs(table, labels)
    written = []
    if named and not table.continues:
        heads = [_header_words(table, column) for column in range(len(labels))]
        written.append(_line([("", label) for label in labels], heads, _BETWEEN_NAMED, is_header=True))
    for number, row in enumerate(table.rows[table.header_rows :], start=table.header_rows):
        cells = [("" if pairs else _before_colon(label), _one_line(value)) for label, value in zip(labels, row, strict=True)]
        if any(value for _, value in cells):
            words = table.words[number] if table.words else [()] * len(cells)
            written.append(_line(cells, words, _between(cells[0][1], named=named, pairs=pairs)))
    return WrittenTable(tuple(written))


def _holds_pairs(table: Table, labels: Sequence[str]) -> bool:
    """Whether a table has two columns, of labels and of values: by empty names of columns, or without names by its first cells."""
    if len(labels) != _PAIR:
        return False
    if any(labels):
        first, second = (_before_colon(label).lower() for label in labels)
        return first in _LABEL_COLUMN and second in _VALUE_COLUMN
    first_cells = [_one_line(row[0]) for row in table.rows if _one_line(row[1])]
    return len(set(first_cells)) == len(first_cells) >= _LEAST_PAIRS and all(_is_label(cell) for cell in first_cells)


def _is_label(cell: str) -> bool:
    return cell[:1].isalpha() and cell[-1] not in ".;,!?" and 1 < len(cell) <= _LABEL_CHARACTERS


def _between(first: str, *, named: bool, pairs: bool) -> str:
    if pairs:
        return " " if first.endswith(":") else _BETWEEN_PAIR
    return _BETWEEN_NAMED if named else _BETWEEN_UNNAMED


def column_labels(table: Table) -> tuple[str, ...]:
    """Return each column's name: its header cells from above, joined by a blank, one said twice in a row once; empty where it has none."""
    columns = len(table.rows[0]) if table.rows else 0
    labels = []
    for column in range(columns):
        parts: list[str] = []
        for row in range(table.header_rows):
            part = _one_line(table.rows[row][column])
            if part and not (parts and _is_said_again(table, row, column)):
                parts.append(part)
        labels.append(" ".join(parts))
    return tuple(labels)


def _is_said_again(table: Table, row: int, column: int) -> bool:
    """Whether a header cell is the one above it, merged over both rows: two that only read alike ("0" over "0") are both printed."""
    if not row or _one_line(table.rows[row][column]) != _one_line(table.rows[row - 1][column]):
        return False
    if not table.words:
        return True
    held, above = table.words[row][column], table.words[row - 1][column]
    return [id(word) for word in held] == [id(word) for word in above]


def _header_words(table: Table, column: int) -> tuple[Word, ...]:
    if not table.words:
        return ()
    words: list[Word] = []
    for row in range(table.header_rows):
        if not _is_said_again(table, row, column):
            words.extend(table.words[row][column])
    return tuple(words)


def _line(cells: Sequence[tuple[str, str]], words: Sequence[Sequence[Word]], between: str, *, is_header: bool = False) -> WrittenRow:
    text, marked, placed = "", [], []
    for column, ((label, value), held) in enumerate(zip(cells, words, strict=True), start=1):
        if not value:
            continue
        text += (between if text else "") + (f"{label}: " if label else "")
        marked.append(WrittenCell(len(text), len(text) + len(value), column))
        placed.extend(_placed(value, held, len(text)))
        text += value
    return WrittenRow(text, tuple(marked), is_header, tuple(placed))


def _placed(value: str, words: Sequence[Word], offset: int) -> list[WrittenWord]:
    """Return where words stand in a value that was made of them in this order; at most a hyphen at a word's end was left out."""
    placed, at = [], 0
    for word in words:
        at += value.startswith(" ", at)
        text = word.text[:-1] + ("-" if word.text[-1:] in _HYPHENS else word.text[-1:])
        if not value.startswith(text[:-1] or text, at):
            at = value.find(text, at)
            if at < 0:
                break
        length = len(text) if value.startswith(text, at) else len(text) - 1
        if length:
            placed.append(WrittenWord(offset + at, offset + at + length, word))
        at += length
    return placed


def _one_line(value: str) -> str:
    return " ".join(value.split())


def _before_colon(label: str) -> str:
    return label.removesuffix(":").rstrip()
