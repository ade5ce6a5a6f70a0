"""Lines come in, entries go out: headers, list items with their continuation lines, and paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Final

from pipeline.stages.chunking.headers import Header, read_header
from pipeline.stages.chunking.lines import Line, Mark, lenient_start, read_lines, read_marks
from pipeline.stages.chunking.markup import Folded
from pipeline.stages.chunking.passage import Passage, passage
from pipeline.stages.chunking.runon import lost_breaks
from pipeline.stages.chunking.scope import read_label


class Kind(StrEnum):
    """What an entry is on the page."""

    HEADER = "header"
    ITEM = "item"  # with a list mark
    TEXT = "text"  # without


@dataclass(slots=True)
class Entry:
    """One unit of the page. ``ranges`` are its lines without marks, half-open in the folded text, in order."""

    kind: Kind
    ranges: list[tuple[int, int]]
    indent: int
    marks: tuple[Mark, ...] = ()
    header: Header | None = None
    passage: Passage | None = field(default=None, repr=False)
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Page:
    """All entries of a text, and what its layout is like."""

    entries: tuple[Entry, ...]
    hard_wrapped: bool
    run_on: bool


_SIGN_START: Final = re.compile(r"[<>≤≥=±≦≧＜＞]")
_CONNECTOR: Final = re.compile(r"(?:and|or|and/or)\s*[:,.]?", re.IGNORECASE)
_COLON_END: Final = re.compile(r"[:：]\s*[-–—]?\s*\Z")
_CONTENT_INDENT: Final = 2  # a paragraph this much deeper than its bullet belongs to the item
_WRAP_WIDTHS: Final = range(60, 131)  # the registry's XML wraps at 100 columns; nobody wraps wider than 130
_WRAP_SLACK: Final = 3
_NEAR_WRAP: Final = 0.8
_MIN_WRAPPED_LINES: Final = 1  # long lines that go on in small letters


def ends_with_colon(text: str) -> bool:
    """Whether a text ends with a colon, dashes after it apart."""
    return _COLON_END.search(text) is not None


def read_page(folded: Folded) -> Page:
    """Find the entries of a text."""
    text = folded.text
    breaks = lost_breaks(text)
    lines = read_lines(text, breaks)
    wrap = _wrap_width(text, lines)
    entries: list[Entry] = []
    block: list[Line] = []
    for line, header in _with_headers(text, lines):
        if header is None:
            block.append(line)
            continue
        entries += _entries(folded, block, wrap)
        block = []
        stop = _end_of_header(text, line, lenient_start(text, line) + header.length)
        entries.append(Entry(Kind.HEADER, [(line.start, stop)], line.indent, header=header))
        if stop < line.end:  # what stands on a header's line after it is the first line of its block
            block.append(replace(line, start=stop, fresh=True, marks=()))
    entries += _entries(folded, block, wrap)
    for entry in entries:
        entry.passage = passage(folded, entry.ranges)
        entry.text = entry.passage.text
    return Page(tuple(entries), hard_wrapped=wrap is not None, run_on=bool(breaks))


def _with_headers(text: str, lines: list[Line]) -> list[tuple[Line, Header | None]]:
    found: list[tuple[Line, Header | None]] = []
    for index, line in enumerate(lines):
        start = lenient_start(text, line)
        bulleted = start > line.start
        before = text[lines[index - 1].end - 1] if index else "."
        fresh = line.fresh or bulleted or before in ".;:"
        found.append((line, read_header(text[start : line.end], bulleted=bulleted, fresh=fresh)))
    return found


def _end_of_header(text: str, line: Line, stop: int) -> int:
    """Return where text begins after a header, its emphasis marks and blanks apart."""
    while stop < line.end and (text[stop].isspace() or text[stop] in "*_"):
        stop += 1
    return stop


def _wrap_width(text: str, lines: list[Line]) -> int | None:
    """Return the width that a text was wrapped to, or ``None`` where its lines are as long as their paragraphs."""
    width = max((line.width for line in lines), default=0)
    if width not in _WRAP_WIDTHS:
        return None
    cut_inside = sum(
        line.width >= width * _NEAR_WRAP and not following.fresh and text[following.start].islower() for line, following in pairwise(lines)
    )
    return width if cut_inside >= _MIN_WRAPPED_LINES else None


def _entries(folded: Folded, block: list[Line], wrap: int | None) -> list[Entry]:
    text = folded.text
    entries: list[Entry] = []
    lines = read_marks(text, block, folded.escaped)
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        before = lines[index - 1] if index else None
        if entries and before and _continues(text, entries[-1], before, line, following, wrap):
            entries[-1].ranges.append((line.start, line.end))
        else:
            kind = Kind.ITEM if line.marks else Kind.TEXT
            entries.append(Entry(kind, [(line.start, line.end)], line.indent, line.marks))
    return entries


def _continues(text: str, entry: Entry, before: Line, line: Line, following: Line | None, wrap: int | None) -> bool:
    """Whether ``line`` goes on with ``entry``, whose last line is ``before``."""
    content = text[line.start : line.end]
    if line.marks:
        return False
    if _CONNECTOR.fullmatch(content) or (_SIGN_START.match(content) and not line.fresh):
        return True
    colon_before = ends_with_colon(text[before.start : before.end])
    deeper = entry.kind is Kind.ITEM and line.indent >= entry.indent + _CONTENT_INDENT
    if line.fresh:
        return deeper and not colon_before
    wrapped = wrap is not None and before.width + 1 + len(content.split(maxsplit=1)[0]) > wrap - _WRAP_SLACK
    if wrapped or content[0].islower():
        return True
    if entry.kind is Kind.TEXT:
        return False
    return not (_is_label(content, line, following) and line.indent < entry.indent + _CONTENT_INDENT) and not (deeper and colon_before)


def _is_label(content: str, line: Line, following: Line | None) -> bool:
    """Whether a line without mark after an item names what comes next, and is not the item's continuation."""
    colon = ends_with_colon(content)
    if read_label(content.rstrip(" :：-–—"), colon=colon):
        return True
    return colon and following is not None and bool(following.marks)


def read_prose(folded: Folded) -> Page:
    """Find paragraphs and list items of prose, where nothing is a header."""
    lines = read_lines(folded.text)
    wrap = _wrap_width(folded.text, lines)
    entries = _entries(folded, lines, wrap)
    for entry in entries:
        entry.passage = passage(folded, entry.ranges)
        entry.text = entry.passage.text
    return Page(tuple(entries), hard_wrapped=wrap is not None, run_on=False)
