"""The published models of FHIR's releases (https://github.com/nazrulworld/fhir.resources): R4B reads R4."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import fhir.resources
import fhir.resources.R4B
import fhir.resources.STU3

from pipeline.domain.vocabulary import FhirVersion

#: Stands for a type that no release has: its name may be anything, a person's too.
OTHER: Final = "other"


@cache
def shown_type(kind: str) -> str:
    """Return the name of a type of resource where a release has it, else ``OTHER``: for counts, logs and reports."""
    known = kind == "unknown" or any(model_of(kind, version) is not None for version in (FhirVersion.R4B, FhirVersion.R5, FhirVersion.STU3))
    return kind if known else OTHER


@cache
def model_of(kind: str, version: FhirVersion) -> Any | None:
    """Return the published model of a type in a release, or ``None`` where the release has none."""
    package = {FhirVersion.R5: fhir.resources, FhirVersion.STU3: fhir.resources.STU3}.get(version, fhir.resources.R4B)
    try:
        model = package.get_fhir_model_class(kind)
    except (KeyError, ValueError, LookupError, ImportError, AttributeError):
        return None
    return model if hasattr(model, "model_validate") else None
