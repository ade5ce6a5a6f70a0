"""Keeps of a FHIR resource what ``fhir_allowlist.toml`` names, and nothing else. In: a resource as JSON values. Out: a smaller one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory

#: Lists of fields that a block may have; the file explains them.
LISTS: Final = ("fields", "free", "follow", "compare")


@dataclass(slots=True)
class Allowed:
    """What of one element may cross the wall: itself, where it is a value, and elements below it."""

    value: bool = False
    below: dict[str, Allowed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Block:
    """What of one type may cross the wall.

    Attributes:
        url: HL7's page that defines the fields.
        reason: Why they may.
        paths: Dotted, without the type's own name.
        root: The same as a tree.
    """

    url: str
    reason: str
    paths: frozenset[str]
    root: Allowed = field(repr=False)


def allowed_fields(resource: object) -> dict[str, object]:
    """Return the resource's type and its allowed fields; lists keep their order, an object that nothing is left of is gone.

    Raises:
        RecordError: ``unsupported_format``: it is no resource, no block names its type, or a modifier extension changes its meaning.
    """
    if not isinstance(resource, Mapping) or not isinstance(kind := resource.get("resourceType"), str) or kind not in allow_list():
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "no FHIR resource of a type that may cross the wall")
    if has_modifier(resource):
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "a modifier extension changes what the resource means")
    kept = _kept(resource, allow_list()[kind].root)
    return {"resourceType": kind, **(kept if isinstance(kept, dict) else {})}


def contained_fields(resource: object) -> dict[str, dict[str, object]]:
    """Return the allowed fields of the resources that a resource contains, by ``#id``, of types that a block names."""
    listed = resource.get("contained") if isinstance(resource, Mapping) else None
    found = (one for one in (listed if isinstance(listed, list) else []) if isinstance(one, Mapping))
    named = [one for one in found if isinstance(one.get("id"), str) and one.get("resourceType") in allow_list()]
    return {f"#{str(one['id']).removeprefix('#')}": allowed_fields(one) for one in named}


def has_modifier(value: object) -> bool:
    """Whether a modifier extension stands anywhere in it: none is known here, and one may turn a meaning round."""
    if isinstance(value, Mapping):
        return bool(value.get("modifierExtension")) or any(has_modifier(one) for one in value.values() if isinstance(one, (Mapping, list)))
    return isinstance(value, list) and any(map(has_modifier, value))


def _kept(value: object, allowed: Allowed) -> object:
    """Return what of ``value`` is allowed, ``None`` where nothing is."""
    if isinstance(value, Mapping):
        found = {key: _kept(each, allowed.below[key]) for key, each in value.items() if key in allowed.below}
        return {key: each for key, each in found.items() if each is not None} or None
    if isinstance(value, list):
        return [each for each in (_kept(one, allowed) for one in value) if each is not None] or None
    return value if allowed.value else None


@cache
def allow_list() -> Mapping[str, Block]:
    """Return the blocks by type of resource.

    Raises:
        ValueError: A block names a list or a data type that does not exist.
    """
    return parse(resources.files(__package__).joinpath("fhir_allowlist.toml").read_text("utf-8"))


def parse(text: str) -> Mapping[str, Block]:
    """Return the blocks of a list's text; see ``allow_list``."""
    raw = tomllib.loads(text)
    for name, block in (*raw["types"].items(), *raw["resources"].items()):
        if unknown := set(block) - {"url", "reason", "nested", *LISTS}:
            raise ValueError(f"{name}: {', '.join(sorted(unknown))}")
    types = {name: _entries(block) for name, block in raw["types"].items()}
    return {kind: _block(block, types) for kind, block in raw["resources"].items()}


def _block(block: Mapping[str, Any], types: Mapping[str, list[str]]) -> Block:
    paths = frozenset(_paths(_entries(block), types))
    root = Allowed()
    for path in paths:
        at = root
        for name in path.split("."):
            at = at.below.setdefault(name, Allowed())
        at.value = True
    for name in block.get("nested", ()):
        root.below[name].below[name] = root.below[name]
    return Block(block["url"], block["reason"], paths, root)


def _entries(block: Mapping[str, Any]) -> list[str]:
    return [path for each in LISTS for path in block.get(each, ())]


def _paths(entries: Iterable[str], types: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the paths that entries name: ``status``, or ``code: CodeableConcept`` for all paths of a data type under ``code``."""
    for entry in entries:
        path, _, kind = entry.partition(": ")
        if kind and kind not in types:
            raise ValueError(f"no data type {kind}")
        yield from (f"{path}.{below}" for below in _paths(types[kind], types)) if kind else (path,)
