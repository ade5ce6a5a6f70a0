"""The references of a resource, in whatever form they are written (https://hl7.org/fhir/R4/references.html)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.fhir.references import identifier_of, target_of
from pipeline.stages.normalize.fhir.model import Reference

#: Elements that name the patient, the nearest first.
_PATIENT: Final = ("subject", "patient", "individual", "beneficiary", "for")


def references_of(resource: Mapping[str, Any], urls: Mapping[str, str]) -> tuple[tuple[Reference, ...], int]:
    """Return what a resource refers to, each once, and how many references name no resource that can be known.

    References into the resource itself (``#p1``) are neither.
    """
    found: dict[Reference, None] = {}
    unresolved = 0
    for element, written, holder in _references(resource, ""):
        if written.startswith("#"):
            continue
        if (target := target_of(written, urls)) is not None:
            found[Reference(element, *target)] = None
        elif (asked := identifier_of(holder)) is not None:
            found[Reference(element, asked[0], identifier=asked[1])] = None
        else:
            unresolved += 1
    return tuple(found), unresolved


def with_literals(value: Any, targets: Mapping[str, str]) -> Any:
    """Return a resource in which references by identifier are literal ones.

    Args:
        value: The resource, or a part of it.
        targets: ``Type/id`` by ``system|value``.
    """
    if isinstance(value, list):
        return [with_literals(one, targets) for one in value]
    if not isinstance(value, Mapping):
        return value
    changed = {name: with_literals(one, targets) if isinstance(one, (Mapping, list)) else one for name, one in value.items()}
    asked = identifier_of(value) if isinstance(value.get("reference"), str) or _is_logical(value) else None
    target = targets.get(asked[1]) if asked else None
    if asked and target and asked[0] in ("", target.partition("/")[0]):
        changed["reference"] = target
    return changed


def urls_within(resource: Mapping[str, Any], urls: Mapping[str, str]) -> dict[str, str]:
    """Return those of a Bundle's URLs that a resource refers to by."""
    return {written: urls[written] for _, written, _ in _references(resource, "") if written in urls}


def patient_of(resource: Mapping[str, Any], references: tuple[Reference, ...], logical_id: str) -> str | None:
    """Return the logical id of the patient whom a resource is about, or the number by which it names the patient."""
    if resource.get("resourceType") == "Patient":
        return logical_id
    of_patients = {
        one.element: one.logical_id or one.identifier.partition("|")[2]
        for one in reversed(references)
        if one.resource_type == "Patient" or (one.identifier and not one.resource_type)
    }
    return next((of_patients[name] for name in _PATIENT if name in of_patients), None)


def _references(value: Any, element: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield first element, text and the whole of every reference; the text of one by identifier alone is empty."""
    if isinstance(value, list):
        for one in value:
            yield from _references(one, element)
    elif isinstance(value, Mapping):
        written = value.get("reference")
        if isinstance(written, str):
            yield element, written, value
        elif isinstance(url := value.get("url"), str) and "Binary/" in url and "contentType" in value:
            yield _ATTACHMENT, url, value
        elif element and _is_logical(value):
            yield element, "", value
        for name, one in value.items():
            if isinstance(one, (Mapping, list)):
                yield from _references(one, element or name)


def _is_logical(value: Mapping[str, Any]) -> bool:
    """Whether an object is a Reference by identifier alone: an element of another kind has more than one has."""
    return value.get("reference") is None and isinstance(value.get("identifier"), Mapping) and set(value) <= _LOGICAL


#: Element by which an attachment's URL is known among references.
_ATTACHMENT: Final = "attachment"
#: What a Reference by identifier alone consists of.
_LOGICAL: Final = frozenset({"identifier", "type", "display", "id"})
