"""A FHIR resource as it landed in, its text out: the allow-list first, so that what it does not name is never seen by what renders."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.stages.assemble.fhir import Rendered, render
from pipeline.stages.deidentify.fhir_fields import allow_list, allowed_fields, contained_fields


def render_resource(resource: object, related: Mapping[str, Mapping[str, object]]) -> Rendered:
    """Return the text of a resource and what search filters on.

    Args:
        resource: As JSON values; numbers are ``Printed``.
        related: Resources that it refers to, by ``Type/id``; those of a type that the allow-list does not name are not seen.

    Raises:
        RecordError: ``unsupported_format``: see ``allowed_fields`` and ``render``; also where a modifier extension changes a related one.
    """
    seen = {key: allowed_fields(one) for key, one in related.items() if one.get("resourceType") in allow_list()}
    return render(allowed_fields(resource), seen | contained_fields(resource))
