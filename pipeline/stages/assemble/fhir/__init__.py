"""A FHIR resource, as far as the allow-list lets it, in; its citable text and what search filters on out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.assemble.fhir.condition import render_condition
from pipeline.stages.assemble.fhir.model import PART_PREFIX, RENDERER_VERSION, AttachmentRef, Rendered
from pipeline.stages.assemble.fhir.observation import render_observation
from pipeline.stages.assemble.fhir.related import Related, Resource

__all__ = ["PART_PREFIX", "RENDERED_TYPES", "RENDERER_VERSION", "AttachmentRef", "Rendered", "render"]

_RENDERERS: Final[Mapping[str, Callable[[Resource, Related], Rendered]]] = MappingProxyType(
    {"Condition": render_condition, "Observation": render_observation}
)

#: Types that have a text.
RENDERED_TYPES: Final = frozenset(_RENDERERS)


def render(fields: Resource, related: Mapping[str, Resource]) -> Rendered:
    """Return the text of a resource; the same fields always give the same text.

    Args:
        fields: What ``allowed_fields`` left of it. Numbers are strings with the digits that were printed.
        related: The same of resources that it refers to, by ``Type/id``; ``#id`` of those that it contains.

    Raises:
        RecordError: ``unsupported_format``: its type is not rendered.
    """
    renderer = _RENDERERS.get(str(fields.get("resourceType")))
    if renderer is None:
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "no FHIR resource of a type that is rendered")
    return renderer(fields, Related(related))
