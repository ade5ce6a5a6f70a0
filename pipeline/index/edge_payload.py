"""Payloads as Qdrant Edge needs them.

Its Python binding (0.9.0) turns the ``True`` of ``MatchValue(True)`` into the number 1, which no boolean payload equals: a filter on a
boolean field matches nothing, silently. So each boolean field is mirrored as 0 or 1 in a field of its own that filters use. Readers never
see a mirror, unless it contradicts its field: then somebody else wrote the point, and the mirror is left in, so that the payload
differs from the expected one and reconciliation finds it.
"""

from __future__ import annotations

from typing import Any, Final

from pipeline.domain.points import BOOLEAN_FIELDS, Payload

MIRRORS: Final = {field: f"_{field}" for field in BOOLEAN_FIELDS}


def to_edge(payload: Payload) -> dict[str, Any]:
    """Return the payload with its mirrors.

    Raises:
        ValueError: It holds a field with a mirror's name.
    """
    stored = dict(payload)
    for field, mirror in MIRRORS.items():
        if mirror in stored:
            raise ValueError(f"the payload field {mirror} is reserved")
        value = stored.get(field)
        if isinstance(value, bool):
            stored[mirror] = int(value)
    return stored


def from_edge(stored: dict[str, Any] | None) -> dict[str, Any]:
    """Return the payload without its mirrors (changes ``stored``, which Edge made for this call)."""
    if stored is None:
        return {}
    for field, mirror in MIRRORS.items():
        value = stored.get(field)
        wanted = int(value) if isinstance(value, bool) else None
        found = stored.pop(mirror, None)
        if found != wanted:
            stored[mirror] = found
    return stored
