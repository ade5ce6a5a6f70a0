"""Identifiers that come in other forms than text: in a file's metadata, in a resource that fails validation, in a request's address."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import httpx
import pytest

from pipeline.domain.errors import RecordError
from pipeline.jobs.file_preview import preview_file
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.report import write_report
from pipeline.observability import quiet_libraries
from pipeline.settings import Settings
from pipeline.stages.deidentify.known.file import known_from_patient
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.wiring import Services

PATIENT = {
    "resourceType": "Patient",
    "name": [{"family": "Quillfeather", "given": "Ludmila"}],
    "birthDate": "31/12/1949",
    "nickname": "Osric Vane",
}


def pdf(metadata: dict[str, str]) -> bytes:
    """A file of one empty page that carries metadata."""
    said = " ".join(f"/{name} ({value})" for name, value in metadata.items())
    return f"%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj\n2 0 obj <<{said}>> endobj\ntrailer <</Root 1 0 R /Info 2 0 R>>\n%%EOF\n".encode()


def everything(settings: Settings) -> bytes:
    """All files of a home but landing, which is identified by design."""
    files = [path for path in settings.home.rglob("*") if path.is_file() and not path.is_relative_to(settings.home / "landing")]
    return b"\n".join(path.name.encode() + path.read_bytes() for path in files)


def bring_in(services: Services, folder: Path) -> list[str]:
    summary = ingest(services, DocumentFiles([folder], services.settings, secret=services.secret, kind="note"))
    run_index(services)
    write_report(services)
    return [failure.category for failure in summary.failures]


def test_metadata_of_a_file_that_cannot_be_read_yet_gets_nowhere(services: Services, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    folder = tmp_path / "ward"
    folder.mkdir()
    metadata = {"Title": "QUILLFEATHER_Ludmila_MRN5528419", "Author": "Dr. Osric Vane", "Subject": "DOB 02/11/1949"}
    (folder / "QUILLFEATHER_Ludmila.pdf").write_bytes(pdf(metadata))
    assert bring_in(services, folder) == ["damaged_file"]
    found = everything(services.settings) + caplog.text.encode()
    assert not [each for each in (b"QUILLFEATHER", b"Ludmila", b"5528419", b"Vane") if each in found]


def test_a_patient_that_fails_validation_is_named_by_path_and_rule():
    with pytest.raises(RecordError) as caught:
        known_from_patient(PATIENT)
    assert "Patient.name[0].given" in str(caught.value)
    assert not [each for each in ("Quillfeather", "Ludmila", "1949", "Osric") if each in str(caught.value)]


@pytest.fixture
def cases(shared_data: Path) -> dict[str, dict]:
    lines = (shared_data / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def test_the_public_case_of_metadata(services: Services, cases: dict[str, dict], tmp_path: Path, caplog: pytest.LogCaptureFixture):
    folder = tmp_path / "ward"
    folder.mkdir()
    (folder / "one.pdf").write_bytes(pdf(cases["D27"]["input"]))
    bring_in(services, folder)
    found = everything(services.settings) + caplog.text.encode()
    values = re.findall(r"'([^']+)'", cases["D27"]["expected"])
    assert len(values) == 3
    assert not [value for value in values if value.encode() in found]


def test_the_public_case_of_names_in_a_resource(models: Path, cases: dict[str, dict], tmp_path: Path):
    path = tmp_path / "resource.json"
    path.write_text(json.dumps(cases["D29"]["input"]).replace("4.1,", "4.10,"), encoding="utf-8")
    shown = preview_file(Settings(home=tmp_path / "home", models_path=models), path, kind="fhir_resource")
    (chunk,) = shown["documents"][0]["chunks"]
    assert chunk["text"] == cases["D29"]["expected"].split("'")[1]
    values = re.search(r"none of (.+) in chunk", cases["D29"]["expected"])[1].split(", ")
    assert len(values) == 4
    assert not [value for value in values if value in json.dumps(shown)]


def test_the_public_case_of_a_resource_that_fails_validation(cases: dict[str, dict]):
    with pytest.raises(RecordError) as caught:
        known_from_patient(cases["D31"]["input"])
    values = [value for value in re.findall(r"'([^']+)'", cases["D31"]["expected"]) if ":" not in value]
    assert len(values) == 3
    assert not [value for value in values if value in str(caught.value)]


def test_the_public_case_of_a_requests_address(cases: dict[str, dict], caplog: pytest.LogCaptureFixture):
    quiet_libraries()
    _, address = cases["D33"]["input"].split(" ", 1)
    with caplog.at_level(logging.INFO), httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))) as client:
        client.get(address)
    values = re.findall(r"=([^&]+)", address)
    assert len(values) == 2
    assert not [value for value in values if value in caplog.text]
