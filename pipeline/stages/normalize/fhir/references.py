"""The references of a resource, in whatever form they are written (https://hl7.org/fhir/R4/references.html)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.fhir.references import target_of
from pipeline.stages.normalize.fhir.model import Reference

#: Elements that name the patient, the nearest first.
_PATIENT: Final = ("subject", "patient", "individual", "beneficiary", "for")


def references_of(resource: Mapping[str, Any], urls: Mapping[str, str]) -> tuple[tuple[Reference, ...], int]:
    """Return what a resource refers to, each once, and how many references name no resource that can be known.

    References into the resource itself (``#p1``) are neither.
    """
    found: dict[Reference, None] = {}
    unresolved = 0
    for element, written in _literals(resource, ""):
        if written.startswith("#"):
            continue
        target = target_of(written, urls)
        if target is None:
            unresolved += 1
        else:
            found[Reference(element, *target)] = None
    return tuple(found), unresolved


def urls_within(resource: Mapping[str, Any], urls: Mapping[str, str]) -> dict[str, str]:
    """Return those of a Bundle's URLs that a resource refers to by."""
    return {written: urls[written] for _, written in _literals(resource, "") if written in urls}


def patient_of(resource: Mapping[str, Any], references: tuple[Reference, ...], logical_id: str) -> str | None:
    """Return the logical id of the patient whom a resource is about."""
    if resource.get("resourceType") == "Patient":
        return logical_id
    of_patients = {one.element: one.logical_id for one in reversed(references) if one.resource_type == "Patient"}
    return next((of_patients[name] for name in _PATIENT if name in of_patients), None)


def _literals(value: Any, element: str) -> Iterator[tuple[str, str]]:
    """Yield first element and text of every reference; one without a text but with an identifier yields an empty text."""
    if isinstance(value, list):
        for one in value:
            yield from _literals(one, element)
    elif isinstance(value, Mapping):
        written = value.get("reference")
        if isinstance(written, str):
            yield element, written
        elif isinstance(url := value.get("url"), str) and "Binary/" in url and "contentType" in value:
            yield _ATTACHMENT, url
        elif element and written is None and isinstance(value.get("identifier"), Mapping) and set(value) <= _LOGICAL:
            yield element, ""
        for name, one in value.items():
            if isinstance(one, (Mapping, list)):
                yield from _literals(one, element or name)


#: Element by which an attachment's URL is known among references.
_ATTACHMENT: Final = "attachment"
#: What a Reference by identifier alone consists of; a ``type`` tells it from other elements with an identifier.
_LOGICAL: Final = frozenset({"identifier", "type", "display", "id"})
