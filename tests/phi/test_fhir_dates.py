"""Dates of a resource, full or partial, in every element that shows one, leave with the clinical policy; years stay."""

from __future__ import annotations

import json
import re
from uuid import UUID

import pytest

from pipeline.domain.documents import Document, Facets
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.fhir.rendering import render_resource
from pipeline.stages.assemble.fhir import facets_of_resource
from pipeline.stages.deidentify import Scrubber, deidentify, policy_for

POLICY = policy_for("fhir_resource", "fhir")
DATES = ["2031-05-17", "2031-05", "2031-05-17T10:11:12Z", "2031-05-17T10:11:12.123456789+05:30"]
# A dose, a range and a code stand behind each date: what follows a month must not make it an amount.
DOSE = {"text": "5 mg", "doseAndRate": [{"doseQuantity": {"value": "5", "unit": "mg"}}]}
RESOURCES = [
    '{"resourceType": "Observation", "code": {"text": "Dose"}, "effectiveDateTime": "D", "valueDateTime": "D", "note": [{"text": "5 mg"}]}',
    '{"resourceType": "Observation", "code": {"text": "Span"}, "effectivePeriod": {"start": "D", "end": "D"}, "valueString": "4 mg"}',
    '{"resourceType": "Observation", "code": {"text": "Late"}, "issued": "D", "component": [{"code": {"text": "A"}, "valueDateTime": "D"}]}',
    '{"resourceType": "Condition", "code": {"text": "Gout"}, "onsetDateTime": "D", "abatementDateTime": "D", "recordedDate": "D"}',
    '{"resourceType": "Condition", "code": {"text": "Gout"}, "onsetPeriod": {"start": "D"}, "assertedDate": "D", "note": [{"text": "3 mg"}]}',
    '{"resourceType": "DiagnosticReport", "code": {"text": "CT"}, "effectiveDateTime": "D", "conclusion": "5 mm node"}',
    '{"resourceType": "MedicationRequest", "medicationCodeableConcept": {"text": "X"}, "authoredOn": "D", "dosageInstruction": [DOSE],'
    ' "dispenseRequest": {"validityPeriod": {"start": "D", "end": "D"}, "quantity": {"value": "30"}}}',
    '{"resourceType": "MedicationStatement", "medicationCodeableConcept": {"text": "X"}, "effectivePeriod": {"end": "D"}, "dateAsserted": "D",'
    ' "dosage": [DOSE], "note": [{"text": "2 mg"}]}',
    '{"resourceType": "MedicationAdministration", "medicationCodeableConcept": {"text": "X"}, "occurenceDateTime": "D", "note": [{"text": "2 mg"}]}',
    '{"resourceType": "MedicationRequest", "medicationCodeableConcept": {"text": "X"}, "dosageInstruction":'
    ' [{"timing": {"event": ["D"], "repeat": {"boundsPeriod": {"start": "D"}}}, "maxDosePerLifetime": {"value": "9", "unit": "mg"}}]}',
    '{"resourceType": "Procedure", "code": {"text": "Biopsy"}, "performedDateTime": "D", "outcome": {"text": "5 mm"}}',
    '{"resourceType": "AllergyIntolerance", "code": {"text": "Nut"}, "reaction": [{"onset": "D", "description": "after 5 mg"}],'
    ' "onsetDateTime": "D", "lastOccurrence": "D", "recordedDate": "D"}',
    '{"resourceType": "Immunization", "vaccineCode": {"text": "MMR"}, "occurrenceDateTime": "D", "recorded": "D", "doseQuantity": {"value": "0.5", "unit": "mL"}}',
    '{"resourceType": "Immunization", "vaccineCode": {"text": "MMR"}, "date": "D", "doseQuantity": {"value": "0.5", "unit": "mL"}}',
    '{"resourceType": "Encounter", "type": [{"text": "Visit"}], "period": {"start": "D", "end": "D"}, "length": {"value": "15", "unit": "min"}}',
    '{"resourceType": "CarePlan", "title": "Plan", "period": {"start": "D"}, "created": "D", "activity": [{"detail": {"description": "5 mg"}}]}',
    '{"resourceType": "DocumentReference", "type": {"text": "Letter"}, "date": "D", "context": {"period": {"start": "D"}}}',
    '{"resourceType": "Composition", "title": "Letter", "date": "D", "event": [{"code": [{"text": "Stay"}], "period": {"start": "D", "end": "D"}}]}',
    '{"resourceType": "FamilyMemberHistory", "relationship": {"text": "Aunt"}, "date": "D", "note": [{"text": "5 mg"}]}',
    '{"resourceType": "ServiceRequest", "code": {"text": "MRI"}, "occurrenceDateTime": "D", "authoredOn": "D", "patientInstruction": "take 5 mg"}',
    '{"resourceType": "Specimen", "type": {"text": "Urine"}, "receivedTime": "D",'
    ' "collection": {"collectedDateTime": "D", "quantity": {"value": "5", "unit": "mL"}}}',
    '{"resourceType": "ResearchSubject", "status": "on-study", "period": {"start": "D"}, "progress": [{"milestone": {"text": "In"}, "startDate": "D"}]}',
]


@pytest.fixture(scope="module")
def scrubber() -> Scrubber:
    return Scrubber()


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("resource", RESOURCES, ids=lambda one: str(json.loads(one.replace("DOSE", "{}"))["resourceType"]))
def test_no_date_is_left(scrubber: Scrubber, resource: str, date: str):
    found = render_resource(json.loads(resource.replace("DOSE", json.dumps(DOSE)).replace('"D"', f'"{date}"')), {})
    printed = "\n".join(part.text for part in found.parts)
    assert len(re.findall(r"2031", printed)) >= resource.count('"D"') - 1  # an issue date stands back behind an effective one
    kind = DocumentKind.FHIR_RESOURCE
    done = deidentify(Document(UUID(int=1), "fhir", "k", kind, found.title, found.parts, Facets(), "h", "f"), scrubber, POLICY)
    assert "2031" not in "\n".join((done.title, *(part.text for part in done.parts)))
    assert facets_of_resource(found, patient=None, encounter=None, access=None, departments=()).document_date in (None, "2031")


def test_a_year_alone_stays(scrubber: Scrubber):
    found = render_resource({"resourceType": "Condition", "code": {"text": "Gout"}, "onsetDateTime": "2031"}, {})
    kind = DocumentKind.FHIR_RESOURCE
    done = deidentify(Document(UUID(int=1), "fhir", "k", kind, found.title, found.parts, Facets(), "h", "f"), scrubber, POLICY)
    assert done.parts[0].text == "Gout\nOnset: 2031"
