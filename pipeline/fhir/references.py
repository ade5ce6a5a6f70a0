"""References, in whatever form they are written: as a type and an id, or as an identifier (https://hl7.org/fhir/R4/references.html)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

ID: Final = re.compile(r"[A-Za-z0-9\-.]{1,64}", re.ASCII)
_TYPE: Final = re.compile(r"[A-Z][A-Za-z]{1,63}", re.ASCII)


def target_of(written: str, urls: Mapping[str, str]) -> tuple[str, str] | None:
    """Return type and id of a literal reference: relative, absolute, versioned, or the ``fullUrl`` of an entry; ``None``: it is none of these.

    Args:
        written: ``Patient/9``, ``https://…/Patient/9/_history/3``, ``urn:uuid:…``.
        urls: ``Type/id`` by ``fullUrl`` of the other entries of its Bundle.
    """
    path = urls.get(written, written).partition("#")[0].partition("?")[0].partition("/_history/")[0].rstrip("/")
    parts = path.split("/")
    if len(parts) < 2 or not _TYPE.fullmatch(parts[-2]) or not ID.fullmatch(parts[-1]):
        return None
    return parts[-2], parts[-1]


def identifier_of(reference: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return type (empty: nobody says) and ``system|value`` of a reference by identifier; ``None``: it is none.

    Either its ``reference`` is a search by one identifier, as transactions write it (``Practitioner?identifier=http://…|77``), or it has an
    ``identifier`` and no ``reference``. Searches by anything else are none.
    """
    written = reference.get("reference")
    if not isinstance(written, str):
        kind = reference.get("type")
        return next(((kind if isinstance(kind, str) else "", one) for one in identifiers_of(reference)), None)
    path, _, query = written.partition("?")
    kind = path.rpartition("/")[2]
    asked = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)
    if not _TYPE.fullmatch(kind) or len(asked) != 1 or asked[0][0] != "identifier":
        return None
    system, bar, value = asked[0][1].partition("|")
    return (kind, f"{system.strip()}|{value.strip()}") if bar and value.strip() else None


def identifiers_of(resource: Mapping[str, Any]) -> Iterator[str]:
    """Yield ``system|value`` of each identifier of a resource, or of a reference; the system may be empty."""
    listed = resource.get("identifier")
    for one in listed if isinstance(listed, list) else [listed]:
        system, value = (one.get("system"), one.get("value")) if isinstance(one, Mapping) else (None, None)
        if isinstance(value, str) and value.strip():
            yield f"{system.strip() if isinstance(system, str) else ''}|{value.strip()}"
