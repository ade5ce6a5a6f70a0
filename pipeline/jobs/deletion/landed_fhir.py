"""Finds what landing holds of FHIR resources: every version of their envelopes, every manifest of their documents, what was attached."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.fhir import resource_key
from pipeline.domain.identifiers import sha256_hex
from pipeline.fhir.base64_data import decoded
from pipeline.jobs.fhir.envelope import Envelope, Manifest
from pipeline.json_bytes import read_json
from pipeline.wiring import Services

# Both are canonical JSON, so that the first key tells what an object is before it is parsed.
_ENVELOPE_MARK: Final = b'{"authority":'
_MANIFEST_MARK: Final = b'{"access":'


@dataclass(slots=True)
class LandedResource:
    """What landing holds of one resource, by SHA-256; ``attached``: of bytes within it, whose readings are kept by that."""

    manifests: set[str] = field(default_factory=set)
    envelopes: set[str] = field(default_factory=set)
    attached: set[str] = field(default_factory=set)


def find_resources(services: Services, keys: Collection[str]) -> dict[str, LandedResource]:
    """Return what landing holds of resources, by their keys. It reads every object of landing once."""
    found = {key: LandedResource() for key in keys}
    if not found:
        return found
    for sha256, _ in services.landing.objects():
        try:
            data = services.landing.get(sha256)
        except (KeyError, StoreCorruptError):
            continue
        if data.startswith(_ENVELOPE_MARK):
            _add_envelope(services, found, sha256, data)
        elif data.startswith(_MANIFEST_MARK):
            key = _manifest_key(data)
            if key in found:
                found[key].manifests.add(sha256)
    return found


def _add_envelope(services: Services, found: dict[str, LandedResource], sha256: str, data: bytes) -> None:
    try:
        one = Envelope.of(data)
    except (RecordError, ValueError, KeyError, TypeError):
        return
    key = resource_key(services.secret, one.authority, one.resource_type, one.logical_id)
    if key in found:
        found[key].envelopes.add(sha256)
        found[key].attached.update(sha256_hex(content) for content in _attached(one.resource))


def _manifest_key(data: bytes) -> str | None:
    try:
        return Manifest.of(read_json(data)).resource_key
    except (RecordError, ValueError, KeyError, TypeError):
        return None


def _attached(value: object) -> Iterator[bytes]:
    """Yield the bytes of every attachment within a resource, at any depth."""
    if isinstance(value, Mapping):
        data = value.get("data")
        content = decoded(data) if isinstance(data, str) and "contentType" in value else None
        if content is not None:
            yield content
        for each in value.values():
            yield from _attached(each)
    elif isinstance(value, list):
        for each in value:
            yield from _attached(each)
