"""Names that only RelatedPerson, Practitioner and other resources say leave the texts of the documents that they concern, and of no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.fhir.summaries import FhirSummary
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage.tables import chunks
from pipeline.wiring import Services

# Words that no reader takes for a name by itself: only a record tells.
NAME = "Basaltine"
PATIENT: dict[str, Any] = {"resourceType": "Patient", "id": "quartz-1", "identifier": [{"value": "7741190"}]}
RELATIVE: dict[str, Any] = {
    "resourceType": "RelatedPerson",
    "id": "marble-1",
    "patient": {"reference": "Patient/quartz-1"},
    "name": [{"family": NAME}],
}
DOCTOR: dict[str, Any] = {"resourceType": "Practitioner", "id": "shale-1", "name": [{"family": NAME}]}
ROLE: dict[str, Any] = {"resourceType": "PractitionerRole", "id": "slate-1", "practitioner": {"reference": "Practitioner/shale-1"}}
PERSON: dict[str, Any] = {
    "resourceType": "Person",
    "id": "p",
    "name": [{"family": NAME}],
    "link": [{"target": {"reference": "Patient/quartz-1"}}],
}
HOUSE: dict[str, Any] = {"resourceType": "Organization", "id": "gneiss-1", "name": f"{NAME} Infirmary", "alias": ["Radiology"]}


def condition(**more: Any) -> dict[str, Any]:
    code = {"coding": [{"system": "http://snomed.info/sct", "code": "38341003", "display": "Hypertensive disorder"}]}
    note = [{"text": f"The ulcer heals. {NAME.lower()} dressed it in the radiology room and asks for gauze."}]
    common = {"resourceType": "Condition", "id": "c1", "code": code, "subject": {"reference": "Patient/quartz-1"}, "note": note}
    status = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}]}
    return {**common, "clinicalStatus": status, **more}


def take(services: Services, folder: Path, *resources: dict[str, Any]) -> FhirSummary:
    folder.mkdir(exist_ok=True)
    (folder / "all.ndjson").write_text("\n".join(map(json.dumps, resources)) + "\n", encoding="utf-8")
    done = ingest_fhir(services, FolderFeed([folder], secret=services.secret))
    run_index(services)
    return done


def shown(services: Services) -> str:
    with services.db.read() as tx:
        return " ".join(text.casefold() for (text,) in tx.execute(chunks.select().with_only_columns(chunks.c.text)))


ASSERTED = condition(asserter={"reference": "Practitioner/shale-1"})
ENCOUNTER: dict[str, Any] = {
    "resourceType": "Encounter",
    "id": "e1",
    "status": "finished",
    "class": {"code": "AMB"},
    "participant": [{"individual": {"reference": "PractitionerRole/slate-1"}}],
    "serviceProvider": {"reference": "Organization/gneiss-1"},
}


@pytest.mark.parametrize(
    "resources",
    [
        pytest.param((PATIENT, RELATIVE, condition()), id="relative"),
        pytest.param((RELATIVE, condition()), id="relative of a patient who is not loaded"),
        pytest.param((DOCTOR, ASSERTED), id="clinician"),
        pytest.param((DOCTOR, ROLE, condition(asserter={"reference": "PractitionerRole/slate-1"})), id="by way of a role"),
        pytest.param((DOCTOR, ROLE, ENCOUNTER, condition(encounter={"reference": "Encounter/e1"})), id="of the encounter"),
        pytest.param((condition(asserter={"reference": "Practitioner/shale-1", "display": f"Dr. {NAME}, MD"}),), id="display"),
        pytest.param((condition(recorder={"display": NAME}),), id="display without a reference"),
        pytest.param((condition(contained=[{**DOCTOR, "id": "d"}], asserter={"reference": "#d"}),), id="contained"),
        pytest.param((PATIENT, PERSON, condition()), id="person"),
    ],
)
def test_a_name_that_another_resource_says_leaves_the_note(
    services: Services, tmp_path: Path, resources: tuple[dict[str, Any], ...]
) -> None:
    take(services, tmp_path / "alone", condition())
    assert NAME.casefold() in shown(services)
    done = take(services, tmp_path / "feed", *resources)
    assert done.ingest.changed == 1
    assert NAME.casefold() not in shown(services)
    assert "the ulcer heals" in shown(services)
    assert take(services, tmp_path / "feed", *resources).ingest.changed == 0


def test_a_place_is_one_by_its_own_words_and_a_department_is_shown(services: Services, tmp_path: Path) -> None:
    visit = {**ENCOUNTER, "participant": [], "subject": {"reference": "Patient/quartz-1"}}
    del visit["participant"]
    note = condition(
        encounter={"reference": "Encounter/e1"}, note=[{"text": f"Came from {NAME.lower()} infirmary, seen in radiology there."}]
    )
    take(services, tmp_path / "feed", HOUSE, visit, note)
    assert NAME.casefold() not in shown(services)
    assert "radiology" in shown(services)


@pytest.mark.parametrize("other", [{**RELATIVE, "patient": {"reference": "Patient/quartz-2"}}, DOCTOR], ids=["relative", "clinician"])
def test_who_is_nobody_of_the_document_changes_nothing(services: Services, tmp_path: Path, other: dict[str, Any]) -> None:
    take(services, tmp_path / "feed", PATIENT, condition())
    assert take(services, tmp_path / "more", other).ingest.changed == 0
    assert NAME.casefold() in shown(services)


def test_a_name_of_a_clinician_who_was_renamed_or_deleted_changes_the_document(services: Services, tmp_path: Path) -> None:
    folder = tmp_path / "feed"
    take(services, folder, PATIENT, DOCTOR, ASSERTED)
    assert take(services, folder, PATIENT, {**DOCTOR, "name": [{"family": "Ostrander"}]}, ASSERTED).ingest.changed == 1
    assert NAME.casefold() in shown(services)
    assert take(services, folder, PATIENT, ASSERTED).ingest.changed == 1


def test_two_records_of_one_number_know_the_same_person(services: Services, tmp_path: Path) -> None:
    take(services, tmp_path / "feed", PATIENT, condition())
    elsewhere = {**PATIENT, "id": "quartz-9", "name": [{"family": NAME}]}
    assert take(services, tmp_path / "more", elsewhere).ingest.changed == 1
    assert NAME.casefold() not in shown(services)


@pytest.mark.parametrize("number", ["7741190", "quartz-1"])
def test_a_relative_leaves_the_sites_own_notes(services: Services, tmp_path: Path, number: str) -> None:
    ward = tmp_path / "ward"
    ward.mkdir()
    (ward / "n.txt").write_text(f"Progress note\n\nThe wound heals well. {NAME.lower()} visits every day and takes the laundry.\n")
    (ward / "n.meta.json").write_text(json.dumps({"kind": "progress_note", "patient": number}))
    ingest(services, DocumentFiles([ward], services.settings, secret=services.secret))
    run_index(services)
    assert NAME.casefold() in shown(services)
    assert take(services, tmp_path / "feed", PATIENT, RELATIVE).files_changed == 1
    assert NAME.casefold() not in shown(services)
