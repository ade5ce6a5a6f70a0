"""Conditions, allergies, immunizations, drugs, procedures and what is ordered: that something is not comes first."""

from __future__ import annotations

import pytest

SNOMED = "http://snomed.info/sct"
RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"


def status(code: str) -> dict:
    return {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/x", "code": code}]}


DRUG = {"text": "Lisinopril 10 MG Tablet", "coding": [{"system": RXNORM, "code": "314076"}]}


@pytest.mark.parametrize(
    ("resource", "first"),
    [
        (
            {
                "resourceType": "Condition",
                "clinicalStatus": status("active"),
                "verificationStatus": status("refuted"),
                "code": {"text": "Lupus"},
            },
            "Ruled out: Lupus (active, refuted)",
        ),
        (
            {"resourceType": "Condition", "clinicalStatus": "resolved", "verificationStatus": "confirmed", "code": {"text": "Croup"}},
            "Croup (resolved, confirmed)",
        ),
        (
            {"resourceType": "AllergyIntolerance", "verificationStatus": status("refuted"), "code": {"text": "Penicillin"}},
            "Ruled out: Penicillin (refuted)",
        ),
        (
            {"resourceType": "AllergyIntolerance", "clinicalStatus": status("active"), "code": {"text": "No known allergy"}},
            "No known allergy (active)",
        ),
        ({"resourceType": "Immunization", "status": "not-done", "vaccineCode": {"text": "MMR"}}, "Not given: MMR (not-done)"),
        (
            {"resourceType": "Immunization", "status": "completed", "notGiven": True, "vaccineCode": {"text": "MMR"}},
            "Not given: MMR (completed)",
        ),
        ({"resourceType": "Procedure", "status": "not-done", "code": {"text": "Appendectomy"}}, "Not done: Appendectomy (not-done)"),
        ({"resourceType": "Procedure", "status": "completed", "notDone": True, "code": {"text": "Biopsy"}}, "Not done: Biopsy (completed)"),
        (
            {"resourceType": "MedicationStatement", "status": "not-taken", "medicationCodeableConcept": DRUG},
            "Not taken: Lisinopril 10 MG Tablet (not-taken)",
        ),
        (
            {"resourceType": "MedicationStatement", "status": "active", "taken": "n", "medicationCodeableConcept": DRUG},
            "Not taken: Lisinopril 10 MG Tablet (active)",
        ),
        (
            {
                "resourceType": "MedicationStatement",
                "status": "recorded",
                "adherence": {"code": status("not-taken")},
                "medication": {"concept": DRUG},
            },
            "Not taken: Lisinopril 10 MG Tablet (recorded, not-taken)",
        ),
        (
            {"resourceType": "MedicationStatement", "status": "active", "taken": "y", "medicationCodeableConcept": DRUG},
            "Lisinopril 10 MG Tablet (active)",
        ),
        (
            {"resourceType": "MedicationAdministration", "status": "not-done", "medicationCodeableConcept": DRUG},
            "Not given: Lisinopril 10 MG Tablet (not-done)",
        ),
        (
            {
                "resourceType": "MedicationRequest",
                "status": "active",
                "intent": "order",
                "doNotPerform": True,
                "medicationCodeableConcept": DRUG,
            },
            "Do not give: Lisinopril 10 MG Tablet (active, order)",
        ),
        (
            {"resourceType": "ServiceRequest", "status": "active", "intent": "order", "doNotPerform": True, "code": {"text": "MRI"}},
            "Do not perform: MRI (active, order)",
        ),
        (
            {"resourceType": "FamilyMemberHistory", "status": "health-unknown", "relationship": {"text": "Father"}},
            "Not known: Father (health-unknown)",
        ),
    ],
)
def test_what_is_denied_is_said_first(text, resource: dict, first: str):
    assert text(resource).split("\n")[0] == first


def test_a_condition_shows_stage_site_onset_and_evidence(rendered):
    found = rendered(
        {
            "resourceType": "Condition",
            "clinicalStatus": status("active"),
            "code": {"text": "Breast cancer", "coding": [{"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "C50.912"}]},
            "severity": {"text": "Severe"},
            "stage": [{"type": {"text": "Clinical"}, "summary": {"text": "IIA"}}],
            "bodySite": [{"text": "Left breast"}],
            "onsetAge": {"value": "91", "unit": "a", "code": "a"},
            "recordedDate": "2031-05-17",
            "evidence": [{"code": [{"text": "Lump"}]}],
        }
    )
    assert found.parts[0].text.split("\n")[1:] == [
        "Code: ICD-10-CM C50.912",
        "Severity: Severe",
        "Stage: Clinical: IIA",
        "Body site: Left breast",
        "Onset: 90+ years",
        "Recorded: 2031-05-17",
        "Evidence: Lump",
    ]
    assert (found.icd_codes, found.status, found.date) == (("C50.912",), "active", "2031-05-17")


@pytest.mark.parametrize("manifestation", [[{"text": "hives"}], [{"concept": {"text": "hives"}}]], ids=["R4", "R5"])
def test_reactions_of_every_version_are_shown(text, manifestation: list):
    allergy = {
        "resourceType": "AllergyIntolerance",
        "code": {"text": "Peanut"},
        "criticality": "high",
        "category": ["food"],
        "reaction": [
            {"manifestation": manifestation, "severity": "severe", "description": "within minutes", "substance": {"text": "Peanut oil"}}
        ],
    }
    assert text(allergy).split("\n") == [
        "Peanut",
        "Category: food",
        "Criticality: high",
        "Reaction: hives; within minutes; severity severe; to Peanut oil",
    ]


def test_a_dose_of_a_series_is_counted_in_every_version(text):
    head = {"resourceType": "Immunization", "status": "completed", "vaccineCode": {"text": "Rabies"}}
    series = ({"doseNumberPositiveInt": "2", "seriesDosesPositiveInt": "3"}, {"doseNumber": "2", "seriesDoses": "3"})
    for one in series:
        assert "Series: dose 2 of 3" in text({**head, "protocolApplied": [one]})
    assert "Series: dose 2 of 3" in text({**head, "vaccinationProtocol": [{"doseSequence": "2", "seriesDoses": "3"}]})


@pytest.mark.parametrize(
    ("order", "related"),
    [
        ({"medicationCodeableConcept": DRUG}, {}),
        ({"medicationReference": {"reference": "Medication/m"}}, {"Medication/m": {"resourceType": "Medication", "code": DRUG}}),
        ({"medicationReference": {"reference": "#m"}, "contained": [{"resourceType": "Medication", "id": "m", "code": DRUG}]}, {}),
        ({"medication": {"concept": DRUG}}, {}),
        ({"medication": {"reference": {"reference": "Medication/m"}}}, {"Medication/m": {"resourceType": "Medication", "code": DRUG}}),
    ],
    ids=["concept", "reference", "contained", "R5 concept", "R5 reference"],
)
def test_a_drug_is_found_however_an_order_names_it(rendered, order: dict, related: dict):
    found = rendered({"resourceType": "MedicationRequest", "status": "active", "intent": "order", **order}, related)
    assert found.title == "Medication request: Lisinopril 10 MG Tablet"
    assert found.rxnorm_codes == ("314076",)
    assert found.parts[0].text.split("\n")[:2] == ["Lisinopril 10 MG Tablet (active, order)", "Code: RxNorm 314076"]


def test_an_order_shows_dosage_reason_supply_and_substitution(text):
    order = {
        "resourceType": "MedicationRequest",
        "medicationCodeableConcept": DRUG,
        "reasonReference": [{"reference": "Condition/c"}],
        "dosageInstruction": [{"text": "One in the morning"}],
        "dispenseRequest": {"quantity": {"value": "30.0", "unit": "tablets"}, "numberOfRepeatsAllowed": "0"},
        "substitution": {"allowedBoolean": False},
        "authoredOn": "2031-05-17",
        "requester": {"reference": "Practitioner/p", "display": "Dr. Osric Vane"},
    }
    condition = {"resourceType": "Condition", "code": {"text": "Hypertension", "coding": [{"system": SNOMED, "code": "38341003"}]}}
    assert text(order, {"Condition/c": condition}).split("\n")[2:] == [
        "Reason: Hypertension (SNOMED 38341003)",
        "Dosage: One in the morning",
        "Quantity: 30.0 tablets",
        "Repeats allowed: 0",
        "Substitution: not allowed",
        "Ordered: 2031-05-17",
    ]


def test_a_procedure_of_r4_and_of_r5_reads_alike(text):
    head = {"resourceType": "Procedure", "status": "completed", "code": {"text": "Colonoscopy"}}
    r4 = {**head, "performedPeriod": {"start": "2031-05-17"}, "reasonCode": [{"text": "Bleeding"}], "complication": [{"text": "Tear"}]}
    r5 = {
        **head,
        "occurrencePeriod": {"start": "2031-05-17"},
        "reason": [{"concept": {"text": "Bleeding"}}],
        "complication": [{"concept": {"text": "Tear"}}],
    }
    assert text(r4) == text(r5) == "Colonoscopy (completed)\nReason: Bleeding\nPerformed: since 2031-05-17\nComplication: Tear"


def test_family_history_stands_by_relationship_with_age_at_onset(text):
    history = {
        "resourceType": "FamilyMemberHistory",
        "status": "completed",
        "relationship": {"text": "Mother"},
        "name": "Ludmila Quillfeather",
        "bornDate": "1901-02-03",
        "deceasedAge": {"value": "97", "unit": "years"},
        "condition": [{"code": {"text": "Stroke"}, "onsetAge": {"value": "71", "unit": "years"}, "contributedToDeath": True}],
    }
    assert text(history).split("\n") == [
        "Stroke (Mother) (completed)",
        "Relationship: Mother",
        "Condition: Stroke; at age 71 years; contributed to death",
        "Deceased: 90+ years",
    ]


def test_a_request_of_r5_is_named_by_its_concept(rendered):
    found = rendered({"resourceType": "ServiceRequest", "status": "active", "intent": "order", "code": {"concept": {"text": "CT head"}}})
    assert found.title == "Service request: CT head"


def test_a_specimen_shows_how_it_was_taken_and_no_number_of_it(text):
    specimen = {
        "resourceType": "Specimen",
        "accessionIdentifier": {"value": "ACC-77120"},
        "type": {"text": "Urine"},
        "collection": {"collectedDateTime": "2031-05", "method": {"text": "Clean catch"}, "quantity": {"value": "10.0", "unit": "mL"}},
        "processing": [{"description": "spun", "procedure": {"text": "Centrifugation"}}],
    }
    assert text(specimen) == "Urine\nCollected: May 2031\nMethod: Clean catch\nQuantity: 10.0 mL\nProcessing: spun; Centrifugation"
