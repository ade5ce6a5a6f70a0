"""A patient's notes are deleted for good: afterwards no byte of the home holds what was in them, and neither output nor logs ever did."""

from __future__ import annotations

import json
import logging
import sqlite3
from pathlib import Path
from uuid import UUID

import pytest

from pipeline.domain.vocabulary import DeletionCause
from pipeline.jobs.deletion import DeletionOutcome, carry_out, lift, request
from pipeline.jobs.deletion.carry_out import prove
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.nightly import document_source
from pipeline.jobs.report import write_report
from pipeline.settings import Settings
from pipeline.storage import erasure
from pipeline.testing.canaries import ADMISSION, FOLLOW_UP, all_canaries, found_in, write_notes
from pipeline.testing.homes import copy_home
from pipeline.wiring import Services

#: Clinical words that only the patient's two notes have: what de-identification leaves of them.
WORDS = {"troponin 0.9", "Lisinopril 10"}
KEPT = "Echocardiogram: ejection fraction 55 %"  # of the note that names no patient


@pytest.fixture
def home(empty_home: Path, models: Path, tmp_path: Path) -> Settings:
    copy_home(empty_home, tmp_path / "home")
    return Settings(home=tmp_path / "home", models_path=models)


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    return write_notes(tmp_path / "in")


def night(services: Services, ward: Path) -> dict[str, int]:
    summary = ingest(services, document_source(services, [str(ward)]))
    run_index(services)
    return summary.notices


def patient_of(services: Services) -> str:
    with services.db.read() as tx:
        from sqlalchemy import select

        from pipeline.storage.tables import documents

        names = {facets.get("patient") for facets in tx.execute(select(documents.c.facets)).scalars()}
    (one,) = names - {None}
    return str(one)


def delete(services: Services, patient: str) -> DeletionOutcome:
    asked = request(
        services, patient=patient, cause=DeletionCause.REQUEST, reason="asked for it in writing", by="tester", approve_large=True
    )
    return carry_out(services, UUID(str(asked.deletion_id)))


def archived(services: Services) -> list[str]:
    """Passages of superseded versions that truth keeps."""
    from sqlalchemy import select

    from pipeline.storage.citation_tables import cited_texts

    with services.db.read() as tx:
        return list(tx.execute(select(cited_texts.c.text)).scalars())


def everything(services: Services) -> bytes:
    """All bytes of the home's files, landing's as they were handed in, and their names."""
    home = services.settings.home
    landed = [services.landing.get(sha256) for sha256, _ in services.landing.objects()]
    files = [path for path in sorted(home.rglob("*")) if path.is_file() and "models" not in path.parts]
    return b"\n".join([*landed, *(str(path.relative_to(home)).encode() + path.read_bytes() for path in files)])


def test_no_byte_of_the_home_holds_the_patients_notes(services: Services, ward: Path):
    night(services, ward)
    (ward / "addendum.txt").write_text(FOLLOW_UP + "Bogrosemary tea was stopped.\n", encoding="utf-8")
    (ward / "addendum.txt.meta.json").write_text('{"kind": "note", "patient": "83447106"}', encoding="utf-8")
    night(services, ward)
    (ward / "addendum.txt").write_text("Progress note\n\nQuillwort tea was begun.\n", encoding="utf-8")  # an older version stays in landing
    night(services, ward)
    assert any("Bogrosemary" in text for text in archived(services))  # and in what old citations are resolved by
    write_report(services)
    for path in [path for path in ward.iterdir() if "meta" not in path.name and path.read_text(encoding="utf-8") in (ADMISSION, FOLLOW_UP)]:
        path.unlink()
        path.with_name(path.name + ".meta.json").unlink(missing_ok=True)
    assert found_in(everything(services), WORDS | {"Bogrosemary", "Quillwort"}) == WORDS | {"Bogrosemary", "Quillwort"}
    patient = patient_of(services)
    outcome = delete(services, patient)
    assert (outcome.state, outcome.documents, outcome.erased) == ("erased", 3, 3)
    assert archived(services) == []
    left = everything(services)
    assert found_in(left, WORDS | {"Bogrosemary", "Quillwort", "4417 Larkspur Lane", "XQJ882301947", "sparrowhawk"}) == set()
    assert KEPT.encode() in left


def test_a_new_note_of_the_patient_is_not_taken_until_a_person_lifts_it(services: Services, ward: Path):
    night(services, ward)
    patient = patient_of(services)
    prove(services, delete(services, patient))
    (ward / "later.txt").write_text("Progress note\n\nBogrosemary tea was stopped.\n", encoding="utf-8")
    (ward / "later.txt.meta.json").write_text('{"kind": "note", "patient": "83447106"}', encoding="utf-8")
    assert night(services, ward)["suppressed"] == 3
    assert b"Bogrosemary" not in everything(services)
    lift(services, patient, reason="a new treatment", by="tester")
    assert night(services, ward)["suppressed"] == 2  # what was deleted stays deleted
    with services.db.read() as tx:
        assert len(erasure.documents_of_patient(tx, patient)) == 1


def test_output_and_logs_of_a_deletion_name_ids_and_counts_alone(services: Services, ward: Path, caplog: pytest.LogCaptureFixture):
    night(services, ward)
    with caplog.at_level(logging.DEBUG, logger="clindex"):
        outcome = delete(services, patient_of(services))
        night(services, ward)
    shown = outcome.model_dump_json() + "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert found_in(shown.encode(), all_canaries() | {"Oddfellow ward"}) == set()
    with sqlite3.connect(services.settings.home / "truth.sqlite") as connection:
        kept = connection.execute("SELECT evidence FROM deletion_documents UNION ALL SELECT counts FROM runs").fetchall()
    connection.close()
    assert found_in(json.dumps(kept).encode(), all_canaries()) == set()
