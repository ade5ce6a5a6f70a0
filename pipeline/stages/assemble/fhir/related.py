"""Resources that a resource refers to: found by reference, never shown but by what renders them."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.stages.assemble.fhir.values import items, text_of

Resource = Mapping[str, object]


def target_of(reference: str) -> str:
    """Return ``Type/id`` of a relative, absolute or versioned reference; ``#id`` and ``urn:uuid:`` as they are."""
    if reference.startswith(("#", "urn:")):
        return reference
    parts = reference.partition("?")[0].partition("/_history/")[0].rstrip("/").split("/")
    return "/".join(parts[-2:])


class Related:
    """Looks up what references point to.

    Args:
        resources: Allowed fields of resources by ``Type/id`` (``#id`` for contained ones, ``urn:uuid:…`` where nothing else is known).
    """

    def __init__(self, resources: Mapping[str, Resource]) -> None:
        self._resources = resources

    def get(self, reference: object) -> Resource | None:
        """Return what a Reference, or a CodeableReference's one, points to; ``None``: it is not there."""
        if isinstance(reference, Mapping) and isinstance(inner := reference.get("reference"), Mapping):
            reference = inner
        said = text_of(reference.get("reference")) if isinstance(reference, Mapping) else ""
        return self._resources.get(target_of(said)) if said else None

    def all(self, references: object) -> list[Resource]:
        """Return what is there of a list of references, in order."""
        return [one for one in map(self.get, items(references)) if one is not None]

    def encounter(self, fields: Resource) -> str | None:
        """Return the logical id of the encounter that a resource names (STU3 calls it ``context``)."""
        for name in ("encounter", "context"):
            for one in items(fields.get(name)):
                kind, _, logical_id = target_of(text_of(one.get("reference"))).partition("/")
                if kind == "Encounter" and logical_id:
                    return logical_id
        return None
