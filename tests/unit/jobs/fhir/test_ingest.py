"""Documents of loaded resources: what did not change is not taken again, and a document changes with whatever it is made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.summaries import IngestSummary
from pipeline.stages.sources.fhir.folder import FolderFeed
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
