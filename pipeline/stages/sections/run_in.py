"""Headings inside a line: after the end of a sentence, or where a line break was lost (``PAST HISTORY:, text,ALLERGIES:, text``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.sections.book import HeadingBook
from pipeline.stages.sections.candidates import Candidate, Form
from pipeline.stages.sections.wording import is_capitals, plain, printed

#: The stretch from a sign or a blank to a colon. Each repetition is bounded, so that hostile text costs no more than its length times the bound.
_BEFORE_COLON = re.compile(r"(?<=[.,;!?\])])(?P<gap>[ \t*_]{0,4})(?P<head>[A-Z][A-Za-z0-9&/'() \t-]{0,70}?)[ \t*_]{0,4}:[*_]{0,3}")
_CAPITALS_BEFORE_COLON = re.compile(
    r"(?<![A-Z&/,-])(?P<gap>[ \t]{1,8})(?P<head>[A-Z][A-Z&/'()-]{1,24}(?:[ \t]{1,2}[A-Z&/][A-Z&/'()-]{0,24}){0,5})[ \t]{0,3}:"
)
#: The heading had no colon, and both line breaks became commas.
_LOST_BREAK_AFTER = re.compile(r"(?:^|(?<=,))(?P<head>[A-Z][A-Z &/'()-]{3,50}),(?=\S)", re.MULTILINE)
_AFTER = re.compile(r"[ \t,]{0,8}")
_LAST_WORD = re.compile(r"[A-Za-z]+$")
#: "as described under FINDINGS: ..." names a heading and is none.
_NAMES_A_HEADING: Final = frozenset(
    ["the", "of", "see", "under", "in", "and", "no", "with", "for", "or", "per", "a", "an", "to", "from", "as", "by", "section"]
)
_MOST_WORDS: Final = 9
_LEAST_LETTERS_CAPITALS: Final = 6  # without any sign before it
_LEAST_LETTERS_TITLE: Final = 4
_LEAST_LETTERS_UNKNOWN: Final = 6


def run_in_headings(text: str, book: HeadingBook, *, shouting: bool) -> Iterator[Candidate]:
    """Yield what may be a heading inside a line; those of each pattern in turn, not in order."""
    for match in _BEFORE_COLON.finditer(text):
        found = _after_sign(text, match, book, shouting)
        if found is not None:
            yield found
    if shouting:
        return
    for match in _LOST_BREAK_AFTER.finditer(text):
        known = book.whole(match["head"])
        if known is not None and _letters(match["head"]) >= _LEAST_LETTERS_CAPITALS:
            yield _candidate(match, text, known)
    for match in _CAPITALS_BEFORE_COLON.finditer(text):
        known = _after_blank(text, match, book)
        if known is not None:
            yield _candidate(match, text, known)


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _after_sign(text: str, match: re.Match[str], book: HeadingBook, shouting: bool) -> Candidate | None:
    head = match["head"]
    letters = _letters(head)
    if len(head.split()) > _MOST_WORDS:
        return None
    before = text[match.start() - 1]
    lost_break, sentence_end = not match["gap"] and before == ",", bool(match["gap"]) and before in ".!?"
    capitals = is_capitals(head)
    section = book.whole(head) or (book.damaged(head) if capitals else None)
    if section is not None:
        proven = (capitals and letters > 1) or ((lost_break or sentence_end) and letters >= _LEAST_LETTERS_TITLE)
        return _candidate(match, text, section) if proven else None
    if book.is_inner(head):
        return _candidate(match, text, None, is_label=True) if lost_break or sentence_end else None
    if not lost_break or not capitals or shouting or book.is_label(head):
        return None
    if book.is_clinical and (section := book.contained(head)):
        return _candidate(match, text, section, is_weak=True)
    return _candidate(match, text, None) if letters >= _LEAST_LETTERS_UNKNOWN and len(plain(head).split()) > 1 else None


def _after_blank(text: str, match: re.Match[str], book: HeadingBook) -> Section | None:
    head = match["head"]
    before = _LAST_WORD.search(text, max(0, match.start() - 12), match.start())
    wide = len(match["gap"]) > 1
    if _letters(head) < _LEAST_LETTERS_CAPITALS or (before and not wide and before[0].lower() in _NAMES_A_HEADING):
        return None
    return book.whole(head)


def _candidate(match: re.Match[str], text: str, section: Section | None, *, is_label: bool = False, is_weak: bool = False) -> Candidate:
    after = _AFTER.match(text, match.end())
    head = match["head"]
    return Candidate(
        start=match.start("head"),
        heading_end=after.end() if after else match.end(),
        form=Form.RUN_IN,
        section=section,
        text=head,
        shown=printed(head),
        capitals=is_capitals(head),
        colon=True,
        is_label=is_label,
        is_weak=is_weak,
    )
