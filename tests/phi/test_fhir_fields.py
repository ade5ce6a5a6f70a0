"""Of a FHIR resource only named fields cross the wall, with every digit as it was printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.errors import RecordError
from pipeline.jobs.fhir.rendering import render_resource
from pipeline.jobs.file_preview import preview_file
from pipeline.settings import Settings
from pipeline.stages.assemble.fhir import RENDERED_TYPES
from pipeline.stages.deidentify.fhir_fields import allow_list, allowed_fields, contained_fields, parse

OBSERVATION = """{"resourceType": "Observation", "id": "obs-7741", "status": "final", "code": {"text": "Sodium"},
 "text": {"status": "generated", "div": "<div>Ludmila Quillfeather: 139.0</div>"},
 "contained": [{"resourceType": "Patient", "id": "p", "name": [{"family": "Quillfeather", "given": ["Ludmila"]}]}],
 "subject": {"reference": "#p", "display": "Ludmila Quillfeather"}, "performer": [{"display": "Dr. Osric Vane"}],
 "identifier": [{"system": "urn:mrn", "value": "5528419"}], "effectiveDateTime": "2026-03-04",
 "extension": [{"url": "urn:x", "valueString": "Quillfeather"}],
 "valueQuantity": {"value": 139.0, "unit": "mmol/L", "extension": [{"url": "urn:y", "valueString": "Vane"}]}}"""


@pytest.fixture
def settings(models: Path, tmp_path: Path) -> Settings:
    """A home that is not there: a preview opens none."""
    return Settings(home=tmp_path / "home", models_path=models)


def preview(settings: Settings, path: Path, resource: str) -> dict[str, Any]:
    path.write_text(resource, encoding="utf-8")
    return preview_file(settings, path, kind="fhir_resource")


def test_nothing_identifying_is_in_the_chunk_and_no_digit_is_lost(tmp_path: Path, settings: Settings):
    shown = preview(settings, tmp_path / "observation.json", OBSERVATION)
    (chunk,) = shown["documents"][0]["chunks"]
    assert chunk["text"] == "Sodium 139.0 mmol/L (final)\nDate: [DATE]"
    said = json.dumps(shown)
    assert not [each for each in ("Quillfeather", "Ludmila", "Vane", "5528419", "obs-7741", "2026-03") if each in said]


def test_free_text_of_a_resource_is_scrubbed(tmp_path: Path, settings: Settings):
    remark = {"resourceType": "Observation", "status": "final", "code": {"text": "Nurse's remark"}, "valueString": "Seen by Dr. Osric Vane"}
    (chunk,) = preview(settings, tmp_path / "observation.json", json.dumps(remark))["documents"][0]["chunks"]
    assert chunk["text"] == "Nurse's remark Seen by Dr. [NAME] (final)"


@pytest.mark.parametrize(
    "resource",
    [
        [],
        "text",
        {},
        {"resourceType": ["Observation"]},
        {"resourceType": "Patient", "name": []},
        {"resourceType": "Observation", "modifierExtension": [{"url": "urn:not"}]},
        {"resourceType": "Observation", "component": [{"code": {}, "modifierExtension": [{"url": "urn:not"}]}]},
    ],
)
def test_what_no_block_names_or_a_modifier_changes_is_refused(resource: object):
    with pytest.raises(RecordError, match=r"FHIR resource|modifier"):
        allowed_fields(resource)


def test_every_rendered_type_has_a_block_with_a_page_of_hl7_and_a_reason():
    assert allow_list().keys() >= RENDERED_TYPES
    for kind, block in allow_list().items():
        assert block.url.startswith("https://hl7.org/fhir/"), kind
        assert block.reason, kind
        assert block.paths, kind


@pytest.mark.parametrize("kind", sorted(allow_list()))
def test_no_block_lets_names_numbers_places_or_extensions_pass(kind: str):
    never = {"id", "extension", "contained", "subject", "patient", "telecom", "address", "photo", "birthDate", "lotNumber", "serialNumber"}
    steps = {step for path in allow_list()[kind].paths for step in path.split(".")}
    assert not never & steps
    assert not [path for path in allow_list()[kind].paths if "identifier" in path and (kind, path) != ("ResearchStudy", "identifier.value")]
    ends = [path for path in allow_list()[kind].paths if path.rpartition(".")[2] == "display" and ".coding." not in f".{path}"]
    assert ends in ([], ["class.display"])  # of a Coding, never of a Reference


@pytest.mark.parametrize("kind", sorted(allow_list()))
def test_a_value_under_every_name_that_is_not_listed_is_dropped(kind: str):
    canary = {"display": "Quillfeather", "identifier": {"value": "5528419"}, "authorString": "Quillfeather", "family": "Quillfeather"}
    tops = {path.partition(".")[0] for path in allow_list()[kind].paths}
    full = {"resourceType": kind, **{name: [{**canary, "unlisted": canary}, None] for name in tops}, "unlisted": canary, "_status": canary}
    kept = json.dumps(allowed_fields({**full, "class": []}))
    assert "Quillfeather" not in kept
    assert "5528419" not in kept


def test_a_section_within_a_section_is_allowed_what_a_section_is():
    inner = {
        "title": "Inner",
        "text": {"div": "x", "status": "generated"},
        "author": [{"display": "Vane"}],
        "section": [{"title": "Inmost"}],
    }
    kept = allowed_fields({"resourceType": "Composition", "section": [{"title": "Outer", "section": [inner]}]})
    assert kept["section"] == [{"title": "Outer", "section": [{"title": "Inner", "text": {"div": "x"}, "section": [{"title": "Inmost"}]}]}]


def test_contained_resources_of_known_types_pass_by_their_own_block():
    found = contained_fields(
        {
            "contained": [
                {"resourceType": "Medication", "id": "m", "code": {"text": "Iron"}, "batch": {"lotNumber": "L-9"}},
                {"resourceType": "Patient", "id": "p", "name": [{"family": "Vane"}]},
                {"resourceType": "Medication", "code": {"text": "No id"}},
                "text",
            ]
        }
    )
    assert found == {"#m": {"resourceType": "Medication", "code": {"text": "Iron"}}}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[types]\n[resources.X]\nurl = "u"\nreason = "r"\nshown = ["a"]', "X: shown"),
        ('[types]\n[resources.X]\nurl = "u"\nreason = "r"\nfields = ["a: Nothing"]', "no data type Nothing"),
    ],
)
def test_a_list_that_says_what_does_not_exist_is_refused(text: str, error: str):
    with pytest.raises(ValueError, match=error):
        parse(text)


# One row a kind of thing that exports hold: what must be shown, and what must never be.
KEPT_AND_DROPPED = [
    (
        {
            "resourceType": "Condition",
            "code": {"text": "shown-1"},
            "severity": {"text": "shown-2"},
            "evidence": [{"code": [{"text": "shown-3"}]}],
        },
        {"identifier": [{"value": "hidden-1"}], "recorder": {"display": "hidden-2"}, "implicitRules": "urn:hidden-3"},
    ),
    (
        {"resourceType": "AllergyIntolerance", "code": {"text": "shown-1"}, "reaction": [{"manifestation": [{"text": "shown-2"}]}]},
        {"patient": {"reference": "Patient/hidden-1"}, "asserter": {"display": "hidden-2"}, "identifier": [{"value": "hidden-3"}]},
    ),
    (
        {"resourceType": "DiagnosticReport", "code": {"text": "shown-1"}, "conclusionCode": [{"text": "shown-2"}], "conclusion": "shown-3"},
        {
            "media": [{"comment": "hidden-1"}],
            "performer": [{"reference": "Practitioner/hidden-2"}],
            "basedOn": [{"reference": "CarePlan/hidden-3"}],
        },
    ),
    (
        {"resourceType": "DocumentReference", "type": {"text": "shown-1"}, "description": "shown-2", "docStatus": "final"},
        {"masterIdentifier": {"value": "hidden-1"}, "custodian": {"display": "hidden-2"}, "authenticator": {"display": "hidden-3"}},
    ),
    (
        {"resourceType": "Procedure", "code": {"text": "shown-1"}, "outcome": {"text": "shown-2"}, "usedCode": [{"text": "shown-3"}]},
        {"usedReference": [{"display": "hidden-1"}], "location": {"display": "hidden-2"}, "instantiatesUri": ["urn:hidden-3"]},
    ),
    (
        {
            "resourceType": "ServiceRequest",
            "code": {"text": "shown-1"},
            "orderDetail": [{"text": "shown-2"}],
            "patientInstruction": "shown-3",
        },
        {"requisition": {"value": "hidden-1"}, "insurance": [{"display": "hidden-2"}], "locationReference": [{"display": "hidden-3"}]},
    ),
    (
        {
            "resourceType": "MedicationRequest",
            "medicationCodeableConcept": {"text": "shown-1"},
            "note": [{"text": "shown-2", "authorString": "hidden-1"}],
        },
        {"groupIdentifier": {"value": "hidden-2"}, "dispenseRequest": {"performer": {"display": "hidden-3"}}},
    ),
    (
        {"resourceType": "Immunization", "vaccineCode": {"text": "shown-1"}, "route": {"text": "shown-2"}},
        {"lotNumber": "hidden-1", "manufacturer": {"display": "hidden-2"}, "education": [{"reference": "urn:hidden-3"}]},
    ),
    (
        {"resourceType": "Encounter", "type": [{"text": "shown-1"}], "reasonCode": [{"text": "shown-2"}]},
        {
            "account": [{"reference": "Account/hidden-1"}],
            "serviceProvider": {"display": "hidden-2"},
            "location": [{"location": {"display": "hidden-3"}}],
        },
    ),
]


@pytest.mark.parametrize(("shown", "hidden"), KEPT_AND_DROPPED, ids=[str(shown["resourceType"]) for shown, _ in KEPT_AND_DROPPED])
def test_what_is_clinical_is_shown_and_who_where_and_by_which_number_is_not(shown: dict, hidden: dict):
    found = render_resource({**shown, **hidden}, {})
    said = f"{found!r} {found.title} {[part.text for part in found.parts]} {found.departments}"
    assert "hidden" not in said
    wanted = [f"shown-{number}" for number in range(1, 4) if f"shown-{number}" in json.dumps(shown)]
    assert not [one for one in wanted if one not in said]
