"""Literal references, in whatever form they are written, as a type and an id (https://hl7.org/fhir/R4/references.html)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

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
