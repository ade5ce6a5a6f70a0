"""Displays and codes of vocabularies in a rendered resource: what a recogniser only guesses in them is no identifier.

A vocabulary's own words name nobody ("Erythrocytes [#/volume] in Blood", "Hep B, adult"), and their style, without sentences, is what a
language model guesses worst in. What a recogniser is sure of, by a title, a label or a shape, and what is known of the patient counts there, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pipeline.domain.clinical_codes import code_spans
from pipeline.domain.documents import Part
from pipeline.domain.marks import MarkKind, of_kind
from pipeline.domain.phi import Found
from pipeline.stages.deidentify.protect import SURE_SCORE


def coded_values(parts: Iterable[Part]) -> frozenset[str] | None:
    """Return the displays that parts mark; ``None`` where no part was rendered of a resource."""
    marked = [part.text[mark.start : mark.end] for part in parts for mark in of_kind(part.marks, MarkKind.CODED)]
    return frozenset(marked) if marked else None


def without_coded(text: str, found: Iterable[Found], coded: Collection[str]) -> list[Found]:
    """Return ``found`` without guesses that lie in one of the displays, and without what lies in a code with its vocabulary's name."""
    codes, displays = code_spans(text), [span for one in coded for span in _places(text, one)]
    return [one for one in found if not _inside(one, codes) and not (one.score < SURE_SCORE and _inside(one, displays))]


def _places(text: str, value: str) -> Iterable[tuple[int, int]]:
    start = text.find(value)
    while start >= 0:
        yield start, start + len(value)
        start = text.find(value, start + len(value))


def _inside(found: Found, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= found.start and found.end <= end for start, end in spans)
