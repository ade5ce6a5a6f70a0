"""Resources that a resource refers to: found by reference, never shown but by what renders them."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.stages.assemble.fhir.values import concept_text, items, joined, name_of, text_of

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
        target = _target(reference)
        return self._resources.get(target) if target else None

    def all(self, references: object) -> list[tuple[str, Resource]]:
        """Return what is there of a list of references, with their targets, in order, each once."""
        targets = dict.fromkeys(target for one in items(references) if (target := _target(one)))
        return [(target, self._resources[target]) for target in targets if target in self._resources]

    def concepts(self, *values: object) -> str:
        """Return concepts with their codes: of CodeableConcepts and of CodeableReferences, and what References point to is about."""
        return joined(self._concept(one) for value in values for one in items(value))

    def name(self, value: object) -> str:
        """Return what one concept, or what a reference points to, is called."""
        return name_of(self._about(value))

    def _concept(self, value: Resource) -> str:
        return concept_text(self._about(value))

    def _about(self, value: object) -> object:
        """Return a value's own concept, else the one that the resource which it points to is about."""
        if name_of(value):
            return value
        found = self.get(value) or {}
        return found.get("code") or found.get("vaccineCode") or found.get("description") or found.get("type")

    def encounter(self, fields: Resource) -> str | None:
        """Return the logical id of the encounter that a resource names (STU3 calls it ``context``; a document names it within)."""
        within = [inner for one in items(fields.get("context")) for inner in items(one.get("encounter"))]
        for one in (*items(fields.get("encounter")), *items(fields.get("context")), *within):
            kind, _, logical_id = _target(one).partition("/")
            if kind == "Encounter" and logical_id:
                return logical_id
        return None


def _target(reference: object) -> str:
    if isinstance(reference, Mapping) and isinstance(inner := reference.get("reference"), Mapping):
        reference = inner
    said = text_of(reference.get("reference")) if isinstance(reference, Mapping) else ""
    return target_of(said) if said else ""
