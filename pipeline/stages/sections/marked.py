"""Headings that the reader saw by typography: HEADING marks in, candidates with their levels out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.vocabulary import Section
from pipeline.stages.sections.book import HeadingBook
from pipeline.stages.sections.candidates import Candidate, Form
from pipeline.stages.sections.wording import LONGEST_HEADING, Number, is_capitals, number_of, printed

_CONTENTS_ENTRY = re.compile(r"(?:\.[ \t]?){3,}[ \t]*\d{0,4}\s*$")
_NEW_SENTENCE = re.compile(r"[a-z]{2}[.!?]\s+[A-Z]")
_CAPTION = re.compile(r"\s{0,8}(?i:table|figure|fig\.)\s{1,3}(?:[A-Z][-.]?)?(?:\d|[IVX]{1,4}\b)")
_IN_BRACKETS = re.compile(r"\s{0,8}\([^()]{0,120}\)\s{0,8}$")  # "(EMT, PARAMEDIC)" below a title
_FINITE = re.compile(r"\b(?:is|are|was|were|must|should|shall|may|will|has|have|can|cannot|did|does)\b")
_UNFINISHED = re.compile(r"(?:\b(?:and|of|for|at|to|with|in|or|the|by|on|from)|[,/–-])\s*$", re.IGNORECASE)
_MOST_WORDS_OF_CONTAINED: Final = 10  # a title tells of many things
_MOST_WORDS: Final = 24
_MOST_WORDS_OF_A_SENTENCE: Final = 6  # "Adult." and "Call base hospital." are printed as headings


def marked_headings(text: str, marks: Sequence[Mark], book: HeadingBook) -> list[Candidate]:
    """Return the marks that are headings. A number gives the level where there is one; a heading without takes that of the numbered ones that look like it."""
    found = list(_headings(text, marks, book))
    after: list[tuple[int, ...]] = [()] * len(found)  # the next heading's number, of those that count chapters
    last = max((one.number.parts[0] for one in found if one.number.depth > 1), default=0)
    number: tuple[int, ...] = ()
    for index in range(len(found) - 1, -1, -1):
        after[index] = number
        parts = found[index].number.parts
        if len(parts) > 1 or (parts and found[index].section is not None and parts[0] <= last + 1):
            number = parts
    before: tuple[int, ...] = ()
    for index, one in enumerate(found):
        if one.number.depth:
            before = one.number.parts if one.number.depth > 1 or one.section is not None else before
        elif before and after[index] and before < after[index] and after[index][0] <= before[0] + 1:
            found[index] = replace(one, level=max(one.level, len(before) + 1))  # between 4.1 and 4.2: inside 4.1, however large its letters
    return found


def _headings(text: str, marks: Sequence[Mark], book: HeadingBook) -> Iterator[Candidate]:
    depth_of: dict[int, int] = {}
    for mark in _joined(text, of_kind(marks, MarkKind.HEADING)):
        stretch = text[mark.start : mark.end]
        if not stretch.strip() or not _is_heading(stretch) or _is_label(stretch, book):
            continue
        body = stretch.lstrip(" \t#*_\n")
        number = number_of(body)
        if number.depth:
            depth_of[mark.level] = number.depth
        level = number.depth or depth_of.get(mark.level) or _below_known(depth_of, mark.level)
        heading, length, section, is_weak = _split(body[number.length :], book)
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
            is_weak=is_weak,
        )


def _joined(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Join a heading that ends in a small word with the one right below it: one heading on two lines."""
    joined: list[Mark] = []
    for mark in marks:
        if joined and _goes_on(text, joined[-1], mark):
            joined[-1] = replace(joined[-1], end=mark.end)
        else:
            joined.append(mark)
    return joined


def _goes_on(text: str, before: Mark, mark: Mark) -> bool:
    if text[before.end : mark.start].strip() or before.level != mark.level or mark.end - before.start > 2 * LONGEST_HEADING:
        return False
    return bool(_UNFINISHED.search(text[before.start : before.end])) and not number_of(text[mark.start : mark.end]).length


def _is_label(stretch: str, book: HeadingBook) -> bool:
    head, colon, _ = stretch.partition(":")
    return bool(colon) and book.is_label(head) and book.whole(head) is None


def _below_known(depth_of: dict[int, int], level: int) -> int:
    """The level of a heading whose look no numbered heading had: below those that look larger."""
    larger = [depth for known, depth in depth_of.items() if known < level]
    return max(larger) + 1 if larger else level


def _is_heading(stretch: str) -> bool:
    words = stretch.split()
    if len(stretch) > 3 * LONGEST_HEADING or len(words) > _MOST_WORDS or not any(letter.isalpha() for letter in stretch):
        return False
    if _CONTENTS_ENTRY.search(stretch) or _NEW_SENTENCE.search(stretch) or _CAPTION.match(stretch):
        return False
    if _IN_BRACKETS.match(stretch):
        return False
    number: Number = number_of(stretch.lstrip())
    body = stretch.strip()[number.length :]
    ends_like_one = body.rstrip("*_ ")[-1:] in (".", ";", ",")
    is_long = len(words) > _MOST_WORDS_OF_A_SENTENCE
    is_sentence = is_long and (ends_like_one or (not number.depth and bool(_FINITE.search(body))))
    return not is_sentence and not (body[:1].islower() and not number.length)


def _split(body: str, book: HeadingBook) -> tuple[str, int, Section | None, bool]:
    """Return the heading, its length, its section, and whether some of its words alone tell that. Where only the words before a colon are known, what follows is text."""
    whole = book.whole(body) or (book.damaged(body) if is_capitals(body) else None)
    head, colon, tail = body.partition(":")
    if whole is None and colon and tail.strip("*_ \t\n") and (section := book.whole(head)):
        return head, len(body) - len(tail.lstrip("*_ \t\n")), section, False
    contained = book.contained(body) if whole is None and len(body.split()) <= _MOST_WORDS_OF_CONTAINED else None
    return body, len(body), whole or contained, whole is None
