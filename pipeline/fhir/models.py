"""The published models of FHIR's releases (https://github.com/nazrulworld/fhir.resources): R4B reads R4."""

from __future__ import annotations

from functools import cache
from typing import Any

import fhir.resources
import fhir.resources.R4B
import fhir.resources.STU3

from pipeline.domain.vocabulary import FhirVersion


@cache
def model_of(kind: str, version: FhirVersion) -> Any | None:
    """Return the published model of a type in a release, or ``None`` where the release has none."""
    package = {FhirVersion.R5: fhir.resources, FhirVersion.STU3: fhir.resources.STU3}.get(version, fhir.resources.R4B)
    try:
        model = package.get_fhir_model_class(kind)
    except (KeyError, ValueError, LookupError, ImportError, AttributeError):
        return None
    return model if hasattr(model, "model_validate") else None
