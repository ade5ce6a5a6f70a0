"""References by identifier, as transactions and servers with other ids write them, lead to what has it, whichever came first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pipeline.domain.fhir import patient_pseudonym
from pipeline.domain.vocabulary import Source
from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.fhir.summaries import FhirSummary
from pipeline.jobs.index import run_index
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage.tables import chunks, documents
from pipeline.wiring import Services

# A word that no reader takes for a name by itself: only a record tells.
NAME = "Basaltine"
NPI = "http://hl7.org/fhir/sid/us-npi"
MRN = "urn:oid:1.2.36.146"
CONDITION: dict[str, Any] = {
    "resourceType": "Condition",
    "id": "c1",
    "clinicalStatus": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}]},
    "code": {"coding": [{"system": "http://snomed.info/sct", "code": "38341003", "display": "Hypertensive disorder"}]},
    "subject": {"reference": f"Patient?identifier={MRN}|7741190"},
    "asserter": {"reference": f"Practitioner?identifier={NPI}|9999960790"},
    "note": [{"text": f"The ulcer heals. {NAME.lower()} dressed it and asks for gauze."}],
}
DOCTOR: dict[str, Any] = {
    "resourceType": "Practitioner",
    "id": "shale-1",
    "identifier": [{"system": NPI, "value": "9999960790"}],
    "name": [{"family": NAME}],
}
PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "quartz-1",
    "identifier": [{"system": MRN, "value": "7741190"}],
    "name": [{"family": NAME}],
}
PLAIN: dict[str, Any] = {"resourceType": "Practitioner", "id": "shale-2", "identifier": [{"system": NPI, "value": "1111111111"}], "name": [{"family": NAME}]}  # fmt: skip


def take(services: Services, folder: Path, *resources: dict[str, Any]) -> FhirSummary:
    folder.mkdir(exist_ok=True)
    (folder / "all.ndjson").write_text("\n".join(map(json.dumps, resources)) + "\n", encoding="utf-8")
    done = ingest_fhir(services, FolderFeed([folder], secret=services.secret))
    run_index(services)
    return done


def shown(services: Services) -> str:
    with services.db.read() as tx:
        return " ".join(text.casefold() for (text,) in tx.execute(select(chunks.c.text)))


@pytest.mark.parametrize("one", [DOCTOR, PATIENT], ids=["clinician", "patient"])
def test_who_is_named_by_identifier_leaves_the_note(services: Services, tmp_path: Path, one: dict[str, Any]) -> None:
    assert take(services, tmp_path / "feed", CONDITION).load.unresolved_references == 0
    assert NAME.casefold() in shown(services)
    assert take(services, tmp_path / "more", one).ingest.changed == 1
    assert NAME.casefold() not in shown(services)
    assert take(services, tmp_path / "more", one).ingest.changed == 0


def test_another_identifier_is_somebody_else(services: Services, tmp_path: Path) -> None:
    take(services, tmp_path / "feed", CONDITION, PLAIN, {**PLAIN, "id": "shale-3", "identifier": [{"system": MRN, "value": "9999960790"}]})
    assert NAME.casefold() in shown(services)


def test_the_patient_of_a_document_is_known_by_the_number(services: Services, tmp_path: Path) -> None:
    take(services, tmp_path / "feed", CONDITION, PATIENT)
    with services.db.read() as tx:
        facets = tx.execute(select(documents.c.facets).where(documents.c.source == Source.FHIR.value)).scalar_one()
    assert facets["patient"] == patient_pseudonym(services.secret, "7741190")


def test_what_a_number_of_one_alone_names_is_shown(services: Services, tmp_path: Path) -> None:
    medication = {
        "resourceType": "Medication",
        "id": "m1",
        "identifier": [{"system": "urn:stock", "value": "gran-17"}],
        "code": {
            "coding": [{"system": "http://www.nlm.nih.gov/research/umls/rxnorm", "code": "197361", "display": "Quinapril 5 MG Oral Tablet"}]
        },
    }
    order = {
        "resourceType": "MedicationRequest",
        "id": "r1",
        "status": "active",
        "intent": "order",
        "medicationReference": {"reference": "Medication?identifier=urn:stock|gran-17"},
        "subject": {"reference": "Patient/quartz-1"},
    }
    take(services, tmp_path / "feed", order, medication)
    assert "quinapril 5 mg oral tablet" in shown(services)
    take(services, tmp_path / "feed", order, medication, {**medication, "id": "m2"})
    assert "quinapril" not in shown(services)
