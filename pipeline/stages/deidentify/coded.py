"""Displays, codes and amounts in a rendered resource: what a recogniser only guesses in a display, or takes for a number of a person, is none.

A vocabulary's own words name nobody ("Erythrocytes [#/volume] in Blood", "Hep B, adult"), and their style, without sentences, is what a
language model guesses worst in; an amount of eight digits ("50439389 copies/mL") has the shape of a record's number. What a recogniser is sure of, by a title, a label or a shape, and what is known of the patient counts there, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pipeline.domain.clinical_codes import code_spans
from pipeline.domain.documents import FHIR_PART, FHIR_SECTION_PART, DeidentifiedPart, Part
from pipeline.domain.marks import MarkKind, of_kind
from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.protect import SURE_SCORE


@dataclass(frozen=True, slots=True)
class Coded:
    """What a resource says by codes and numbers.

    Attributes:
        displays: What vocabularies call its codes.
        measures: Its amounts of many digits, with their units.
    """

    displays: frozenset[str] = field(default=frozenset(), repr=False)
    measures: frozenset[str] = field(default=frozenset(), repr=False)


def coded_in(parts: Iterable[Part | DeidentifiedPart]) -> Coded | None:
    """Return what parts mark so; ``None`` where none was rendered of a resource."""
    rendered = [part for part in parts if part.name.startswith((FHIR_PART, FHIR_SECTION_PART))]
    if not rendered:
        return None
    displays, measures = (
        frozenset(part.text[mark.start : mark.end] for part in rendered for mark in of_kind(part.marks, kind))
        for kind in (MarkKind.CODED, MarkKind.MEASURE)
    )
    return Coded(displays, measures)


def without_coded(text: str, found: Iterable[Found], coded: Coded) -> list[Found]:
    """Return ``found`` without guesses in a display, without what lies in a code with its vocabulary's name, and without amounts.

    An age stays: it is one whether it was measured or not.
    """
    codes, displays, measures = code_spans(text), _all_places(text, coded.displays), _all_places(text, coded.measures)
    return [
        one
        for one in found
        if not _inside(one, codes)
        and not (one.score < SURE_SCORE and _inside(one, displays))
        and not (one.category is not IdentifierClass.AGE and _inside(one, measures))
    ]


def _all_places(text: str, values: Iterable[str]) -> list[tuple[int, int]]:
    return [span for one in values for span in _places(text, one)]


def _places(text: str, value: str) -> Iterable[tuple[int, int]]:
    start = text.find(value)
    while start >= 0:
        yield start, start + len(value)
        start = text.find(value, start + len(value))


def _inside(found: Found, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= found.start and found.end <= end for start, end in spans)
