"""Keeps of a FHIR resource what ``fhir_allowlist.toml`` names, and nothing else. In: a resource as JSON values. Out: a smaller one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory


def allowed_fields(resource: object) -> dict[str, object]:
    """Return the resource's type and its allowed fields; lists keep their order.

    Raises:
        RecordError: ``unsupported_format``: it is no resource, no block names its type, or a modifier extension changes its meaning.
    """
    if not isinstance(resource, Mapping) or not isinstance(kind := resource.get("resourceType"), str) or kind not in _lists():
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "no FHIR resource of a type that may cross the wall")
    if resource.get("modifierExtension"):
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "a modifier extension changes what the resource means")
    kept = _kept(resource, _lists()[kind], "")
    return {"resourceType": kind, **(kept if isinstance(kept, dict) else {})}


def _kept(value: object, paths: frozenset[str], path: str) -> object:
    """Return what of ``value`` lies on an allowed path, ``None`` where nothing does."""
    if isinstance(value, Mapping):
        found = {key: _kept(each, paths, f"{path}.{key}" if path else str(key)) for key, each in value.items()}
        return {key: each for key, each in found.items() if each is not None} or None
    if isinstance(value, list):
        return [each for each in (_kept(one, paths, path) for one in value) if each is not None] or None
    return value if path in paths else None


@cache
def _lists() -> dict[str, frozenset[str]]:
    raw = tomllib.loads(resources.files(__package__).joinpath("fhir_allowlist.toml").read_text("utf-8"))
    return {kind: frozenset((*block["fields"], *block["free"])) for kind, block in raw.items()}
