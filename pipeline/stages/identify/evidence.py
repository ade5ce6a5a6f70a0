"""Reading in, the bounded evidence out that identification looks at: title page, running headers and footers, opening text, headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.reading import ReadFile

#: Characters of the body that are looked at: a synopsis ends within them in the protocols that were measured.
OPENING_CHARACTERS: Final = 20_000
#: Characters of a title page. Pages 1 and 2 are read where there are pages; legal notices fill the first of some.
HEAD_CHARACTERS: Final = 8_000
#: A file without pages (HTML, DOCX, TXT) has its title page within these.
HEAD_WITHOUT_PAGES: Final = 3_000
HEAD_PAGES: Final = 2
FURNITURE_CHARACTERS: Final = 20_000
MOST_HEADINGS: Final = 400
_MOST_TITLE_LINES: Final = 5
#: A title that ends so goes on.
DANGLING: Final = re.compile(r"(?i)(?:\b(?:and|or|of|from|for|the|a|an|to|with|in|at|by|on)|[/,&-])\Z")
#: Characters of a line before a value that may say whose it is.
LOOK_BACK: Final = 60
#: Longer lines are prose that no label begins; cutting them bounds every pattern.
LINE_CHARACTERS: Final = 2_000

#: One sign for one sign, so that offsets hold: hyphens and dashes, the hyphen that PDFium writes at a line end, blanks.
_ALIKE: Final = str.maketrans(
    {**dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufffe\u00ad", "-"), **dict.fromkeys("\u00a0\u2007\u202f\t", " ")}
)


class Place(IntEnum):
    """Where a line stands; a lower one is better evidence of what is the document's own."""

    HEAD = 0
    FURNITURE = 1
    OPENING = 2


@dataclass(frozen=True, slots=True)
class Line:
    """One line, dashes and blanks made alike. ``level``: of a heading, by typography, 1 the highest; 0: it is none. ``is_row``: of a table."""

    text: str = field(repr=False)
    page: int | None
    place: Place
    level: int = 0
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What may be looked at. ``head`` and ``opening`` do not overlap."""

    head: tuple[Line, ...] = field(repr=False)
    furniture: tuple[Line, ...] = field(repr=False)
    opening: tuple[Line, ...] = field(repr=False)
    headings: tuple[str, ...] = field(repr=False)
    stated_title: str = field(repr=False)
    marked_title: str = field(repr=False)

    def stretches(self) -> tuple[Stretch, ...]:
        """Return head, furniture and opening as texts: the best place first."""
        return tuple(Stretch(lines) for lines in (self.head, self.furniture, self.opening))


class Stretch:
    """Lines of one place as one text, so that a label may end a line and its value begin the next."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        """Join lines by line ends."""
        self.lines = lines
        self.text = "\n".join(line.text for line in lines)
        self._starts: list[int] = []
        offset = 0
        for line in lines:
            self._starts.append(offset)
            offset += len(line.text) + 1

    def line_at(self, offset: int) -> Line:
        """Return the line that an offset of ``text`` lies in."""
        return self.lines[bisect_right(self._starts, offset) - 1]

    def before(self, offset: int, characters: int) -> str:
        """Return what stands before an offset in its own line, at most so many characters of it."""
        start = self._starts[bisect_right(self._starts, offset) - 1]
        return self.text[max(start, offset - characters) : offset]


def gather(read: ReadFile) -> Evidence:
    """Return the evidence of a file. Takes time in proportion to the bounds above, whatever the file's length."""
    pages = of_kind(read.marks, MarkKind.PAGE)
    end = _head_end(read.text, pages)
    levels = {one.start: one.level for one in of_kind(read.marks, MarkKind.HEADING)}
    rows = frozenset(one.start for one in read.marks if one.kind is MarkKind.TABLE_ROW and one.start < end)
    head = _lines(read.text[:end], 0, pages, Place.HEAD, levels, rows)
    opening = _lines(read.text[end:OPENING_CHARACTERS], end, pages, Place.OPENING)
    furniture = _lines(read.furniture[:FURNITURE_CHARACTERS], 0, of_kind(read.furniture_marks, MarkKind.PAGE), Place.FURNITURE)
    headings = tuple(_alike(read.text[one.start : one.end]) for one in of_kind(read.marks, MarkKind.HEADING)[:MOST_HEADINGS])
    titles = [one for one in of_kind(read.marks, MarkKind.TITLE) if one.start < end]
    return Evidence(
        head=head,
        furniture=furniture,
        opening=opening,
        headings=headings,
        stated_title=_alike(read.title),
        marked_title=" ".join(_alike(read.text[one.start : one.end]) for one in titles[:1]) or _highest_heading(read, end),
    )


def _highest_heading(read: ReadFile, end: int) -> str:
    """Return the first of the highest headings of the title page: by typography it is the title where no title is marked.

    Where it ends in the middle, the headings of its level that follow at once are its further lines.
    """
    found = [one for one in of_kind(read.marks, MarkKind.HEADING) if one.start < end]
    if not found:
        return ""
    best = min(found, key=lambda one: (one.level, one.start))
    parts = [_alike(read.text[best.start : best.end])]
    last = best
    for one in found[found.index(best) + 1 :]:
        if one.level != best.level or read.text[last.end : one.start].strip() or not DANGLING.search(parts[-1]):
            break
        parts.append(_alike(read.text[one.start : one.end]))
        last = one
    return " ".join(parts[:_MOST_TITLE_LINES])


def _head_end(text: str, pages: list[Mark]) -> int:
    if not pages:
        return min(len(text), HEAD_WITHOUT_PAGES)
    return min(pages[min(HEAD_PAGES, len(pages)) - 1].end, HEAD_CHARACTERS)


def _alike(text: str) -> str:
    return " ".join(text[:LINE_CHARACTERS].translate(_ALIKE).split())


def _lines(
    text: str,
    offset: int,
    pages: list[Mark],
    place: Place,
    levels: Mapping[int, int] = MappingProxyType({}),
    rows: frozenset[int] = frozenset(),
) -> tuple[Line, ...]:
    """Return the lines that are not blank, each with its page."""
    starts = [one.start for one in pages]
    found: list[Line] = []
    for raw in text.split("\n"):
        if line := _alike(raw):
            index = bisect_right(starts, offset) - 1
            found.append(Line(line, pages[index].number if index >= 0 else None, place, levels.get(offset, 0), offset in rows))
        offset += len(raw) + 1
    return tuple(found)
