"""A de-identified document in, its sections out: they cover each part without gap or overlap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pipeline.domain.documents import FURNITURE_PART, DeidentifiedDocument
from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.sections import SectionSpan
from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.stages.sections.book import HeadingBook, heading_book
from pipeline.stages.sections.candidates import Candidate
from pipeline.stages.sections.lines import line_headings
from pipeline.stages.sections.marked import marked_headings
from pipeline.stages.sections.outline import Entry, Outline
from pipeline.stages.sections.resource import resource_section
from pipeline.stages.sections.rules import section_rules
from pipeline.stages.sections.run_in import run_in_headings

#: Of the letters of a text. Notes with sentences have 5 to 25 % of capitals, those typed in capitals over 90 %.
_SHOUTING_SHARE = 0.8
_SENTENCE = re.compile(r"\s{0,40}[A-Z\d][^.:\n]{0,60}(?:[ \t][^ .:\t\n]{1,40}){4,40}\.(?:\s|$)")
_HAVE_TITLE_PAGE = (DocumentKind.PROTOCOL, DocumentKind.STATISTICAL_ANALYSIS_PLAN, DocumentKind.PAPER)


class SectionFinder:
    """Implements ``pipeline.domain.sections.Sectioner``: typography where the file had it, the text of lines where not."""

    @property
    def version(self) -> str:
        """The rules' version and the first digits of the data's hash."""
        return section_rules().version

    def sections(self, document: DeidentifiedDocument) -> tuple[SectionSpan, ...]:
        """Return the sections of all parts but ``furniture``, in order. Takes time in proportion to the text."""
        return tuple(
            span
            for part in document.parts
            if part.name != FURNITURE_PART
            for span in part_sections(part.name, part.text, part.marks, document.kind)
        )


def part_sections(name: str, text: str, marks: Sequence[Mark], kind: DocumentKind) -> list[SectionSpan]:
    """Return the sections of one part; a part without text has none."""
    if not text:
        return []
    if (known := resource_section(name, text)) is not None:
        return [known]
    book = heading_book(kind)
    entries = Outline(book).take_all(_candidates(text, marks, book))
    first = entries[0].candidate.start if entries else len(text)
    spans: list[SectionSpan] = []
    if text[:first].strip() or not entries:
        front = _front(text[:first], entries, kind)
        spans.append(SectionSpan(name, 0, first, front, heading_end=0))
    starts = [entry.candidate.start for entry in entries]
    if entries and not spans:
        starts[0] = 0
    for entry, (start, end) in zip(entries, pairwise([*starts, len(text)]), strict=True):
        spans.append(_span(name, text, entry, start, end))
    return spans


def _front(text: str, entries: Sequence[Entry], kind: DocumentKind) -> Section:
    """Return what stands before the first heading. A radiology report that begins with a sentence begins with its findings, if nothing else is called so."""
    if entries and kind in _HAVE_TITLE_PAGE:
        return Section.TITLE_PAGE
    if kind is DocumentKind.RADIOLOGY_REPORT and _SENTENCE.match(text) and all(entry.section is not Section.FINDINGS for entry in entries):
        return Section.FINDINGS
    return Section.NOTE_TEXT


def _span(name: str, text: str, entry: Entry, start: int, end: int) -> SectionSpan:
    heading_end = min(entry.candidate.heading_end, end)
    while heading_end < end and (text[heading_end].isspace() or text[heading_end] == ":"):
        heading_end += 1
    return SectionSpan(name, start, end, entry.section, heading_end, entry.level, entry.path)


def _candidates(text: str, marks: Sequence[Mark], book: HeadingBook) -> list[Candidate]:
    """Return the candidates in order of place; where two share a character, typography wins, then the one that begins its line."""
    letters = sum(map(str.isalpha, text))
    shouting = sum(map(str.isupper, text)) > _SHOUTING_SHARE * letters
    marked = marked_headings(text, marks, book)
    plain = [*line_headings(text, book, shouting=shouting), *run_in_headings(text, book, shouting=shouting)]
    masks = of_kind(marks, MarkKind.HEADING, MarkKind.TITLE, MarkKind.TABLE, MarkKind.FIGURE)
    found = sorted([*marked, *_outside(plain, masks)], key=lambda one: (one.start, one.form))
    kept: list[Candidate] = []
    for one in found:
        if kept and one.start < kept[-1].heading_end:
            continue
        kept.append(one)
    return kept


def _outside(candidates: Iterable[Candidate], masks: Sequence[Mark]) -> list[Candidate]:
    """Return the candidates that begin in none of the marks (in order of place)."""
    kept, index, reach = [], 0, 0
    for one in sorted(candidates, key=lambda one: one.start):
        while index < len(masks) and masks[index].start <= one.start:
            reach = max(reach, masks[index].end)
            index += 1
        if one.start >= reach:
            kept.append(one)
    return kept
