"""Bytes of a text file in, its text out, byte for byte but for line ends; of Markdown, its headings and list items are marked where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.plain_text import plain_text
from pipeline.domain.reading import ReadFile

# CommonMark 0.31: 4.2 (ATX headings), 4.3 (setext headings), 4.5 (fences), 5.2 (list markers).
_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM: Final = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_NO_PARAGRAPH: Final = re.compile(r"\s*(?:$|[>|#]|[-*+][ \t]|\d{1,9}[.)][ \t])")
_INDENT: Final = 2  # columns of one level of nesting, at the least
_TAB: Final = 4


def read_text(data: bytes) -> ReadFile:
    """Return a plain text. It has no marks: what is a heading in it, its sections' rules say.

    Raises:
        RecordError: ``not_utf8`` or ``no_text``.
    """
    return ReadFile(plain_text(data))


def read_markdown(data: bytes) -> ReadFile:
    """Return a Markdown text as it is written, with marks. Its first heading of level 1 is its title.

    Raises:
        RecordError: ``not_utf8`` or ``no_text``.
    """
    text = plain_text(data)
    marks = sorted(_marks(text))
    first = next((mark for mark in marks if mark.kind is MarkKind.HEADING and mark.level == 1), None)
    return ReadFile(text, marks=tuple(marks), title=" ".join(text[first.start : first.end].split()) if first else "")


def _marks(text: str) -> Iterator[Mark]:
    """Yield marks of headings (without their signs) and list items (with them), line by line; none inside a fence."""
    fence = ""
    before: tuple[int, str] | None = None  # start and text of a line that an underline would make a heading
    in_paragraph = False  # an underline below several lines is a rule far more often than a heading of all of them
    start = 0
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            if opening and opening[1].startswith(fence) and not line[opening.end() :].strip():
                fence = ""
            before, in_paragraph = None, False
        elif opening:
            fence, before, in_paragraph = opening[1], None, False
        else:
            mark = _heading(line, start) or _underlined(line, before) or _item(line, start)
            if mark:
                yield mark
            is_words = mark is None and not _NO_PARAGRAPH.match(line)
            before = (start, line) if is_words and not in_paragraph else None
            in_paragraph = is_words
        start += len(line) + 1


def _heading(line: str, start: int) -> Mark | None:
    found = _ATX.match(line)
    if not found or not found[2]:
        return None
    return Mark(start + found.start(2), start + found.end(2), MarkKind.HEADING, level=len(found[1]))


def _underlined(line: str, before: tuple[int, str] | None) -> Mark | None:
    found = _UNDERLINE.match(line)
    if not found or before is None:
        return None
    start, above = before
    lead = len(above) - len(above.lstrip())
    return Mark(start + lead, start + len(above.rstrip()), MarkKind.HEADING, level=1 if found[1][0] == "=" else 2)


def _item(line: str, start: int) -> Mark | None:
    found = _ITEM.match(line)
    if not found:
        return None
    level = 1 + len(found[1].expandtabs(_TAB)) // _INDENT
    return Mark(start + found.end(1), start + len(line.rstrip()), MarkKind.LIST_ITEM, level=level)
