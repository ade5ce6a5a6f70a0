"""Stand-off annotations of a text: what a reader saw beside the characters. Offsets are half-open, in characters of the text they belong to.

A text keeps its marks through de-identification: ``moved`` gives them the offsets of the scrubbed text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pipeline.domain.phi import Replacement


class MarkKind(StrEnum):
    """What a mark says of its stretch."""

    PAGE = "page"  # number: 1-based; pages follow each other without gap; reading and confidence of the page
    TITLE = "title"  # the document's own title, by typography
    HEADING = "heading"  # level: 1 is the highest; the stretch is the heading's line(s)
    LIST_ITEM = "list_item"  # level: nesting, from 1
    TABLE = "table"  # number: 1-based over the document
    TABLE_ROW = "table_row"  # number: 1-based within its table; level 1: a header row
    TABLE_CELL = "table_cell"  # number: 1-based column; level 1: a header cell. The stretch is the value, without its label
    FIGURE = "figure"  # number: 1-based over the document; the stretch is caption and recognised text
    WORD = "word"  # of a page read by OCR: confidence
    CODED = "coded"  # what a vocabulary calls a code, of a FHIR resource: the vocabulary's words, not a person's
    MEASURE = "measure"  # a number of many digits that a FHIR resource gives as an amount, with its unit
    SUSPECT = "suspect"  # a number or unit that OCR is not sure of: confidence


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """One annotation. Holds no text."""

    start: int
    end: int
    kind: MarkKind
    number: int = 0
    level: int = 0
    confidence: float = 1.0  # 0..1
    reading: str = ""  # a ``Reading`` where the kind says so


def moved(marks: Sequence[Mark], replacements: Sequence[Replacement]) -> tuple[Mark, ...]:
    """Return marks with the offsets of the de-identified text. A boundary inside a replaced stretch moves to that stretch's edge."""
    if not replacements:
        return tuple(marks)
    starts = [one.source_start for one in replacements]

    def place(offset: int, *, is_end: bool) -> int:
        index = bisect_right(starts, offset) - 1
        if index < 0:
            return offset
        one = replacements[index]
        if offset < one.source_end and offset > one.source_start:
            return one.end if is_end else one.start
        if offset == one.source_start:
            return one.start
        return one.end + offset - one.source_end

    return tuple(replace(mark, start=place(mark.start, is_end=False), end=place(mark.end, is_end=True)) for mark in marks)


def of_kind(marks: Iterable[Mark], *kinds: MarkKind) -> list[Mark]:
    """Return the marks of some kinds, in order of place, an outer one before those inside it."""
    return sorted((mark for mark in marks if mark.kind in kinds), key=lambda mark: (mark.start, -mark.end))


def inside(marks: Sequence[Mark], start: int, end: int) -> list[Mark]:
    """Return those marks (in order of place) that share a character with the stretch."""
    return [mark for mark in marks if mark.start < end and start < mark.end]
