"""A FHIR server into the index, night after night: found by word and code, cited; what it deletes or takes back is gone, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.domain.fhir import resource_key
from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import FhirWay, Source
from pipeline.jobs.fhir.feeds import FeedOptions, open_feed
from pipeline.jobs.fhir.ingest import ingest_fhir, is_fhir_incomplete
from pipeline.jobs.index import run_index
from pipeline.jobs.reconcile import run_reconcile
from pipeline.search.cite.resolve import resolve
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.testing.fhir_bulk import bad_line, lines_lost
from pipeline.testing.fhir_server import FhirServer
from pipeline.testing.http_faults import fails, truncated_body
from pipeline.wiring import Services

pytestmark = pytest.mark.slow

TODAY = date(2031, 5, 17)
TYPES = ("Patient", "Observation", "Condition", "DocumentReference")


def observation(number: int, **given: Any) -> dict[str, Any]:
    code = {"coding": [{"system": "http://loinc.org", "code": "2823-3", "display": "Potassium in serum"}]}
    value = {"value": 4.5 + number, "unit": "mmol/L"}
    common = {"resourceType": "Observation", "id": f"o{number}", "status": "final", "code": code}
    return {**common, "subject": {"reference": "Patient/p1"}, "valueQuantity": value, **given}


def condition(number: int, **given: Any) -> dict[str, Any]:
    code = {"coding": [{"system": "http://snomed.info/sct", "code": "195967001", "display": "Asthma"}], "text": f"Asthma, episode {number}"}
    return {"resourceType": "Condition", "id": f"c{number}", "code": code, "subject": {"reference": "Patient/p1"}, **given}


@pytest.fixture
def server() -> Iterator[FhirServer]:
    patient = {"resourceType": "Patient", "id": "p1", "name": [{"family": "Quillfeather"}]}
    note = {"contentType": "text/plain", "url": "Binary/b1"}
    letter = {"resourceType": "DocumentReference", "id": "d1", "status": "current", "subject": {"reference": "Patient/p1"}}
    held = [
        patient,
        *(observation(number) for number in range(6)),
        *(condition(number) for number in range(4)),
        {**letter, "type": {"text": "Letter"}, "content": [{"attachment": note}]},
        {"resourceType": "Binary", "id": "b1", "contentType": "text/plain", "data": "U2FsYnV0YW1vbCB3YXMgaW5oYWxlZCBhdCBob21lLg=="},
    ]
    with FhirServer(held) as played:
        played.pending_polls, played.rows_per_file = 1, 4
        yield played


@pytest.fixture
def settled(services: Services, server: FhirServer) -> Services:
    """The sample home with a server in its settings."""
    given = {"fhir_url": server.url, "fhir_types": TYPES, "max_delete_share": 1.0, "fhir_max_attempts": 1, "fhir_overlap_seconds": 0}
    object.__setattr__(services, "settings", services.settings.model_copy(update=given))
    return services


def night(services: Services, **given: Any):
    with open_feed(services, FeedOptions(**given)) as feed:
        taken = ingest_fhir(services, feed)
    return taken, run_index(services)


def indexed(services: Services) -> dict[str, int]:
    """Points by document, of FHIR resources."""
    found: dict[str, int] = {}
    for point in services.index.scan():
        if point.payload.get("source") == Source.FHIR.value:
            found[point.payload["document_id"]] = found.get(point.payload["document_id"], 0) + 1
    return found


def of(services: Services, kind: str, own_id: str) -> str:
    return str(document_id(Source.FHIR, resource_key(services.secret, "site", kind, own_id)))


def test_what_a_server_holds_is_found_by_word_and_code_and_cited(settled: Services, server: FhirServer) -> None:
    taken, _ = night(settled)
    assert (taken.ingest.new, is_fhir_incomplete(taken)) == (11, False)
    letter = search(settled, SearchRequest(query="salbutamol inhaled at home", sources=("fhir",), limit=1), today=TODAY).hits[0]
    assert "Salbutamol was inhaled at home." in letter.text
    coded = search(settled, SearchRequest(query="potassium", loinc_codes=("2823-3",), limit=20), today=TODAY).hits
    assert {hit.document_id for hit in coded} == {of(settled, "Observation", f"o{number}") for number in range(6)}
    assert resolve(settled, letter.token).status.value == "same"


@pytest.mark.parametrize("way", list(FhirWay))
def test_what_a_server_deletes_or_takes_back_is_gone_and_nothing_else(settled: Services, server: FhirServer, way: FhirWay) -> None:
    night(settled, way=way)
    before = indexed(settled)
    server.now = datetime.now(UTC) + timedelta(hours=1)
    server.remove("Observation", "o1")
    server.remove("Condition", "c3")
    server.put(observation(4, status="entered-in-error"))
    server.put(condition(2, verificationStatus={"coding": [{"code": "entered-in-error"}]}))
    taken, _ = night(settled, way=way)
    gone = {of(settled, *one) for one in (("Observation", "o1"), ("Condition", "c3"), ("Observation", "o4"), ("Condition", "c2"))}
    assert indexed(settled) == {key: count for key, count in before.items() if key not in gone}
    assert (taken.ingest.tombstoned, taken.load.full) == (4, False)
    assert run_reconcile(settled).clean


@pytest.mark.parametrize(
    "fault", [truncated_body, fails(410), bad_line(1), lines_lost(1)], ids=["half a file", "expired", "bad line", "rows missing"]
)
def test_an_export_that_was_cut_short_removes_nothing(settled: Services, server: FhirServer, fault) -> None:
    night(settled)
    before = indexed(settled)
    for number in range(5):
        server.remove("Observation", f"o{number}")
    server.fail_next(fault, fault, path="/files")
    taken, _ = night(settled, full=True)
    assert (taken.load.complete, taken.load.vanished, taken.ingest.tombstoned) == (False, 0, 0)
    assert is_fhir_incomplete(taken)
    assert indexed(settled) == before
    taken, _ = night(settled, full=True)
    assert (taken.load.complete, taken.load.vanished, taken.ingest.tombstoned) == (True, 5, 5)


def test_the_same_export_twice_embeds_and_writes_nothing(settled: Services) -> None:
    night(settled)
    taken, index = night(settled, full=True)
    assert (taken.load.unchanged, taken.ingest.new, taken.ingest.changed) == (13, 0, 0)
    assert (index.embedded, index.points_written, index.points_deleted) == (0, 0, 0)


def test_the_command_asks_the_server_and_says_what_failed(home: Settings, server: FhirServer, tmp_path: Path, monkeypatch) -> None:
    server.put(observation(9, status=9))
    settings = {
        "CLINDEX_HOME": str(home.home),
        "CLINDEX_FHIR_URL": server.url,
        "CLINDEX_MODELS_PATH": str(home.models_path),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    done = CliRunner().invoke(app, ["ingest", "fhir", "--type", "Patient", "--type", "Observation", "--json"])
    assert done.exit_code == 1
    summary = json.loads(done.stdout)
    assert (summary["load"]["complete"], summary["load"]["failed"]) == (True, 1)
    assert [(one["category"], one["field"]) for one in summary["load"]["failures"]] == [("invalid_resource", "Observation.status")]
    said = CliRunner().invoke(app, ["ingest", "fhir", "--from", "search", "--type", "Observation"])
    assert "invalid_resource" in said.stdout
    assert server.url not in said.stdout + done.stdout
    refused = CliRunner().invoke(app, ["ingest", "fhir", str(tmp_path), "--from", "bulk"])
    assert refused.exit_code == 2
