"""Tells the release of FHIR that a resource is written in: from what is said of it, else from elements that only one release has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pipeline.domain.vocabulary import FhirVersion

_IN_PROFILE: Final = re.compile(r"\|(3\.0|4\.0|4\.3|5\.0)(?:\.\d+)?$|/(STU3|R4B|R4|R5)/", re.ASCII)
_NAMES: Final = {"STU3": FhirVersion.STU3, "R4": FhirVersion.R4, "R4B": FhirVersion.R4B, "R5": FhirVersion.R5}

_Fields = Mapping[str, Any]


def version_of(resource: _Fields, *, said: FhirVersion | None, default: FhirVersion) -> FhirVersion:
    """Return the release of a resource.

    Args:
        resource: As JSON values.
        said: What its feed or server says: taken as it is.
        default: Where nothing tells. R5 is never tried first: it refuses thirteen of the types that R4 exports hold.
    """
    if said is not None:
        return said
    return _by_profile(resource) or _by_content(resource) or default


def _by_profile(resource: _Fields) -> FhirVersion | None:
    """Take the release from ``meta.profile`` where it names HL7's own (``…/R5/…``, ``…|5.0.0``)."""
    meta = resource.get("meta")
    profiles = meta.get("profile") if isinstance(meta, Mapping) else None
    for profile in profiles if isinstance(profiles, list) else ():
        found = _IN_PROFILE.search(profile) if isinstance(profile, str) and "hl7.org/fhir/" in profile else None
        if found and "StructureDefinition" in profile and "hl7.org/fhir/us/" not in profile:
            return FhirVersion(found[1]) if found[1] else _NAMES[found[2]]
    return None


def _by_content(resource: _Fields) -> FhirVersion | None:
    kind = resource.get("resourceType")
    for wanted, version, has in _MARKS:
        if kind == wanted and has(resource):
            return version
    return None


def _named(*names: str) -> Callable[[_Fields], bool]:
    return lambda resource: any(name in resource for name in names)


def _is_list(name: str) -> Callable[[_Fields], bool]:
    return lambda resource: isinstance(resource.get(name), list)


def _is_object(name: str) -> Callable[[_Fields], bool]:
    return lambda resource: isinstance(resource.get(name), Mapping)


def _lists_codeable_references(name: str) -> Callable[[_Fields], bool]:
    """R5 writes a CodeableReference (``concept`` or ``reference`` within) where R4 has a CodeableConcept."""

    def has(resource: _Fields) -> bool:
        value = resource.get(name)
        first = value[0] if isinstance(value, list) and value else value
        return isinstance(first, Mapping) and isinstance(first.get("concept"), Mapping)

    return has


def _has_agent(name: str) -> Callable[[_Fields], bool]:
    """STU3 wraps who asked in an ``agent``."""
    return lambda resource: isinstance(resource.get(name), Mapping) and "agent" in resource[name]


def _component_interpretation(resource: _Fields) -> bool:
    components = resource.get("component")
    listed = components if isinstance(components, list) else []
    return any(isinstance(one, Mapping) and isinstance(one.get("interpretation"), Mapping) for one in listed)


def _attachment_format(resource: _Fields) -> bool:
    content = resource.get("content")
    return isinstance(content, list) and any(isinstance(one, Mapping) and isinstance(one.get("profile"), list) for one in content)


_R5: Final = FhirVersion.R5
_STU3: Final = FhirVersion.STU3
#: Elements that one release has and R4 has not (https://hl7.org/fhir/R5/diff.html, https://hl7.org/fhir/STU3/r3diff.html).
_MARKS: Final = (
    ("MedicationUsage", _R5, lambda _: True),
    ("Encounter", _R5, _is_list("class")),
    ("Encounter", _R5, _named("actualPeriod", "admission")),
    ("MedicationRequest", _R5, _named("medication")),
    ("MedicationStatement", _R5, _named("medication")),
    ("MedicationAdministration", _R5, _named("medication", "occurenceDateTime", "occurencePeriod")),
    ("Procedure", _R5, _named("occurrenceDateTime", "occurrencePeriod", "occurrenceString", "recorded", "focus")),
    ("Procedure", _R5, _lists_codeable_references("reason")),
    ("CarePlan", _R5, _lists_codeable_references("addresses")),
    ("ServiceRequest", _R5, _lists_codeable_references("code")),
    ("DocumentReference", _R5, _attachment_format),
    ("DocumentReference", _R5, _named("attester", "bodySite", "modality")),
    ("DocumentReference", _STU3, _named("indexed", "created")),
    ("Condition", _STU3, lambda resource: isinstance(resource.get("clinicalStatus"), str)),
    ("AllergyIntolerance", _STU3, lambda resource: isinstance(resource.get("clinicalStatus"), str)),
    ("MedicationRequest", _STU3, _has_agent("requester")),
    ("MedicationStatement", _STU3, _named("taken", "reasonNotTaken")),
    ("MedicationAdministration", _STU3, lambda resource: isinstance(resource.get("prescription"), Mapping)),
    ("Procedure", _STU3, _named("notDone", "notDoneReason")),
    ("Immunization", _STU3, _named("notGiven", "vaccinationProtocol")),
    ("Encounter", _STU3, _named("incomingReferral")),
    ("Observation", _STU3, _named("comment", "related", "context")),
    ("Observation", _STU3, _is_object("interpretation")),
    ("Observation", _STU3, _component_interpretation),
    ("Location", _R5, _named("form", "virtualService")),
    ("Location", _STU3, _is_object("type")),
    ("Group", _R5, _named("membership")),
    ("Device", _STU3, _named("model")),
    ("Binary", _STU3, _named("content")),
    ("Composition", _STU3, lambda resource: isinstance(resource.get("class"), Mapping)),
)
