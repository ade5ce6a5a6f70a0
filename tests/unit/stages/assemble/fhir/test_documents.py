"""Documents, encounters, plans and studies, and what search filters on."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import AuthorRole, DocumentKind
from pipeline.stages.assemble.fhir import RENDERED_TYPES, Rendered, facets_of_resource, render
from pipeline.stages.deidentify.fhir_fields import allow_list

LOINC = "http://loinc.org"


def test_a_document_reference_says_what_it_is_and_leads_to_its_content(rendered):
    found = rendered(
        {
            "resourceType": "DocumentReference",
            "status": "current",
            "docStatus": "final",
            "type": {"coding": [{"system": LOINC, "code": "18842-5", "display": "Discharge summary"}]},
            "date": "2031-05-17T10:00:00Z",
            "description": "After a fall",
            "context": {"encounter": [{"reference": "Encounter/e"}], "practiceSetting": {"text": "Geriatrics"}},
            "content": [{"attachment": {"contentType": "text/plain", "data": "QQ==", "title": "Letter"}}],
            "author": [{"reference": "Practitioner/p", "display": "Osric Vane"}],
        },
        {"Practitioner/p": {"resourceType": "Practitioner", "qualification": [{"code": {"coding": [{"code": "MD"}]}}]}},
    )
    assert found.title == "Document: Discharge summary"
    assert found.attached_kind is DocumentKind.DISCHARGE_SUMMARY
    assert [one.path for one in found.attachments] == ["content[0].attachment"]
    assert (found.encounter, found.departments, found.author_role) == ("e", ("Geriatrics",), AuthorRole.PHYSICIAN)
    assert found.parts[0].text.split("\n") == [
        "Discharge summary (current, final)",
        "Code: LOINC 18842-5",
        "Description: After a fall",
        "Setting: Geriatrics",
        "Date: 2031-05-17T10:00:00Z",
        "Attachment: Letter",
    ]


def test_sections_of_a_composition_are_parts_with_their_codes(rendered):
    section = {
        "title": "Allergies",
        "code": {"coding": [{"system": LOINC, "code": "48765-2"}]},
        "text": {"div": "<div>Latex</div>"},
        "section": [
            {"title": "Old", "entry": [{"reference": "AllergyIntolerance/a"}]},
            {"title": "Empty", "emptyReason": {"text": "not asked"}},
        ],
    }
    found = rendered(
        {"resourceType": "Composition", "status": "final", "title": "Summary", "date": "2031", "section": [section, {"title": "No words"}]},
        {"AllergyIntolerance/a": {"resourceType": "AllergyIntolerance", "code": {"text": "Wool"}}},
    )
    assert [(part.name, part.text) for part in found.parts] == [
        ("fhir:note_text", "Summary (final)\nDate: 2031"),
        ("fhir-section[0]:48765-2", "Allergies\nLatex"),
        ("fhir-section[1]:", "Old\nWool"),
        ("fhir-section[2]:", "Empty\nNothing is said here: not asked"),
    ]


def test_an_encounter_of_r4_and_of_r5_gives_class_reason_and_diagnosis(text):
    r4 = {
        "resourceType": "Encounter",
        "status": "finished",
        "class": {"code": "EMER", "display": "emergency"},
        "type": [{"text": "Emergency visit"}],
        "period": {"start": "2031-05-17", "end": "2031-05-18"},
        "reasonCode": [{"text": "Chest pain"}],
        "diagnosis": [{"condition": {"reference": "Condition/c"}, "use": {"text": "discharge"}}],
    }
    r5 = {
        "resourceType": "Encounter",
        "status": "finished",
        "class": [{"coding": [{"code": "EMER", "display": "emergency"}]}],
        "type": [{"text": "Emergency visit"}],
        "actualPeriod": {"start": "2031-05-17", "end": "2031-05-18"},
        "reason": [{"value": [{"concept": {"text": "Chest pain"}}]}],
        "diagnosis": [{"condition": [{"reference": {"reference": "Condition/c"}}], "use": [{"text": "discharge"}]}],
    }
    related = {"Condition/c": {"resourceType": "Condition", "code": {"text": "Angina"}}}
    assert (
        text(r4, related)
        == text(r5, related)
        == (
            "Emergency visit (finished)\nClass: emergency\nType: Emergency visit\nReason: Chest pain\nDiagnosis: Angina; discharge\n"
            "Period: 2031-05-17 to 2031-05-18"
        )
    )


def test_a_plan_shows_goals_and_what_must_not_be_done(text):
    plan = {
        "resourceType": "CarePlan",
        "status": "active",
        "intent": "plan",
        "title": "Diabetes plan",
        "addresses": [{"reference": "Condition/c"}],
        "goal": [{"reference": "Goal/g"}],
        "activity": [
            {"detail": {"code": {"text": "Foot check"}, "status": "scheduled", "scheduledString": "monthly"}},
            {"detail": {"description": "Hot baths", "status": "stopped", "doNotPerform": True}},
        ],
    }
    related = {
        "Condition/c": {"resourceType": "Condition", "code": {"text": "Diabetes"}},
        "Goal/g": {"resourceType": "Goal", "description": {"text": "HbA1c below 7.0 %"}, "lifecycleStatus": "active"},
    }
    assert text(plan, related).split("\n") == [
        "Diabetes plan (active, plan)",
        "Addresses: Diabetes",
        "Goal: HbA1c below 7.0 % (active)",
        "Activity: Foot check (scheduled); monthly",
        "Activity: Do not perform: Hot baths (stopped); Hot baths",
    ]


def test_a_study_shows_registration_phase_eligibility_and_arms(rendered):
    study = {
        "resourceType": "ResearchStudy",
        "status": "active",
        "title": "Calm trial",
        "identifier": [{"value": "SITE-4411"}, {"value": "NCT01234567"}],
        "phase": {"text": "Phase 2"},
        "condition": [{"text": "Asthma"}],
        "principalInvestigator": {"display": "Osric Vane"},
        "enrollment": [{"reference": "Group/g"}],
        "arm": [{"name": "A", "type": {"text": "Experimental"}, "description": "daily"}],
    }
    group = {
        "resourceType": "Group",
        "member": [{"entity": {"reference": "Patient/p"}}],
        "characteristic": [
            {"code": {"text": "Age"}, "valueRange": {"low": {"value": "18", "unit": "a"}}, "exclude": False},
            {"code": {"text": "Pregnant"}, "valueBoolean": True, "exclude": True},
        ],
    }
    found = rendered(study, {"Group/g": group})
    assert found.nct_ids == ("NCT01234567",)
    assert found.parts[0].text.split("\n") == [
        "Calm trial (active)",
        "Registration: NCT01234567",
        "Phase: Phase 2",
        "Conditions: Asthma",
        "Eligibility: Age: at least 18 a",
        "Eligibility: Excluded: Pregnant: yes",
        "Arm: A (Experimental): daily",
    ]
    subject = {"resourceType": "ResearchSubject", "status": "on-study", "study": {"reference": "ResearchStudy/s"}, "assignedArm": "A"}
    assert rendered(subject, {"ResearchStudy/s": study}).parts[0].text == "Calm trial (on-study)\nPhase: Phase 2\nAssigned arm: A"


def test_the_department_comes_from_the_encounter_and_only_from_the_sites_list(rendered):
    related = {
        "Encounter/e": {
            "resourceType": "Encounter",
            "serviceType": {"text": "Heart service"},
            "location": [{"location": {"reference": "Location/l"}}],
        },
        "Location/l": {"resourceType": "Location", "name": "  Cardiology ", "type": [{"text": "Ward"}]},
    }
    found = rendered({"resourceType": "Procedure", "code": {"text": "ECG"}, "encounter": {"reference": "Encounter/e"}}, related)
    assert found.departments == ("Heart service", "Cardiology", "Ward")
    asked = {"patient": "p", "encounter": "x", "access": None}
    assert facets_of_resource(found, **asked, departments={"cardiology"}).department == "cardiology"
    assert facets_of_resource(found, **asked, departments={"surgery"}).department is None
    assert "Cardiology" not in found.parts[0].text


@pytest.mark.parametrize(
    ("system", "code", "role"),
    [
        ("http://snomed.info/sct", "66862007", AuthorRole.RADIOLOGIST),
        ("http://nucc.org/provider-taxonomy", "363LF0000X", AuthorRole.NURSE_PRACTITIONER),
        ("http://nucc.org/provider-taxonomy", "2085R0202X", AuthorRole.RADIOLOGIST),
        ("http://nucc.org/provider-taxonomy", "2085R0001X", AuthorRole.PHYSICIAN),
        ("http://terminology.hl7.org/CodeSystem/practitioner-role", "pharmacist", AuthorRole.PHARMACIST),
        ("http://snomed.info/sct", "271649006", None),
        ("urn:local", "boss", None),
    ],
)
def test_the_authors_role_is_told_by_codes_and_never_guessed(rendered, system: str, code: str, role: AuthorRole | None):
    people = {"resourceType": "PractitionerRole", "code": [{"coding": [{"system": system, "code": code, "display": "Radiologist"}]}]}
    report = {"resourceType": "DiagnosticReport", "code": {"text": "CT"}, "resultsInterpreter": [{"reference": "PractitionerRole/r"}]}
    assert rendered(report, {"PractitionerRole/r": people}).author_role is role


def test_facets_hold_the_year_pseudonyms_and_codes():
    found = facets_of_resource(
        Rendered("T", date="2031-05-17T08:00:00Z", status="final", loinc_codes=("4548-4",), encounter="e-4", departments=("X",)),
        patient="p" * 32,
        encounter="e" * 32,
        access="research",
        departments=frozenset(),
    )
    assert (found.document_date, found.resource_status, found.loinc_codes) == ("2031", "final", ("4548-4",))
    assert (found.patient, found.encounter, found.access, found.department) == ("p" * 32, "e" * 32, "research", None)


@pytest.mark.parametrize("status", ["Told by Osric Vane", "77120", "", None])
def test_words_in_the_place_of_a_status_are_no_facet(status: str | None):
    found = facets_of_resource(Rendered("T", status=status, date="soon"), patient=None, encounter=None, access=None, departments=())
    assert (found.resource_status, found.document_date) == (None, None)


def test_every_rendered_type_has_a_block_and_another_type_is_refused():
    assert allow_list().keys() >= RENDERED_TYPES
    with pytest.raises(RecordError, match="type that is rendered"):
        render({"resourceType": "Location", "type": [{"text": "Ward"}]}, {})


@pytest.mark.parametrize("kind", sorted(RENDERED_TYPES))
def test_a_resource_that_says_nothing_has_a_title_and_no_part(kind: str):
    found = render({"resourceType": kind}, {})
    assert found.title
    assert found.parts == ()
    assert (found.date, found.status, found.encounter, found.attachments) == (None, None, None, ())
