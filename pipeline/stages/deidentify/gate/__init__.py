"""Reads text that is about to be embedded once more, by other rules than the stage that cleaned it.

It shares no code with the recognisers: it works on words, shapes and dictionaries instead of patterns and a language model, so that one
mistake does not pass both readers. In: a text, the classes that its policy removes, what is known of its patient. Out: places, never values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from pipeline.domain.clinical_codes import code_spans
from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.gate.contacts import contacts
from pipeline.stages.deidentify.gate.dates import find_dates
from pipeline.stages.deidentify.gate.known import find_known_values
from pipeline.stages.deidentify.gate.numbers import find_numbers
from pipeline.stages.deidentify.gate.people import find_people
from pipeline.stages.deidentify.gate.places import find_places
from pipeline.stages.deidentify.gate.reach import find_reach
from pipeline.stages.deidentify.gate.words import Words, words

__all__ = ["CONTACTS", "GATE_VERSION", "gate", "suspects"]

GATE_VERSION: Final = "3"  # raised when the gate judges otherwise; kept with quarantined documents and audits

CONTACTS: Final = frozenset({IdentifierClass.EMAIL, IdentifierClass.PHONE, IdentifierClass.FAX})

_READERS: Final = (find_reach, find_numbers, find_dates, find_places, find_people)
_NOBODY: Final[Mapping[IdentifierClass, Collection[str]]] = {}


def gate(
    text: str,
    classes: frozenset[IdentifierClass] = CONTACTS,
    *,
    known: Mapping[IdentifierClass, Collection[str]] = _NOBODY,
    written: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return the classes of identifiers that still stand in ``text``, sorted; empty means that it may pass.

    Args:
        text: What is about to be embedded or stored.
        classes: What the document's policy removes. Contacts alone are read by shape only and cost microseconds.
        known: The patient's known identifiers by class.
        written: Values that de-identification itself has put in (surrogates, shifted dates): they are no leak.
    """
    if classes <= CONTACTS and not known:
        return tuple(name for name in contacts(text) if name in classes)
    return tuple(sorted({found.category.value for found in suspects(text, classes, known=known, written=written)}))


def suspects(
    text: str,
    classes: frozenset[IdentifierClass],
    *,
    known: Mapping[IdentifierClass, Collection[str]] = _NOBODY,
    written: Iterable[str] = (),
) -> list[Found]:
    """Return what still identifies somebody in ``text``, in order and apart; arguments as for ``gate``.

    Contacts alone: one place over the whole text for each class, as they are only counted.
    """
    if classes <= CONTACTS and not known:
        return [Found(0, len(text), IdentifierClass(name), 1.0, "gate.contacts") for name in contacts(text) if name in classes]
    read: Words = words(text, written=written)
    found = find_known_values(read, known)
    codes = code_spans(text)
    for reader in _READERS:
        found += (each for each in reader(read) if not any(start <= each.start and each.end <= end for start, end in codes))
    return _apart(each for each in found if each.category in classes)


def _apart(found: Iterable[Found]) -> list[Found]:
    """Keep of overlapping places the first and longest."""
    kept: list[Found] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept
