"""What truth holds of FHIR resources that are deleted for good, and by which numbers a patient is known: found before, removed after."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, delete, or_, select

from pipeline.storage.fhir_tables import fhir_patients, fhir_references, fhir_resources

_IN_BATCH: Final = 500


def every_alias(tx: Connection, pseudonyms: Collection[str]) -> set[str]:
    """Return every pseudonym under which the same patients are known, those asked for included.

    Two Patient resources that share a number are one person, as for known identifiers: of two servers, each with its own ids, too.
    """
    found, new = set(pseudonyms), set(pseudonyms)
    while new:
        met: set[str] = set()
        for batch in _batches(new):
            named = or_(fhir_patients.c.alias.in_(batch), fhir_patients.c.patient.in_(batch))
            for row in tx.execute(select(fhir_patients.c.alias, fhir_patients.c.patient).where(named)):
                met |= {row.alias, row.patient}
        new = met - found
        found |= new
    return found


def resources_of_patients(tx: Connection, pseudonyms: Collection[str]) -> set[str]:
    """Return the keys of all resources of some patients, documents or not: those that are of them, and their Patient resources."""
    found: set[str] = set()
    for batch in _batches(pseudonyms):
        found.update(tx.execute(select(fhir_resources.c.resource_key).where(fhir_resources.c.patient.in_(batch))).scalars())
        found.update(tx.execute(select(fhir_patients.c.resource_key).where(fhir_patients.c.patient.in_(batch))).scalars())
    return found


def forget_resources(tx: Connection, keys: Collection[str]) -> dict[str, int]:
    """Remove resources, what they refer to and what refers to them.

    Returns:
        How many rows went, by table; what is empty is left out.
    """
    gone = {"fhir_references": 0, "fhir_patients": 0, "fhir_resources": 0}
    for batch in _batches(keys):
        linked = or_(fhir_references.c.resource_key.in_(batch), fhir_references.c.target_key.in_(batch))
        gone["fhir_references"] += tx.execute(delete(fhir_references).where(linked)).rowcount
        gone["fhir_patients"] += tx.execute(delete(fhir_patients).where(fhir_patients.c.resource_key.in_(batch))).rowcount
        gone["fhir_resources"] += tx.execute(delete(fhir_resources).where(fhir_resources.c.resource_key.in_(batch))).rowcount
    return {name: count for name, count in gone.items() if count}


def rows_of_resources(tx: Connection, keys: Collection[str]) -> Iterator[str]:
    """Yield one place a row that names one of these resources."""
    for batch in _batches(keys):
        for key in tx.execute(select(fhir_resources.c.resource_key).where(fhir_resources.c.resource_key.in_(batch))).scalars():
            yield f"fhir_resources/{key}"
        linked = or_(fhir_references.c.resource_key.in_(batch), fhir_references.c.target_key.in_(batch))
        for key in tx.execute(select(fhir_references.c.resource_key).where(linked)).scalars():
            yield f"fhir_references/{key}"


def rows_of_patients(tx: Connection, pseudonyms: Collection[str]) -> Iterator[str]:
    """Yield one place a row that names one of these patients."""
    for batch in _batches(pseudonyms):
        for key in tx.execute(select(fhir_resources.c.resource_key).where(fhir_resources.c.patient.in_(batch))).scalars():
            yield f"fhir_resources/{key}"
        named = or_(fhir_patients.c.alias.in_(batch), fhir_patients.c.patient.in_(batch))
        for alias in tx.execute(select(fhir_patients.c.alias).where(named)).scalars():
            yield f"fhir_patients/{alias}"


def _batches(keys: Collection[str]) -> Iterator[Sequence[str]]:
    every = sorted(set(keys))
    for start in range(0, len(every), _IN_BATCH):
        yield every[start : start + _IN_BATCH]
