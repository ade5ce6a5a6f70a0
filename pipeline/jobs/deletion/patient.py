"""What is there of a deleted patient and is no document: the Patient resource itself, encounters, what was loaded and not listed yet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pipeline.domain.vocabulary import Source
from pipeline.jobs.deletion.landed import Landed, find_landed, remove_landed
from pipeline.storage import fhir_erasure, suppressions
from pipeline.storage.deletions import Deletion
from pipeline.wiring import Services


@dataclass(frozen=True, slots=True)
class Others:
    """Resources of a patient that no document is made of, by key, and all that landing holds of them."""

    keys: frozenset[str] = frozenset()
    landed: Landed = field(default_factory=Landed)


def find_others(services: Services, deletion: Deletion, documents: Collection[str]) -> Others:
    """Return what is there of the patient of a deletion beside documents.

    Args:
        services: The home.
        deletion: Of documents alone: there is nothing else.
        documents: Keys of the FHIR resources that go as documents.
    """
    if deletion.patient is None:
        return Others()
    with services.db.read() as tx:
        aliases = {deletion.patient} | suppressions.patients_of(tx, deletion.deletion_id)
        keys = fhir_erasure.resources_of_patients(tx, aliases) - set(documents)
    landed = Landed()
    for one in find_landed(services, [(Source.FHIR.value, key) for key in sorted(keys)]).values() if keys else ():
        landed.add(one)
    return Others(frozenset(keys), landed)


def remove_others(services: Services, others: Others) -> None:
    """Remove them: bytes first, for the rows name them, so that a killed run finds the rest."""
    if not others.keys:
        return
    remove_landed(services, others.landed)
    with services.db.begin() as tx:
        fhir_erasure.forget_resources(tx, others.keys)
