"""FHIR from files to hits and citations: every digit as it was printed, nothing twice, one secret, deletion and retention with certificates."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy import select
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.domain.errors import SecretMismatchError
from pipeline.domain.fhir import patient_pseudonym
from pipeline.domain.vocabulary import DocumentKind, Source
from pipeline.jobs.audit.phi import run_audit
from pipeline.jobs.certificates.check import verify_certificates
from pipeline.jobs.deletion.run import run_delete
from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.fhir.summaries import FhirSummary
from pipeline.jobs.index import run_index
from pipeline.jobs.retention.expired import expired
from pipeline.jobs.retention.rules import retention_rules
from pipeline.jobs.summaries import IndexSummary
from pipeline.search.cite.resolve import resolve
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.assemble.fhir.kinds import kind_of
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage.fhir_tables import fhir_patients, fhir_resources
from pipeline.storage.tables import chunks, documents
from pipeline.wiring import Services, open_services

pytestmark = pytest.mark.slow

SURNAME = "Thrumboltwick"
NUMBER = "7741190"
PATIENT: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "quartz-1",
    "name": [{"family": SURNAME, "given": ["Orsolya"]}],
    "identifier": [{"value": NUMBER}],
}
ODD = ["1.00", "0.10", "1e-3", "100", "12345678901234567890.123456789", "-0.50", "0", "-7", "6.02E23", "0.000"]
COMPARATORS = ["<", "<=", ">", ">="]


def printed(rng: random.Random) -> str:
    """A number as JSON may print it."""
    whole = rng.choice(["0", str(rng.randint(1, 9)), str(rng.randint(10, 9999)), str(rng.randint(10**9, 10**19))])
    part = "".join(rng.choice("0123456789") for _ in range(rng.choice([0, 1, 2, 4, 12])))
    return f"{rng.choice(['', '', '-'])}{whole}{'.' if part else ''}{part}{rng.choice(['', '', '', 'e2', 'E-5'])}"


def measured(name: str, numbers: list[str], comparator: str) -> str:
    """An Observation in JSON: a value with a comparator, a reference range, a component, and one that is a range."""
    value, low, high, one, least, most = (f'{{"value": {number}, "unit": "mmol/L"}}' for number in numbers)
    compared = f'{value[:-1]}, "comparator": "{comparator}"}}'
    return (
        f'{{"resourceType": "Observation", "id": "{name}", "status": "final", "subject": {{"reference": "Patient/quartz-1"}},'
        f' "code": {{"text": "Measured amount"}}, "valueQuantity": {compared}, "referenceRange": [{{"low": {low}, "high": {high}}}],'
        f' "component": [{{"code": {{"text": "First part"}}, "valueQuantity": {one}}},'
        f' {{"code": {{"text": "Second part"}}, "valueRange": {{"low": {least}, "high": {most}}}}}]}}'
    )


def stands(number: str, text: str) -> bool:
    """Whether a text has exactly this number, no digit more and none less."""
    return re.search(rf"(?<![\d.eE-]){re.escape(number)}(?![\deE]|\.\d)", text) is not None


def take(services: Services, folder: Path, *lines: str) -> tuple[FhirSummary, IndexSummary]:
    folder.mkdir(exist_ok=True)
    (folder / "all.ndjson").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ingest_fhir(services, FolderFeed([folder], secret=services.secret)), run_index(services)


def condition(name: str, *, since: str = "2024-05-06") -> str:
    status = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}]}
    code = {"coding": [{"system": "http://snomed.info/sct", "code": "38341003", "display": "Hypertensive disorder"}]}
    subject, note = {"reference": "Patient/quartz-1"}, [{"text": f"{SURNAME} walks a mile a day."}]
    common = {"resourceType": "Condition", "id": name, "clinicalStatus": status, "code": code, "subject": subject, "note": note}
    return json.dumps({**common, "onsetDateTime": since, "recordedDate": since})


def texts(services: Services) -> Iterator[tuple[str, str]]:
    """Yield document and text of every chunk of a resource in truth."""
    with services.db.read() as tx:
        query = select(chunks.c.document_id, chunks.c.text).join(documents, documents.c.document_id == chunks.c.document_id)
        yield from ((str(one), text) for one, text in tx.execute(query.where(documents.c.source == Source.FHIR.value)))


def test_every_number_is_in_truth_hit_and_citation_as_it_was_printed(services: Services, tmp_path: Path) -> None:
    rng = random.Random(20310711)
    numbers = ODD + [printed(rng) for _ in range(40 * 6 - len(ODD))]
    sixes = [numbers[at : at + 6] for at in range(0, len(numbers), 6)]
    done, _ = take(services, tmp_path / "feed", *(measured(f"o{at}", six, COMPARATORS[at % 4]) for at, six in enumerate(sixes)))
    assert (done.load.outcomes, done.ingest.failed) == ({"document": 40}, 0)
    stored = "\n".join(text for _, text in texts(services))
    request = SearchRequest(query="Measured amount", sources=(Source.FHIR.value,), limit=200)
    hits = search(services, request, today=date(2031, 8, 1)).hits
    cited = [resolve(services, hit.token) for hit in hits]
    assert {one.status.value for one in cited} == {"same"}
    for at, six in enumerate(sixes):
        shown = [hit.text for hit in hits if all(stands(number, hit.text) for number in six)]
        assert shown, f"observation {at}"
        assert any(f"{COMPARATORS[at % 4]} {six[0]}" in text or f"{COMPARATORS[at % 4]}{six[0]}" in text for text in shown)
        assert any(all(stands(number, one.text or "") for number in six) for one in cited)
        assert all(stands(number, stored) for number in six)
    assert len(numbers) == 240


def test_the_same_export_twice_embeds_and_writes_nothing(services: Services, tmp_path: Path) -> None:
    lines = [json.dumps(PATIENT), *(condition(f"c{number}") for number in range(5)), measured("o1", ODD[:6], "<")]
    take(services, tmp_path / "feed", *lines)
    again, indexed = take(services, tmp_path / "feed", *reversed(lines))
    assert (again.load.unchanged, again.ingest.new, again.ingest.changed, again.ingest.unchanged) == (7, 0, 0, 6)
    assert (indexed.embedded, indexed.points_written, indexed.points_deleted, indexed.payloads_updated) == (0, 0, 0, 0)


def test_the_same_patient_under_another_secret_is_refused_and_nothing_is_written(
    home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_services(home) as services:
        take(services, tmp_path / "feed", json.dumps(PATIENT), condition("c1"))
        before = (sorted(services.landing.objects()), rows(services))
    (tmp_path / "feed" / "all.ndjson").write_text(json.dumps(PATIENT) + "\n" + condition("c2") + "\n", encoding="utf-8")
    with (
        pytest.raises(SecretMismatchError),
        open_services(home.model_copy(update={"site_secret": SecretStr("another secret of the site")})),
    ):
        pass
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_SITE_SECRET", "another secret of the site")
    refused = CliRunner().invoke(app, ["ingest", "fhir", str(tmp_path / "feed")])
    assert refused.exit_code == 3
    assert "secret" in refused.output
    assert SURNAME not in refused.output
    with open_services(home) as services:
        assert (sorted(services.landing.objects()), rows(services)) == before


def rows(services: Services) -> list[Any]:
    with services.db.read() as tx:
        return [tuple(map(str, row)) for table in (fhir_resources, fhir_patients, documents) for row in tx.execute(select(table))]


@pytest.mark.parametrize("number", ["quartz-1", NUMBER])
def test_deletion_by_any_number_is_certified_and_the_audit_stays_clean(services: Services, tmp_path: Path, number: str) -> None:
    lines = [json.dumps(PATIENT), *(condition(f"c{at}") for at in range(3))]
    take(services, tmp_path / "feed", *lines)
    audit = run_audit(services)
    assert (audit.clean, SURNAME in "".join(text for _, text in texts(services))) == (True, False)
    whose = patient_pseudonym(services.secret, number)
    done = run_delete(services, patient=whose, reason="asked for", by="tester", approve_large=True)
    assert done.outcome is not None
    assert (done.outcome.state, done.outcome.documents) == ("certified", 3)
    assert list(texts(services)) == []
    assert not any(SURNAME.encode() in services.landing.get(sha256) for sha256, _ in services.landing.objects())
    assert verify_certificates(services).passed
    again, _ = take(services, tmp_path / "feed", *lines)
    assert again.load.outcomes == {"suppressed": 4}
    assert run_audit(services).clean


def test_a_resource_expires_by_its_own_date_and_is_deleted_with_a_certificate(services: Services, tmp_path: Path) -> None:
    take(services, tmp_path / "feed", condition("old", since="2015-02-01"), condition("new", since="2031-02-01"))
    now = datetime(2032, 1, 1, tzinfo=UTC)
    gone = [one for one in expired(services, now) if one.source == Source.FHIR.value]
    assert [one.last_day_kept.isoformat() for one in gone] == ["2022-12-31"]  # of a date the year is known
    done = run_delete(services, documents=[gone[0].document_id], reason="expired", by="tester", approve_large=True)
    assert done.outcome is not None
    assert done.outcome.state == "certified"
    again, _ = take(services, tmp_path / "feed", condition("old", since="2015-02-01"), condition("new", since="2031-02-01"))
    assert again.load.outcomes == {"suppressed": 1, "document": 1}


def test_every_kind_that_a_resource_or_its_attachment_may_have_is_kept_for_a_time_that_is_said(services: Services) -> None:
    rules = retention_rules(services.settings)
    kinds = {DocumentKind.FHIR_RESOURCE, DocumentKind.NOTE} | {
        kind_of([loinc(code)]) for code in ("18842-5", "11506-3", "11502-2", "18748-4", "11526-1")
    }
    assert len(kinds) == 7
    assert all((rule := rules.rule_for(kind, None)) is not None and rule.keep_years for kind in kinds)


def loinc(code: str) -> dict[str, Any]:
    return {"coding": [{"system": "http://loinc.org", "code": code}]}
