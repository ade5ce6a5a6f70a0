"""Attachments by URL: neither an export nor a search brings a Binary that a document refers to, so a feed asks for it by itself."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.fhir import FeedEntry, RawResource
from pipeline.domain.vocabulary import FhirVersion
from pipeline.fhir.exact_json import read_exact
from pipeline.fhir.references import target_of
from pipeline.stages.sources.fhir.server import FHIR_JSON, FhirServer
from pipeline.stages.sources.polite_http import RefusedStatusError

_BINARY: Final = "Binary"
_JSON: Final = frozenset({FHIR_JSON, "application/json", "application/json+fhir"})
_GONE: Final = frozenset({404, 410})


class Binaries:
    """Fetches what attachments refer to, each once.

    Args:
        server: Only what it has itself is fetched.
        skipped: Counts ``binary_missing``: the document that refers to it says so, too.
    """

    def __init__(self, server: FhirServer, skipped: Counter[str]) -> None:
        self._server, self._skipped = server, skipped
        self._seen: set[int] = set()  # hashes: an export may refer to millions

    def of(self, entry: FeedEntry, version: FhirVersion | None) -> Iterator[RawResource]:
        """Yield the Binaries that an entry's attachments refer to."""
        if not isinstance(entry, RawResource):
            return
        for own_id in sorted(set(_referred(entry.value, self._server.url))):
            if (mark := hash(own_id)) in self._seen:
                continue
            self._seen.add(mark)
            try:
                media_type, content = self._server.content(f"{_BINARY}/{own_id}")
            except RefusedStatusError as error:
                if error.status not in _GONE:
                    raise
                self._skipped["binary_missing"] += 1
                continue
            yield RawResource(_resource(own_id, media_type, content), f"{entry.origin} attachment", version=version)


def _referred(value: Any, base: str) -> Iterator[str]:
    """Yield ids of Binaries in attachments' ``url`` anywhere within a value: relative, or of this server."""
    if isinstance(value, Mapping):
        url = value.get("url")
        if isinstance(url, str) and (url.startswith((f"{_BINARY}/", f"{base}/{_BINARY}/"))):
            target = target_of(url, {})
            if target is not None and target[0] == _BINARY:
                yield target[1]
        for one in value.values():
            yield from _referred(one, base)
    elif isinstance(value, list):
        for one in value:
            yield from _referred(one, base)


def _resource(own_id: str, media_type: str, content: bytes) -> Mapping[str, Any]:
    """Return an answer as the resource: as it came, or the content that a server sent in its place."""
    if media_type in _JSON:
        try:
            value = read_exact(content)
        except RecordError:
            value = None
        if isinstance(value, Mapping) and value.get("resourceType") == _BINARY:
            return {**value, "id": own_id}
    return {
        "resourceType": _BINARY,
        "id": own_id,
        "contentType": media_type or "application/octet-stream",
        "data": base64.b64encode(content).decode(),
    }
