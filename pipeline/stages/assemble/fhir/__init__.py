"""A FHIR resource, as far as the allow-list lets it, in; its citable text and what search filters on out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from pipeline.domain.documents import Part
from pipeline.domain.errors import RecordError
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.assemble.fhir.allergy import render_allergy, render_immunization
from pipeline.stages.assemble.fhir.codes import displays_of
from pipeline.stages.assemble.fhir.condition import render_condition
from pipeline.stages.assemble.fhir.documents import render_composition, render_document_reference
from pipeline.stages.assemble.fhir.encounter import render_care_plan, render_encounter
from pipeline.stages.assemble.fhir.facets import facets_of_resource
from pipeline.stages.assemble.fhir.family import render_family_history
from pipeline.stages.assemble.fhir.medication import (
    render_medication_administration,
    render_medication_request,
    render_medication_statement,
)
from pipeline.stages.assemble.fhir.model import RENDERER_VERSION, AttachmentRef, Rendered
from pipeline.stages.assemble.fhir.observation import render_observation
from pipeline.stages.assemble.fhir.procedure import render_procedure, render_service_request, render_specimen
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.report import render_report
from pipeline.stages.assemble.fhir.research import render_research_study, render_research_subject
from pipeline.stages.assemble.fhir.values import measures_of

__all__ = ["RENDERED_TYPES", "RENDERER_VERSION", "AttachmentRef", "Rendered", "facets_of_resource", "render"]

_RENDERERS: Final[Mapping[str, Callable[[Resource, Related], Rendered]]] = MappingProxyType(
    {
        "AllergyIntolerance": render_allergy,
        "CarePlan": render_care_plan,
        "Composition": render_composition,
        "Condition": render_condition,
        "DiagnosticReport": render_report,
        "DocumentReference": render_document_reference,
        "Encounter": render_encounter,
        "FamilyMemberHistory": render_family_history,
        "Immunization": render_immunization,
        "MedicationAdministration": render_medication_administration,
        "MedicationRequest": render_medication_request,
        "MedicationStatement": render_medication_statement,
        "MedicationUsage": render_medication_statement,
        "Observation": render_observation,
        "Procedure": render_procedure,
        "ResearchStudy": render_research_study,
        "ResearchSubject": render_research_subject,
        "ServiceRequest": render_service_request,
        "Specimen": render_specimen,
    }
)

_LEAST_DISPLAY: Final = 3  # a shorter one is no words

#: Types that have a text.
RENDERED_TYPES: Final = frozenset(_RENDERERS)


def render(fields: Resource, related: Mapping[str, Resource]) -> Rendered:
    """Return the text of a resource; the same fields always give the same text.

    Args:
        fields: What ``allowed_fields`` left of it. Numbers are strings with the digits that were printed.
        related: The same of resources that it refers to, by ``Type/id``; ``#id`` of those that it contains; by ``urn:uuid:…`` where
            references still read so. Of a report its results, their members and its specimen, of an order its drug and its reasons.

    Raises:
        RecordError: ``unsupported_format``: its type is not rendered.
    """
    renderer = _RENDERERS.get(str(fields.get("resourceType")))
    if renderer is None:
        raise RecordError(FailureCategory.UNSUPPORTED_FORMAT, "no FHIR resource of a type that is rendered")
    read = renderer(fields, Related(related))
    seen = (fields, *related.values())
    displays = {one: MarkKind.CODED for value in seen for one in displays_of(value) if len(one) >= _LEAST_DISPLAY}
    measures = {one: MarkKind.MEASURE for value in seen for one in measures_of(value)}
    return replace(read, parts=tuple(_marked(part, displays | measures) for part in read.parts))


def _marked(part: Part, values: Mapping[str, MarkKind]) -> Part:
    """Return a part that knows which of its words are a vocabulary's, and which numbers are amounts."""
    text, found = part.text, list(part.marks)
    for one, kind in sorted(values.items()):
        start = text.find(one)
        if start >= 0:  # once is enough: the scrubber looks for the words themselves
            found.append(Mark(start, start + len(one), kind))
    return replace(part, marks=tuple(sorted(found)))
