"""Headings that the reader saw by typography: HEADING marks in, candidates with their levels out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.vocabulary import Section
from pipeline.stages.sections.book import HeadingBook
from pipeline.stages.sections.candidates import Candidate, Form
from pipeline.stages.sections.wording import LONGEST_HEADING, Number, is_capitals, number_of, printed

_CONTENTS_ENTRY = re.compile(r"(?:\.[ \t]?){3,}[ \t]*\d{0,4}\s*$")
_NEW_SENTENCE = re.compile(r"[a-z]{2}[.!?]\s+[A-Z]")
_MOST_WORDS: Final = 24
_MOST_WORDS_OF_A_SENTENCE: Final = 6  # "Adult." and "Call base hospital." are printed as headings


def marked_headings(text: str, marks: Sequence[Mark], book: HeadingBook) -> Iterator[Candidate]:
    """Yield the marks that are headings. A number gives the level where there is one; a heading without takes that of the numbered ones that look like it."""
    depth_of: dict[int, int] = {}
    for mark in of_kind(marks, MarkKind.HEADING):
        stretch = text[mark.start : mark.end]
        if not stretch.strip() or not _is_heading(stretch):
            continue
        body = stretch.lstrip(" \t#*_\n")
        number = number_of(body)
        if number.depth:
            depth_of[mark.level] = number.depth
        level = number.depth or depth_of.get(mark.level) or _below_known(depth_of, mark.level)
        heading, length, section = _split(body[number.length :], book)
        lead = len(stretch) - len(body) + number.length
        yield Candidate(
            start=mark.start,
            heading_end=mark.start + lead + length,
            form=Form.MARKED,
            section=section,
            text=heading,
            shown=printed(body[: number.length + len(heading)]),
            capitals=is_capitals(heading),
            colon=heading.rstrip().endswith(":"),
            number=number,
            level=max(level, 1),
        )


def _below_known(depth_of: dict[int, int], level: int) -> int:
    """The level of a heading whose look no numbered heading had: below those that look larger."""
    larger = [depth for known, depth in depth_of.items() if known < level]
    return max(larger) + 1 if larger else level


def _is_heading(stretch: str) -> bool:
    words = stretch.split()
    if len(stretch) > 3 * LONGEST_HEADING or len(words) > _MOST_WORDS or not any(letter.isalpha() for letter in stretch):
        return False
    if _CONTENTS_ENTRY.search(stretch) or _NEW_SENTENCE.search(stretch):
        return False
    number: Number = number_of(stretch.lstrip())
    body = stretch.strip()[number.length :]
    ends_like_one = body.rstrip("*_ ")[-1:] in (".", ";", ",")
    return not (ends_like_one and len(words) > _MOST_WORDS_OF_A_SENTENCE) and not (body[:1].islower() and not number.length)


def _split(body: str, book: HeadingBook) -> tuple[str, int, Section | None]:
    """Return the heading, its length and its section. Where only the words before a colon are known, what follows is text."""
    whole = book.whole(body)
    head, colon, tail = body.partition(":")
    if whole is None and colon and tail.strip("*_ \t\n") and (section := book.whole(head)):
        return head, len(body) - len(tail.lstrip("*_ \t\n")), section
    return body, len(body), whole or book.contained(body)
