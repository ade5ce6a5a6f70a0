"""Of a FHIR resource only named fields cross the wall, with every digit as it was printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.domain.errors import RecordError
from pipeline.jobs.file_preview import preview_file
from pipeline.settings import Settings
from pipeline.stages.assemble import observation_line
from pipeline.stages.deidentify.fhir_fields import allowed_fields

OBSERVATION = """{"resourceType": "Observation", "id": "obs-7741", "status": "final", "code": {"text": "Sodium"},
 "text": {"status": "generated", "div": "<div>Ludmila Quillfeather: 139.0</div>"},
 "contained": [{"resourceType": "Patient", "id": "p", "name": [{"family": "Quillfeather", "given": ["Ludmila"]}]}],
 "subject": {"reference": "#p", "display": "Ludmila Quillfeather"}, "performer": [{"display": "Dr. Osric Vane"}],
 "identifier": [{"system": "urn:mrn", "value": "5528419"}], "effectiveDateTime": "2026-03-04",
 "extension": [{"url": "urn:x", "valueString": "Quillfeather"}],
 "valueQuantity": {"value": 139.0, "unit": "mmol/L", "extension": [{"url": "urn:y", "valueString": "Vane"}]}}"""


def test_nothing_identifying_is_in_the_chunk_and_no_digit_is_lost(tmp_path: Path, settings: Settings):
    path = tmp_path / "observation.json"
    path.write_text(OBSERVATION, encoding="utf-8")
    shown = preview_file(settings, path, kind="fhir_resource")
    (chunk,) = shown["documents"][0]["chunks"]
    assert chunk["text"] == "Sodium 139.0 mmol/L (final)"
    said = json.dumps(shown)
    assert not [each for each in ("Quillfeather", "Ludmila", "Vane", "5528419", "obs-7741", "2026-03") if each in said]


@pytest.fixture
def settings(models: Path, tmp_path: Path) -> Settings:
    """A home that is not there: a preview opens none."""
    return Settings(home=tmp_path / "home", models_path=models)


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            {"code": {"coding": [{"display": "Glucose"}]}, "valueQuantity": {"comparator": "<", "value": "2.0", "unit": "mg/dL"}},
            "Glucose <2.0 mg/dL",
        ),
        (
            {"code": {"text": "Blood group"}, "valueCodeableConcept": {"text": "A positive"}, "status": "amended"},
            "Blood group A positive (amended)",
        ),
        ({"code": {"text": "Falls"}, "valueInteger": "0", "status": "final"}, "Falls 0 (final)"),
        ({"code": {"text": "Unmeasured"}, "status": "cancelled"}, "Unmeasured (cancelled)"),
    ],
)
def test_values_of_every_form_are_shown(fields: dict, line: str):
    assert observation_line(allowed_fields({"resourceType": "Observation", **fields})) == line


@pytest.mark.parametrize(
    "resource",
    [[], "text", {}, {"resourceType": "Patient", "name": []}, {"resourceType": "Observation", "modifierExtension": [{"url": "urn:not"}]}],
)
def test_what_no_block_names_is_refused(resource: object):
    with pytest.raises(RecordError, match=r"FHIR resource|modifier"):
        allowed_fields(resource)


def test_free_text_of_a_resource_is_scrubbed(tmp_path: Path, settings: Settings):
    path = tmp_path / "observation.json"
    path.write_text(
        json.dumps(
            {"resourceType": "Observation", "status": "final", "code": {"text": "Nurse's remark"}, "valueString": "Seen by Dr. Osric Vane"}
        ),
        encoding="utf-8",
    )
    (chunk,) = preview_file(settings, path, kind="fhir_resource")["documents"][0]["chunks"]
    assert chunk["text"] == "Nurse's remark Seen by Dr. [NAME] (final)"
