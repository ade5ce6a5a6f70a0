"""What is known to identify a patient: from all resources that say who that is, and what a document says of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.vocabulary import FailureCategory
from pipeline.jobs.fhir.envelope import Envelope
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.stages.deidentify.known.fhir import Pair, values_of
from pipeline.stages.deidentify.known.fhir_within import values_within
from pipeline.storage import fhir_resources
from pipeline.wiring import Services


def known_of_people(
    people: Iterable[Mapping[str, Any]], shown: Iterable[Mapping[str, Any]] = (), *, departments: Sequence[str] = ()
) -> KnownIdentifiers:
    """Return the identifiers of some people and places, each once, in order of class and value.

    Args:
        people: Patient, RelatedPerson, Person, Practitioner and PractitionerRole resources, and the places that they are found in.
        shown: Resources of which a document is made: they name people in displays and contained resources.
        departments: Names that the site shows: a place of that name is none.

    Raises:
        RecordError: A field has another JSON type than FHIR gives it; loading quarantines such a person.
    """
    places = {name.casefold() for name in departments}
    found: dict[IdentifierClass, set[str]] = {}
    for category, value in _pairs(people, shown):
        text = value.strip()
        if text and not (category is IdentifierClass.FACILITY and text.casefold() in places):
            found.setdefault(category, set()).add(text)
    return KnownIdentifiers({category: tuple(sorted(values)) for category, values in sorted(found.items())})


def _pairs(people: Iterable[Mapping[str, Any]], shown: Iterable[Mapping[str, Any]]) -> Iterator[Pair]:
    for person in people:
        yield from values_of(person)
    for resource in shown:
        yield from values_within(resource)


def known_of_patient(services: Services, pseudonym: str) -> KnownIdentifiers:
    """Return what the loaded resources say of who a patient is, by any number of theirs; nothing where none is loaded.

    Raises:
        RecordError: Landing has lost or damaged one: without it a name could pass.
    """
    with services.db.read() as tx:
        rows = fhir_resources.identities_of(tx, [pseudonym]).get(pseudonym, [])
    try:
        return known_of_people(Envelope.of(services.landing.get(row.payload_sha256 or "")).resource for row in rows)
    except (KeyError, ValueError, StoreCorruptError):
        raise RecordError(FailureCategory.NOT_FOUND, "landing has lost what is known of the patient") from None


def merged(several: Sequence[KnownIdentifiers]) -> KnownIdentifiers:
    """Return all of several patients' or sources' values, each once, in their order."""
    found: dict[IdentifierClass, dict[str, None]] = {}
    for one in several:
        for category, values in one.values.items():
            found.setdefault(category, {}).update(dict.fromkeys(values))
    return KnownIdentifiers({category: tuple(values) for category, values in found.items()})
