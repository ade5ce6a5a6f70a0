"""What is known to identify a patient: from all of the Patient resources that stand for the same person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.phi import IdentifierClass
from pipeline.domain.vocabulary import FailureCategory
from pipeline.jobs.fhir.envelope import Envelope
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.stages.deidentify.known.fhir import values_of_patient
from pipeline.storage import fhir_resources
from pipeline.wiring import Services


def known_of_patients(patients: Sequence[Mapping[str, Any]]) -> KnownIdentifiers:
    """Return the identifiers of some Patient resources, each once, in order of class and value.

    Raises:
        RecordError: A field has another JSON type than FHIR gives it; loading quarantines such a patient.
    """
    found: dict[IdentifierClass, set[str]] = {}
    for patient in patients:
        for category, value in values_of_patient(patient):
            if value.strip():
                found.setdefault(category, set()).add(value.strip())
    return KnownIdentifiers({category: tuple(sorted(values)) for category, values in sorted(found.items())})


def known_of_patient(services: Services, pseudonym: str) -> KnownIdentifiers:
    """Return what the loaded Patient resources say of a patient, by any number of theirs; nothing where none is loaded.

    Raises:
        RecordError: Landing has lost or damaged one: without it a name could pass.
    """
    with services.db.read() as tx:
        rows = fhir_resources.patients_of(tx, [pseudonym]).get(pseudonym, [])
    try:
        return known_of_patients([Envelope.of(services.landing.get(row.payload_sha256 or "")).resource for row in rows])
    except (KeyError, ValueError, StoreCorruptError):
        raise RecordError(FailureCategory.NOT_FOUND, "landing has lost what is known of the patient") from None


def merged(several: Sequence[KnownIdentifiers]) -> KnownIdentifiers:
    """Return all of several patients' or sources' values, each once, in their order."""
    found: dict[IdentifierClass, dict[str, None]] = {}
    for one in several:
        for category, values in one.values.items():
            found.setdefault(category, {}).update(dict.fromkeys(values))
    return KnownIdentifiers({category: tuple(values) for category, values in found.items()})
