"""Candidates in, an outline out: which of them bound a section, how deep they stand, and what a heading that nobody knows inherits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.vocabulary import CRITERION_SECTIONS, DocumentKind, Section
from pipeline.stages.sections.book import HeadingBook
from pipeline.stages.sections.candidates import Candidate, Form
from pipeline.stages.sections.wording import plain

_PAGE_AT_END = re.compile(r"\d\s*$")
_MOST_MISSED_CHAPTERS: Final = 3
_TYPOGRAPHY: Final = (Form.MARKED, Form.MARKDOWN)


@dataclass(frozen=True, slots=True)
class Entry:
    """A heading that bounds a section."""

    candidate: Candidate
    section: Section
    level: int
    path: tuple[str, ...] = field(repr=False)


class Outline:
    """Takes candidates in order of place and keeps the headings that are open above."""

    def __init__(self, book: HeadingBook) -> None:
        """Begin with nothing open."""
        self._book = book
        self._open: list[Entry] = []
        self._last_number: tuple[int, ...] = ()
        self._deepest = 0
        self.entries: list[Entry] = []

    def take_all(self, candidates: Sequence[Candidate]) -> list[Entry]:
        """Return the headings that bound sections, in order."""
        self._deepest = max((one.level for one in candidates if one.form is Form.MARKED), default=0)
        for candidate in candidates:
            self._take(candidate)
        return self.entries

    def _take(self, candidate: Candidate) -> None:
        if candidate.form in _TYPOGRAPHY:
            self._add(candidate, candidate.section, self._level_of_typography(candidate))
        elif lead := self._leads_back(candidate):
            self._add(candidate, *lead)
        elif not candidate.is_label and not self._is_inner(candidate) and self._is_bound(candidate):
            self._add(candidate, candidate.section, self._level(candidate))

    @property
    def _current(self) -> Section | None:
        return self._open[-1].section if self._open else None

    @property
    def _current_holds(self) -> bool:
        rule = self._book.rule(self._current) if self._current else None
        return rule is not None and rule.holds

    def _add(self, candidate: Candidate, section: Section | None, level: int) -> None:
        while self._open and self._open[-1].level >= level:
            self._open.pop()
        if section is None:
            inherits = self._open and (candidate.form in _TYPOGRAPHY or candidate.number.depth > 1)
            section = self._open[-1].section if inherits else Section.NOTE_TEXT
        path = (*(self._open[-1].path if self._open else ()), candidate.shown)
        entry = Entry(candidate, section, level, path)
        self._open.append(entry)
        self.entries.append(entry)
        if candidate.number.depth == level:
            self._last_number = candidate.number.parts

    def _level_of_typography(self, candidate: Candidate) -> int:
        """A single number that does not go on from the last chapter's, of a heading that is no chapter we know, is that of a list's item."""
        last = self._last_number[0] if self._last_number else 0
        if (
            candidate.number.depth == 1
            and last
            and not (last < candidate.number.parts[0] <= last + _MOST_MISSED_CHAPTERS)
            and candidate.is_weak
        ):
            return next(
                (entry.level + 1 for entry in reversed(self._open) if entry.candidate.number.depth == entry.level), candidate.level + 1
            )
        return candidate.level

    def _is_inner(self, candidate: Candidate) -> bool:
        """Whether it is a label of the section that it stands in: ``HEENT`` of an exam."""
        rule = self._book.rule(self._current) if self._current else None
        return rule is not None and plain(candidate.text) in rule.inner

    def _leads_back(self, candidate: Candidate) -> tuple[Section, int] | None:
        """Return section and level of the exam that a label such as ``Lungs`` goes on with after a section inside it (vital signs)."""
        rule = self._book.rule(self._current) if self._current else None
        for section in rule.parents if rule is not None and candidate.form not in _TYPOGRAPHY else ():
            parent = self._book.rule(section)
            if parent is not None and plain(candidate.text) in parent.inner:
                above = next((entry for entry in self._open if entry.section is section), None)
                return section, above.level + 1 if above else self._open[-1].level
        return None

    def _is_bound(self, candidate: Candidate) -> bool:
        if self._current is Section.TABLE_OF_CONTENTS and self._is_of_contents(candidate):
            return False
        if not self._book.is_clinical and self._holder(candidate) is None and self._is_only_a_label(candidate):
            return False
        if candidate.number.depth == 1 and not self._numbers_headings(candidate):
            return False
        if candidate.is_weak:
            return not self._current_holds
        return candidate.section is not None or self._bounds_though_unknown(candidate)

    def _is_of_contents(self, candidate: Candidate) -> bool:
        """Whether it is an entry of the list of contents that is open."""
        if self._deepest or candidate.section is None or candidate.form is Form.SAME_LINE:
            return True
        return bool(_PAGE_AT_END.search(candidate.text))

    def _is_only_a_label(self, candidate: Candidate) -> bool:
        """Whether it introduces a few words of a protocol or paper: ``Abbreviations: AE = adverse event`` below a table."""
        if candidate.form is Form.RUN_IN:
            return not candidate.capitals
        by_typography = bool(self._deepest) and self._book.kind is not DocumentKind.EMS_PROTOCOL
        return candidate.form is Form.SAME_LINE and (
            candidate.section is Section.ABBREVIATIONS or (by_typography and not candidate.capitals)
        )

    def _holder(self, candidate: Candidate) -> Entry | None:
        """Return the innermost open section that holds it: an abstract with ``Methods: ... Results: ...`` in one paragraph."""
        rule = self._book.rule(candidate.section) if candidate.section else None
        if rule is None:
            return None
        for entry in reversed(self._open):
            if entry.section in rule.parents or (entry.section in rule.inside and self._is_smaller(candidate, entry.candidate)):
                return entry
        return None

    def _is_smaller(self, candidate: Candidate, above: Candidate) -> bool:
        if self._book.is_clinical:
            return above.capitals and not candidate.capitals
        return candidate.form >= Form.SAME_LINE > above.form

    def _numbers_headings(self, candidate: Candidate) -> bool:
        """Whether a single number is that of a heading, and not of a list's item."""
        last = self._last_number[0] if self._last_number else 0
        follows = candidate.number.parts[0] == last + 1
        if self._current in CRITERION_SECTIONS:
            return candidate.capitals or (follows and last > 0 and candidate.after_blank)
        if not self._book.is_clinical:
            stands_apart = candidate.after_blank or self._book.kind is DocumentKind.EMS_PROTOCOL
            return candidate.capitals or (stands_apart and last < candidate.number.parts[0] <= last + _MOST_MISSED_CHAPTERS)
        if self._current_holds and last == 0:
            return False
        if candidate.capitals and candidate.form is Form.OWN_LINE and not self._current_holds:
            return True
        return follows and (candidate.capitals or candidate.colon or candidate.form is Form.OWN_LINE)

    def _bounds_though_unknown(self, candidate: Candidate) -> bool:
        if not self._book.is_clinical:
            return candidate.form is Form.OWN_LINE
        return self._current is not None and not self._current_holds

    def _level(self, candidate: Candidate) -> int:
        """By number, else below the innermost open section that holds it, else below typography's, else 1."""
        if candidate.number.depth:
            return candidate.number.depth
        holder = self._holder(candidate)
        if holder is not None:
            return holder.level + 1
        if self._deepest and not self._book.is_clinical:
            return self._deepest + 1  # any heading by typography ends it
        proven = [entry for entry in self._open if entry.candidate.form in _TYPOGRAPHY or entry.candidate.number.depth]
        if not proven:
            return 1
        innermost = proven[-1]
        beside = self._book.is_clinical and innermost.section is not Section.NOTE_TEXT
        return innermost.level if beside else innermost.level + 1
