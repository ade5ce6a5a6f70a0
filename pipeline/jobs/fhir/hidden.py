"""Keeps out what was deleted for good: resources, and patients under whatever number they come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final, Protocol

from sqlalchemy import Connection

from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import Source
from pipeline.jobs.deletion.landed import Landed, find_landed
from pipeline.jobs.deletion.patient import Others, remove_others
from pipeline.storage import fhir_erasure, fhir_resources, suppressions
from pipeline.wiring import Services

#: Types of identifiers that several people may share (HL7 table 0203): insurance, subscriber, account.
_SHARED: Final = frozenset({"MB", "MC", "MA", "NIIP", "SN", "AN", "XX"})
_LEAST_DIGITS: Final = 3  # a patient's number with fewer is a word such as "unknown", or everybody's


class Offered(Protocol):
    """A resource that a feed offers."""

    @property
    def key(self) -> str:
        """Its key."""
        ...

    @property
    def pseudonym(self) -> str | None:
        """Its patient's."""
        ...

    @property
    def aliases(self) -> tuple[str, ...]:
        """Of a Patient every pseudonym."""
        ...


def numbers_of(patient: object) -> Iterator[str]:
    """Yield the values of a patient's identifiers by which nobody else is known: no policy that a family shares, no word in place of a number."""
    listed = patient.get("identifier") if isinstance(patient, dict) else None
    for one in listed if isinstance(listed, list) else ():
        value = one.get("value") if isinstance(one, dict) else None
        if isinstance(value, str) and sum(map(str.isdecimal, value)) >= _LEAST_DIGITS and not _types(one) & _SHARED:
            yield value.strip()


def _types(identifier: dict[str, Any]) -> set[object]:
    """Return the codes of an identifier's type."""
    kind = identifier.get("type")
    listed = kind.get("coding") if isinstance(kind, dict) else None
    return {one.get("code") for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)}


def hidden_among(tx: Connection, read: Iterable[Offered]) -> set[str]:
    """Return the keys of resources that must not be taken: deleted for good themselves, or of a patient who was, by any number."""
    every = list(read)
    ids = {str(document_id(Source.FHIR, one.key)): one.key for one in every}
    found = {ids[one] for one in suppressions.suppressed(tx, ids)}
    patients = suppressions.patients(tx)
    if patients:
        same = fhir_resources.same_patients(tx, {one.pseudonym for one in every if one.pseudonym})
        found |= {one.key for one in every if one.pseudonym and {*one.aliases, *same[one.pseudonym]} & patients}
    return found


def hide_aliases(tx: Connection, patients: Iterable[Offered], now: datetime) -> None:
    """Suppress every number of a patient who comes back under a new one: their resources name the new one alone."""
    for one in patients:
        known = next((found for alias in one.aliases if (found := suppressions.get(tx, alias)) is not None), None)
        if known is not None:
            suppressions.suppress(tx, one.aliases, known.deletion_id, now)


def remove_hidden(services: Services) -> None:
    """Remove what landed of a deleted patient before the feed came to the resource that says who it is."""
    with services.db.read() as tx:
        patients = suppressions.patients(tx)
        keys = fhir_erasure.resources_of_patients(tx, patients) if patients else set()
    if keys:
        landed = Landed()
        for found in find_landed(services, [(Source.FHIR.value, key) for key in sorted(keys)]).values():
            landed.add(found)
        remove_others(services, Others(frozenset(keys), landed))
