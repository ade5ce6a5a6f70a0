"""Codings in, codes that search knows out: which vocabulary a system's URL names, and how its codes are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pipeline.domain.clinical_codes import dotted, is_code

#: Vocabularies by their system (https://terminology.hl7.org/external_terminologies.html), as a text names them.
SYSTEMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "http://loinc.org": "LOINC",
        "http://snomed.info/sct": "SNOMED",
        "http://www.nlm.nih.gov/research/umls/rxnorm": "RxNorm",
        "http://hl7.org/fhir/sid/icd-10-cm": "ICD-10-CM",
        "http://hl7.org/fhir/sid/icd-10": "ICD-10",
        "http://hl7.org/fhir/sid/icd-10-nl": "ICD-10",
        "http://hl7.org/fhir/sid/icd-10-us": "ICD-10-CM",
        "http://www.cms.gov/medicare/coding/icd10": "ICD-10-PCS",
        "http://hl7.org/fhir/sid/icd-9-cm": "ICD-9-CM",
        "http://hl7.org/fhir/sid/icd-o-3": "ICD-O-3",
        "http://www.ama-assn.org/go/cpt": "CPT",
        "http://hl7.org/fhir/sid/cvx": "CVX",
        "http://hl7.org/fhir/sid/ndc": "NDC",
        "http://www.whocc.no/atc": "ATC",
        "urn:oid:2.16.840.1.113883.6.1": "LOINC",
        "urn:oid:2.16.840.1.113883.6.96": "SNOMED",
        "urn:oid:2.16.840.1.113883.6.88": "RxNorm",
        "urn:oid:2.16.840.1.113883.6.90": "ICD-10-CM",
        "urn:oid:2.16.840.1.113883.6.3": "ICD-10",
        "urn:oid:2.16.840.1.113883.6.12": "CPT",
        "urn:oid:2.16.840.1.113883.12.292": "CVX",
        "urn:oid:2.16.840.1.113883.6.69": "NDC",
    }
)

#: Systems whose codes are filters of search.
ICD_10: Final = frozenset({"ICD-10", "ICD-10-CM"})


def vocabulary(system: object) -> str | None:
    """Return the name of the vocabulary that a system's URL names, ``None`` for one that is not known."""
    return SYSTEMS.get(system.rstrip("/").casefold()) if isinstance(system, str) else None


def codings(concept: object) -> Iterator[Mapping[str, object]]:
    """Yield the codings of a CodeableConcept, or of a CodeableReference's concept, or a Coding itself."""
    if not isinstance(concept, Mapping):
        return
    if isinstance(inner := concept.get("concept"), Mapping):
        concept = inner
    listed = concept.get("coding")
    if isinstance(listed, list):
        yield from (one for one in listed if isinstance(one, Mapping))
    elif "code" in concept or "display" in concept:
        yield concept


def displays_of(value: object) -> Iterator[str]:
    """Yield what known vocabularies call the codes that stand anywhere in a value."""
    if isinstance(value, list):
        for one in value:
            yield from displays_of(one)
    elif isinstance(value, Mapping):
        display = value.get("display")
        if isinstance(display, str) and vocabulary(value.get("system")):
            yield " ".join(display.split())
        for one in value.values():
            if isinstance(one, (Mapping, list)):
                yield from displays_of(one)


def codes_of(*concepts: object) -> dict[str, tuple[str, ...]]:
    """Return the well-formed codes of concepts, and of lists of them, by vocabulary, sorted; of ICD-10 with their point."""
    found: dict[str, set[str]] = {}
    for one in concepts:
        for concept in one if isinstance(one, list) else [one]:
            for coding in codings(concept):
                name, code = vocabulary(coding.get("system")), coding.get("code")
                if name and isinstance(code, str) and is_code(name, code):
                    found.setdefault(name, set()).add(dotted(code) if name in ICD_10 else code)
    return {name: tuple(sorted(some)) for name, some in found.items()}
