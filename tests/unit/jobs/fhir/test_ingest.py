"""Documents of loaded resources: what did not change is not taken again, and a document changes with whatever it is made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.fhir import resource_key
from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import Source
from pipeline.jobs.deletion.run import run_delete
from pipeline.jobs.fhir.compose import compose
from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.summaries import IngestSummary
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage import fhir_resources
from pipeline.storage.documents import payload_hashes
from pipeline.wiring import Services

PATIENT: dict[str, Any] = {"resourceType": "Patient", "id": "p1", "name": [{"family": "Quillfeather"}]}


def coded(system: str, code: str, display: str) -> dict[str, Any]:
    return {"coding": [{"system": system, "code": code, "display": display}]}


def result(value: str) -> dict[str, Any]:
    code = coded("http://loinc.org", "718-7", "Hemoglobin [Mass/volume] in Blood")
    common = {"resourceType": "Observation", "id": "o1", "status": "final", "code": code, "subject": {"reference": "Patient/p1"}}
    return {**common, "valueString": value}


REPORT: dict[str, Any] = {
    "resourceType": "DiagnosticReport",
    "id": "r1",
    "status": "final",
    "code": coded("http://loinc.org", "58410-2", "CBC panel - Blood by Automated count"),
    "subject": {"reference": "Patient/p1"},
    "result": [{"reference": "Observation/o1"}],
}


def take(services: Services, folder: Path, *resources: dict[str, Any]) -> IngestSummary:
    folder.mkdir(exist_ok=True)
    (folder / "all.ndjson").write_text("\n".join(map(json.dumps, resources)) + "\n", encoding="utf-8")
    return ingest_fhir(services, FolderFeed([folder], secret=services.secret)).ingest


def test_a_document_changes_with_its_results_and_its_patient_and_never_with_the_order_of_lines(services: Services, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    first = take(services, folder, REPORT, result("Adequate"), PATIENT)
    assert (first.new, first.changed, first.failed) == (2, 0, 0)
    again = take(services, folder, PATIENT, result("Adequate"), REPORT)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 2)
    amended = take(services, folder, PATIENT, result("Reduced"), REPORT)
    assert (amended.new, amended.changed) == (0, 2)
    renamed = take(services, folder, {**PATIENT, "name": [{"family": "Ostrander"}]}, result("Reduced"), REPORT)
    assert (renamed.new, renamed.changed) == (0, 2)
    fewer = take(services, folder, {**PATIENT, "name": [{"family": "Ostrander"}]}, REPORT)
    assert (fewer.tombstoned, fewer.changed) == (1, 1)


def test_a_report_is_shown_without_a_result_that_was_deleted(services: Services, tmp_path: Path) -> None:
    take(services, tmp_path / "export", REPORT, result("Adequate"), PATIENT)
    report, shown = (
        resource_key(services.secret, "site", kind, name) for kind, name in (("DiagnosticReport", "r1"), ("Observation", "o1"))
    )
    run_delete(services, documents=[document_id(Source.FHIR, shown)], reason="wrong", by="tester", approve_large=True)
    with services.db.read() as tx:
        manifest = payload_hashes(tx, [document_id(Source.FHIR, report)])[document_id(Source.FHIR, report)]
    text = " ".join(part.text for part in compose(services, manifest).document.parts)
    assert "CBC panel" in compose(services, manifest).document.title + text
    assert "Adequate" not in text


def test_a_report_whose_result_landing_lost_is_never_shown_without_it(services: Services, tmp_path: Path) -> None:
    take(services, tmp_path / "export", REPORT, result("Adequate"), PATIENT)
    report, shown = (
        resource_key(services.secret, "site", kind, name) for kind, name in (("DiagnosticReport", "r1"), ("Observation", "o1"))
    )
    with services.db.read() as tx:
        manifest = payload_hashes(tx, [document_id(Source.FHIR, report)])[document_id(Source.FHIR, report)]
        lost = fhir_resources.known(tx, [shown])[shown].payload_sha256
    services.landing.delete(lost or "")
    with pytest.raises(RecordError):
        compose(services, manifest)
