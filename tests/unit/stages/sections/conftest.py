"""Documents and what is read off their sections."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.domain.marks import Mark
from pipeline.domain.sections import SectionSpan
from pipeline.domain.vocabulary import DocumentKind
from pipeline.stages.sections import SectionFinder
from pipeline.testing.section_gold import deidentified, gold_document


def spans(text: str, kind: DocumentKind = DocumentKind.NOTE, marks: Sequence[Mark] = ()) -> tuple[SectionSpan, ...]:
    return SectionFinder().sections(deidentified("d", kind, text, marks))


def bodies(text: str, kind: DocumentKind = DocumentKind.NOTE) -> list[tuple[str, str]]:
    """Section and text without heading, stripped."""
    return [(str(span.section), text[span.heading_end : span.end].strip(" \n,")) for span in spans(text, kind)]


def signed(text: str, kind: DocumentKind) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Expected and found sections, each with the line it begins on, of a text with the gold set's signs."""
    gold = gold_document(f"{kind.value}_1", text)

    def line(start: int) -> str:
        return gold.text[start:].split("\n", 1)[0]

    found = SectionFinder().sections(gold.document())
    return [(str(section), line(start)) for start, section in gold.starts], [(str(one.section), line(one.start)) for one in found]
