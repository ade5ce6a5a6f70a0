"""A FHIR resource as it came in; what it is, whom it is of, what it refers to, and whether it may be used, out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from pipeline.domain.fhir import RawResource, Stamp
from pipeline.domain.identifiers import sha256_hex
from pipeline.domain.vocabulary import FhirVersion, ResourceOutcome
from pipeline.fhir.exact_json import write_exact
from pipeline.fhir.references import ID, target_of
from pipeline.stages.normalize.fhir.model import Checked, Reference
from pipeline.stages.normalize.fhir.references import patient_of, references_of, urls_within, with_literals
from pipeline.stages.normalize.fhir.rules import bad_attachments, broken_rule
from pipeline.stages.normalize.fhir.types import DOCUMENTS, SUPPORTING
from pipeline.stages.normalize.fhir.version import version_of

__all__ = ["Checked", "Reference", "check", "order_key", "order_key_of", "patient_of", "references_of", "urls_within", "with_literals"]

_UNKNOWN: Final = "unknown"
_IN_ERROR: Final = "entered-in-error"
_STATUSES: Final = ("status", "docStatus")
_CANCELLED: Final = "cancelled"
#: Types of which a cancelled one says nothing: the measurement or report does not exist.
_CANCELLED_SAYS_NOTHING: Final = frozenset({"Observation", "DiagnosticReport", "Encounter", "ServiceRequest", "MedicationRequest"})
_VERSION_DIGITS: Final = 20
#: A type's name that may be kept: anything else in its place may be words of a person.
_LONGEST_TYPE: Final = 64


def check(raw: RawResource, *, default: FhirVersion = FhirVersion.R4) -> Checked:
    """Return what became of a resource.

    Args:
        raw: As it came.
        default: Release of FHIR where neither the feed nor the content tells it.
    """
    resource = raw.value
    kind = _kind(resource)
    version = version_of(resource, said=raw.version, default=default)
    logical_id = _logical_id(raw, kind)
    references, unresolved = references_of(resource, raw.urls)
    found = Checked(
        outcome=_outcome(kind),
        resource_type=kind,
        logical_id=logical_id,
        version=version,
        order_key=order_key(resource, raw.stamp),
        references=references,
        patient=patient_of(resource, references, logical_id),
        unresolved=unresolved,
    )
    if _is_in_error(resource):
        return replace(found, outcome=ResourceOutcome.ENTERED_IN_ERROR)
    if found.outcome is ResourceOutcome.NOT_RENDERED and kind != _UNKNOWN:
        return found  # nothing of it is used: whether it is valid concerns nobody here
    problem = ("resourceType", "unknown_type") if kind == _UNKNOWN else broken_rule(resource, version)
    if problem is not None:
        return replace(found, outcome=ResourceOutcome.QUARANTINED, path=problem[0], rule=problem[1])
    if (path := next(_modifiers(resource, ""), None)) is not None:
        return replace(found, outcome=ResourceOutcome.SKIPPED, path=path[:255], rule="modifier_extension")
    if resource.get("implicitRules"):
        return replace(found, outcome=ResourceOutcome.SKIPPED, path="implicitRules", rule="implicit_rules")
    if kind in _CANCELLED_SAYS_NOTHING and resource.get("status") == _CANCELLED:
        return replace(found, outcome=ResourceOutcome.NOT_RENDERED, path="status", rule=_CANCELLED)
    return replace(found, bad_attachments=tuple(bad_attachments(resource)))


def order_key(resource: Mapping[str, Any], stamp: Stamp) -> str:
    """Return what orders versions of one resource as text: its last update in UTC, then its version's number. ``stamp`` where it does not say."""
    meta = resource.get("meta")
    said: Mapping[str, Any] = meta if isinstance(meta, Mapping) else {}
    return order_key_of(Stamp(said.get("lastUpdated") or stamp.updated, said.get("versionId") or stamp.version_id))


def order_key_of(stamp: Stamp) -> str:
    """Return the same of a stamp, of a deletion say; empty where it says nothing."""
    number = stamp.version_id
    digits = number if isinstance(number, str) and number.isdecimal() else ""
    return f"{_moment(stamp.updated)}|{digits.zfill(_VERSION_DIGITS)[-_VERSION_DIGITS:]}" if stamp.updated or digits else ""


def _moment(value: object) -> str:
    if not isinstance(value, str):
        return ""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return ""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%S.%f")


def _kind(resource: Mapping[str, Any]) -> str:
    kind = resource.get("resourceType")
    is_name = isinstance(kind, str) and kind.isascii() and kind.isalpha() and kind[:1].isupper() and len(kind) <= _LONGEST_TYPE
    return str(kind) if is_name else _UNKNOWN


def _logical_id(raw: RawResource, kind: str) -> str:
    """Return the id; of an entry without one the id that its ``fullUrl`` gives, else one made of the content."""
    own = raw.value.get("id")
    if isinstance(own, str) and ID.fullmatch(own):
        return own
    if raw.full_url:
        target = target_of(raw.full_url, {})
        if target is not None and target[0] == kind:
            return target[1]
        if raw.full_url.startswith("urn:uuid:") and ID.fullmatch(raw.full_url.removeprefix("urn:uuid:")):
            return raw.full_url.removeprefix("urn:uuid:")
    return f"content-{sha256_hex(write_exact(raw.value))[:40]}"


def _outcome(kind: str) -> ResourceOutcome:
    if kind in DOCUMENTS:
        return ResourceOutcome.DOCUMENT
    return ResourceOutcome.SUPPORTING if kind in SUPPORTING else ResourceOutcome.NOT_RENDERED


def _is_in_error(resource: Mapping[str, Any]) -> bool:
    if any(resource.get(name) == _IN_ERROR for name in _STATUSES):
        return True
    verification = resource.get("verificationStatus")
    codings = verification.get("coding") if isinstance(verification, Mapping) else None
    listed = [one for one in codings if isinstance(one, Mapping)] if isinstance(codings, list) else []
    return verification == _IN_ERROR or any(one.get("code") == _IN_ERROR for one in listed)


def _modifiers(value: Any, path: str) -> Iterator[str]:
    """Yield where a modifier extension stands: none is known here, and one may turn a meaning round."""
    if isinstance(value, Mapping):
        if value.get("modifierExtension"):
            yield f"{path}.modifierExtension" if path else "modifierExtension"
        for name, one in value.items():
            if isinstance(one, (Mapping, list)):
                yield from _modifiers(one, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _modifiers(one, f"{path}[{number}]")
