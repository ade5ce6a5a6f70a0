"""What is known to identify a patient: from all of the Patient resources that stand for the same person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.stages.deidentify.known.fhir import values_of_patient


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
