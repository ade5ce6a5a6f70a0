"""Keeps of a FHIR resource what ``fhir_allowlist.toml`` names, and nothing else. In: a resource as JSON values. Out: a smaller one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory

#: What a block of the list may hold; ``fields`` and ``free`` are shown, what ``follow`` names is used to find other resources alone.
LISTS: Final = ("fields", "free", "follow")


@dataclass(frozen=True, slots=True)
class Block:
    """What of one type may cross the wall.

    Attributes:
        url: HL7's page that defines the fields.
        reason: Why they may.
        paths: Dotted, without the type's own name.
    """

    url: str
    reason: str
    paths: frozenset[str]


def allowed_fields(resource: object) -> dict[str, object]:
    """Return the resource's type and its allowed fields; lists keep their order.

    Raises:
        RecordError: ``unsupported_format``: it is no resource, no block names its type, or a modifier extension changes its meaning.
    """
    if not isinstance(resource, Mapping) or not isinstance(kind := resource.get("resourceType"), str) or kind not in allow_list():
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "no FHIR resource of a type that may cross the wall")
    if has_modifier(resource):
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "a modifier extension changes what the resource means")
    kept = _kept(resource, allow_list()[kind].paths, "")
    return {"resourceType": kind, **(kept if isinstance(kept, dict) else {})}


def contained_fields(resource: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return the allowed fields of the resources that a resource contains, by ``#id``, of types that a block names."""
    listed = resource.get("contained")
    found = (one for one in (listed if isinstance(listed, list) else []) if isinstance(one, Mapping))
    named = [one for one in found if isinstance(one.get("id"), str) and one.get("resourceType") in allow_list()]
    return {f"#{str(one['id']).removeprefix('#')}": allowed_fields(one) for one in named}


def has_modifier(value: object) -> bool:
    """Whether a modifier extension stands anywhere in it: none is known here, and one may turn a meaning round."""
    if isinstance(value, Mapping):
        return bool(value.get("modifierExtension")) or any(map(has_modifier, value.values()))
    return isinstance(value, list) and any(map(has_modifier, value))


def _kept(value: object, paths: frozenset[str], path: str) -> object:
    """Return what of ``value`` lies on an allowed path, ``None`` where nothing does."""
    if isinstance(value, Mapping):
        found = {key: _kept(each, paths, f"{path}.{key}" if path else str(key)) for key, each in value.items()}
        return {key: each for key, each in found.items() if each is not None} or None
    if isinstance(value, list):
        return [each for each in (_kept(one, paths, path) for one in value) if each is not None] or None
    return value if path in paths else None


@cache
def allow_list() -> Mapping[str, Block]:
    """Return the blocks by type of resource."""
    raw = tomllib.loads(resources.files(__package__).joinpath("fhir_allowlist.toml").read_text("utf-8"))
    types = {name: [path for each in LISTS for path in block.get(each, ())] for name, block in raw["types"].items()}
    return {
        kind: Block(block["url"], block["reason"], frozenset(_paths((path for each in LISTS for path in block.get(each, ())), types)))
        for kind, block in raw["resources"].items()
    }


def _paths(entries: Iterable[str], types: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the paths that entries name: ``status``, or ``code: CodeableConcept`` for all paths of a data type under ``code``."""
    for entry in entries:
        path, _, kind = entry.partition(": ")
        yield from (f"{path}.{below}" for below in _paths(types[kind], types)) if kind else (path,)
