"""One parsed file or page in, what it holds entry by entry out: one bad entry of a Bundle never costs the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.domain.fhir import BrokenEntry, FeedEntry, RawResource, RemovedResource, Stamp
from pipeline.domain.vocabulary import FailureCategory, FhirVersion
from pipeline.fhir.references import target_of

_DEEPEST: Final = 5  # Bundles within Bundles
_OUTCOME: Final = "OperationOutcome"
_ETAG: Final = re.compile(r'(?:W/)?"([^"]{1,64})"')


def entries_of(value: Any, *, origin: str, version: FhirVersion | None = None, depth: int = 0) -> Iterator[FeedEntry]:
    """Yield what a value holds: itself, or the entries of a Bundle, an ``OperationOutcome`` (a server's word on a search) left out.

    Args:
        value: JSON values with ``Printed`` numbers.
        origin: Where it stood, for people.
        version: Release of FHIR that its feed says.
        depth: Of Bundles around it.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("resourceType"), str):
        yield BrokenEntry(origin, FailureCategory.NOT_A_RESOURCE)
    elif value["resourceType"] == "Bundle":
        yield from _bundle(value, origin, version, depth)
    else:
        yield RawResource(value, origin, version=version)


def _bundle(bundle: Mapping[str, Any], origin: str, version: FhirVersion | None, depth: int) -> Iterator[FeedEntry]:
    listed = bundle.get("entry", [])
    if not isinstance(listed, list) or depth >= _DEEPEST:
        yield BrokenEntry(origin, FailureCategory.NOT_A_RESOURCE, "bundle_nested_too_deeply" if depth >= _DEEPEST else "bundle_entry")
        return
    urls = _urls(listed)
    numbered = list(enumerate(listed, start=1))
    if bundle.get("type") == "history":
        numbered.reverse()  # newest first, says FHIR: what was deleted last would come back with its older versions
    for number, entry in numbered:
        where = f"{origin} entry {number}"
        if not isinstance(entry, Mapping):
            yield BrokenEntry(where, FailureCategory.NOT_A_RESOURCE, "bundle_entry")
            continue
        stamp = _stamp(entry)
        removed = _removed(entry, where, stamp)
        resource = entry.get("resource")
        if removed is not None:
            yield removed
        elif not isinstance(resource, Mapping) or not isinstance(resource.get("resourceType"), str):
            if not _is_answer_alone(entry):
                yield BrokenEntry(where, FailureCategory.NOT_A_RESOURCE, "entry_without_resource")
        elif resource["resourceType"] == "Bundle":
            yield from entries_of(resource, origin=where, version=version, depth=depth + 1)
        elif resource["resourceType"] != _OUTCOME:
            url = entry.get("fullUrl")
            yield RawResource(resource, where, full_url=url if isinstance(url, str) else None, urls=urls, version=version, stamp=stamp)


def _urls(listed: list[Any]) -> dict[str, str]:
    """Return ``Type/id`` by ``fullUrl`` for entries whose URL does not say it: they are referred to by that URL within the Bundle."""
    found: dict[str, str] = {}
    for entry in listed:
        resource, url = (entry.get("resource"), entry.get("fullUrl")) if isinstance(entry, Mapping) else (None, None)
        if isinstance(resource, Mapping) and isinstance(url, str) and isinstance(kind := resource.get("resourceType"), str):
            own = resource.get("id")
            found[url] = f"{kind}/{own if isinstance(own, str) else url.removeprefix('urn:uuid:')}"
    return found


def _stamp(entry: Mapping[str, Any]) -> Stamp:
    """Return what a server's answer in an entry says of the version: of a deletion, which has no resource, it is all that is said."""
    response = entry.get("response")
    updated, etag = (response.get("lastModified"), response.get("etag")) if isinstance(response, Mapping) else (None, None)
    number = _ETAG.fullmatch(etag) if isinstance(etag, str) else None
    return Stamp(updated if isinstance(updated, str) else None, number[1] if number else None)


def _removed(entry: Mapping[str, Any], origin: str, stamp: Stamp) -> RemovedResource | None:
    """Return what an entry says was deleted: of a history, of a transaction, or of a bulk export's ``deleted``."""
    request = entry.get("request")
    if not isinstance(request, Mapping) or request.get("method") != "DELETE":
        return None
    for url in (request.get("url"), entry.get("fullUrl")):
        target = target_of(url, {}) if isinstance(url, str) else None
        if target is not None:
            return RemovedResource(*target, origin, stamp)
    return None


def _is_answer_alone(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a server's answer about a resource (of a batch-response): it never holds one."""
    return "response" in entry and "request" not in entry
