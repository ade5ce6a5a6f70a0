"""The rules of one kind of document, turned round: the text of a heading in, its section out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.stages.sections.rules import ANY, CLINICAL, EMS, GUIDELINE, PAPER, PROTOCOL, SectionRule, section_rules
from pipeline.stages.sections.wording import plain, without_appendix_number

_GROUPS_OF: Final = {
    DocumentKind.PROTOCOL: (PROTOCOL, ANY, PAPER),
    DocumentKind.STATISTICAL_ANALYSIS_PLAN: (PROTOCOL, ANY, PAPER),
    DocumentKind.EMS_PROTOCOL: (EMS, ANY),
    DocumentKind.PAPER: (PAPER, ANY),
    DocumentKind.GUIDELINE: (GUIDELINE, PAPER, ANY, EMS, PROTOCOL, CLINICAL),
    DocumentKind.UNKNOWN: (CLINICAL, ANY, EMS, PROTOCOL, PAPER),
}
#: "3.2 Discussion of Design" in a protocol is no discussion of a paper: words are those of the kind alone, but for guidelines, which are of all kinds.
_WORDS_OF: Final = {DocumentKind.GUIDELINE: (GUIDELINE, PAPER, ANY, EMS)}
#: Words that change nothing of what a heading says: "CURRENT MEDICATIONS", "Brief Hospital Course".
_BEFORE: Final = frozenset(
    [
        "additional",
        "brief",
        "clinical",
        "current",
        "existing",
        "final",
        "full",
        "general",
        "initial",
        "key",
        "known",
        "main",
        "other",
        "patient",
        "patients",
        "pertinent",
        "preliminary",
        "triage",
        "relevant",
        "significant",
        "study",
        "the",
        "updated",
    ]
)
_AFTER: Final = (
    "on admission", "at admission", "on arrival", "at discharge", "on discharge", "today", "reviewed", "section", "per patient", "and notes", "as follows", "during hospitalization",
)  # fmt: skip
_REMARK: Final = re.compile(r"\s{0,3}\([^()]{0,60}\)[\s:*_]{0,5}$")  # "Review of Systems (focused)"
_COMPLEMENT: Final = re.compile(r" (?:of|for|in|to|with|during|from|by|at|on) ")
#: Shorter headings with a letter wrong are taken for other words.
_SHORTEST_MISSPELT: Final = 8
_SHORTEST_SQUEEZED: Final = 6


class HeadingBook:
    """Looks headings up. The groups of a kind are asked in turn: ``Procedure`` is another section in a report than in an EMS protocol."""

    def __init__(self, kind: DocumentKind) -> None:
        """Collect the headings that are valid in a kind of document."""
        rules = section_rules()
        self.kind = kind
        self.groups = _GROUPS_OF.get(kind, (CLINICAL, ANY))
        self._rules = rules.by_section
        self._labels = rules.labels
        self._whole: dict[str, Section] = {}
        self._words: dict[str, Section] = {}
        for rule in rules.by_section.values():
            self._take(self._whole, rule, rule.only.get(kind, ()))
        for group in self.groups:
            for rule in rules.by_section.values():
                if group in rule.kinds:
                    self._take(self._whole, rule, rule.headings)
                if group in rule.kinds and group in _WORDS_OF.get(kind, (self.groups[0], ANY)):
                    self._take(self._words, rule, rule.words)
        self._inner = frozenset[str]().union(*(rule.inner for rule in rules.by_section.values())) if self.is_clinical else frozenset()
        self._squeezed = {text.replace(" ", ""): section for text, section in self._whole.items()}
        self._misspelt = _misspellings(self._squeezed)

    @staticmethod
    def _take(into: dict[str, Section], rule: SectionRule, texts: Iterable[str]) -> None:
        for text in texts:
            into.setdefault(text, rule.section)

    @property
    def is_clinical(self) -> bool:
        """Whether the document is a note or a report, or nobody said what it is."""
        return self.groups[0] == CLINICAL

    def rule(self, section: Section) -> SectionRule | None:
        """Return the rule of a section; None for those that only trials have."""
        return self._rules.get(section)

    def is_label(self, text: str) -> bool:
        """Whether the text labels a line of a document's head or foot."""
        return plain(text) in self._labels

    def is_inner(self, text: str) -> bool:
        """Whether the text labels a part of some section: an organ of an exam or of a review of systems."""
        return plain(text) in self._inner

    def whole(self, text: str) -> Section | None:
        """Return the section of a heading that is known as it stands, words that say nothing set aside; of two joined headings the first's."""
        key = plain(text)
        if not key or (key in self._labels and key not in self._whole):
            return None
        for form in dict.fromkeys((key, plain(_REMARK.sub("", text)))):
            for variant in _variants(form):
                if section := self._whole.get(variant):
                    return section
        parts = [part for piece in text.replace("&", "/").replace(" and ", "/").replace(" AND ", "/").split("/") if (part := plain(piece))]
        known = [self._whole.get(part) for part in parts]
        return known[0] if len(parts) > 1 and all(known) else None

    def damaged(self, text: str) -> Section | None:
        """Return the section of a heading with blanks inside its words (``EXCLU SION CRITERIA``) or one letter wrong, missing, too many or swapped."""
        key = plain(text).replace(" ", "")
        if len(key) >= _SHORTEST_SQUEEZED and (section := self._squeezed.get(key)):
            return section
        if len(key) < _SHORTEST_MISSPELT:
            return None
        found = {section for form in _with_one_letter_less(key) if (section := self._misspelt.get(form))}
        return found.pop() if len(found) == 1 else None

    def squeezed(self, text: str) -> Section | None:
        """Return the section of a heading whose letters are spaced."""
        return self._squeezed.get(plain(text).replace(" ", ""))

    def contained(self, text: str) -> Section | None:
        """Return the section of a proven heading: known as a whole, else by telling words, those of what it is about before those of its complements.

        ``Discontinuation of Study Intervention`` is about the first, ``Study Intervention Discontinuation`` about the last.
        """
        if section := self.whole(text):
            return section
        key = f" {plain(without_appendix_number(text))} "
        if key.startswith((" appendix ", " annex ", " attachment ")):
            after = key.split(" ", 2)[2].strip()
            return self._whole.get(after) or self._whole.get("appendix")
        about = _COMPLEMENT.split(key, maxsplit=1)[0] + " "
        if found := [
            (about.find(f" {words} ") + len(words), len(words), section) for words, section in self._words.items() if f" {words} " in about
        ]:
            return max(found)[2]
        found = [(key.find(f" {words} "), -len(words), section) for words, section in self._words.items() if f" {words} " in key]
        return min(found)[2] if found else None

    def longest_start(self, words: list[str]) -> tuple[int, Section] | None:
        """Return how many of the words a known heading takes up, and its section (``IMPRESSION Small effusion.``)."""
        for count in range(len(words), 0, -1):
            if section := self._whole.get(plain(" ".join(words[:count]))):
                return count, section
        return None


@cache
def heading_book(kind: DocumentKind) -> HeadingBook:
    """Return the book of a kind, made once."""
    return HeadingBook(kind)


def _variants(key: str) -> Iterator[str]:
    yield key
    for ending in _AFTER:
        if key.endswith(f" {ending}"):
            key = key.removesuffix(f" {ending}")
            yield key
            break
    words = key.split(" ")
    while len(words) > 1 and words[0] in _BEFORE:
        words = words[1:]
        yield " ".join(words)


def _with_one_letter_less(key: str) -> list[str]:
    return [key, *(key[:index] + key[index + 1 :] for index in range(len(key)))]


def _misspellings(squeezed: dict[str, Section]) -> dict[str, Section]:
    """Return every form of the long headings with one letter less; forms that two sections share are left out."""
    forms: dict[str, Section] = {}
    shared: set[str] = set()
    for key, section in squeezed.items():
        if len(key) >= _SHORTEST_MISSPELT:
            for form in _with_one_letter_less(key):
                if forms.setdefault(form, section) is not section:
                    shared.add(form)
    return {form: section for form, section in forms.items() if form not in shared}
