"""The audit finds what leaked into truth, index or title, by class and place; it never shows a value."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select, update
from typer.testing import CliRunner

from pipeline.cli.main import app
from pipeline.domain.errors import UsageError
from pipeline.domain.phi import Found, IdentifierClass
from pipeline.domain.tables import TableRow
from pipeline.jobs.audit.phi import run_audit
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.quarantine import list_quarantine, release_quarantined
from pipeline.settings import Settings
from pipeline.stages.deidentify import Scrubber
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage import file_rows
from pipeline.storage.runs import latest_run
from pipeline.storage.tables import chunks, documents
from pipeline.wiring import Services

MAIL = "quartermain.oddfellow@mailbox.example"


class Greedy(Scrubber):
    """A detector that takes one drug for a name, and finds nothing else."""

    def find_all(self, folded, policy, **_):
        places = [(each, each.text.find("metformin")) for each in folded]
        return [[Found(at, at + 9, IdentifierClass.NAME, 1.0, "greedy")] if at >= 0 else [] for _, at in places]


def bring(services: Services, folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "one.txt").write_text(text, encoding="utf-8")
    services.__dict__["scrubber"] = Greedy(secret=b"an invented secret of this test")
    ingest(services, DocumentFiles([str(folder)], services.settings, secret=services.secret, kind="note", access=None))
    run_index(services)


def test_a_clean_index_is_clean_and_everything_was_read(services: Services):
    summary = run_audit(services)
    assert summary.clean
    with services.db.read() as tx:
        stored = len(tx.execute(select(chunks.c.point_id)).all())
        run = latest_run(tx, "audit")
    assert summary.chunks == summary.points == stored > 0
    assert (summary.leaks, summary.leaked_characters, summary.places) == ([], 0, [])
    assert sum(one.documents for one in summary.policies) == summary.documents
    assert run is not None
    assert run.state == "success"


def test_what_leaked_into_a_chunk_a_payload_and_a_title_is_found_and_not_shown(services: Services):
    with services.db.begin() as tx:
        point, document = tx.execute(select(chunks.c.point_id, chunks.c.document_id)).first()
        tx.execute(update(chunks).where(chunks.c.point_id == point).values(text=f"Write to {MAIL} today", embed_text=None))
        tx.execute(update(documents).where(documents.c.document_id == document).values(title=f"A study by {MAIL}"))
    with services.index.session() as index:
        other = next(one for one in index.scan() if isinstance(one.id, UUID))
        index.set_payload([(other.id, {**other.payload, "remark": {"nested": [f"ask {MAIL}"]}})])
    summary = run_audit(services)
    assert not summary.clean
    assert {(one.category, one.where, one.count) for one in summary.leaks if one.by == "gate"} == {
        ("EMAIL", "chunk", 1),
        ("EMAIL", "payload", 1),
        ("EMAIL", "title", 1),
    }
    assert summary.leaked_documents == len({str(document), str(other.payload["document_id"])})
    assert "quartermain" not in summary.model_dump_json()


def test_what_leaked_into_a_heading_a_row_of_a_table_and_a_facet_is_found(services: Services):
    with services.db.begin() as tx:
        point, document = tx.execute(select(chunks.c.point_id, chunks.c.document_id)).first()
        tx.execute(update(chunks).where(chunks.c.point_id == point).values(headings=["Results", f"Sent to {MAIL}"]))
        file_rows.insert_table_rows(tx, document, 1, [TableRow(1, 1, None, ("4.1", f"ask {MAIL}"))])
        facets = tx.execute(select(documents.c.facets).where(documents.c.document_id == document)).scalar_one()
        tx.execute(update(documents).where(documents.c.document_id == document).values(facets={**facets, "agency": f"Office of {MAIL}"}))
    summary = run_audit(services)
    assert {(one.category, one.where, one.count) for one in summary.leaks} == {
        ("EMAIL", "heading", 1),
        ("EMAIL", "table", 1),
        ("EMAIL", "facet", 1),
    }
    assert summary.leaked_documents == 1
    assert "quartermain" not in summary.model_dump_json()


@pytest.mark.parametrize(
    ("leak", "category"),
    [
        ({"natural_key": "301-555-0142"}, "PHONE"),
        ({"part": "412-55-8093"}, "SSN"),
        ({"text_hash": "03/09/2031"}, "DATE"),
        ({"Seen by Dr. Winterbourne": 1}, "NAME"),
        ({"mrn": 41286753}, "MRN"),
        ({"nct_id": "q@clinic.example"}, "EMAIL"),
        ({"dated_from": 20310309}, "OTHER_ID"),
    ],
)
def test_a_leak_in_a_field_of_codes_a_fields_name_or_a_number_is_found(services: Services, leak: dict[str, object], category: str):
    with services.index.session() as index:
        other = next(one for one in index.scan() if isinstance(one.id, UUID))
        note: dict[str, object] = {"kind": "note", "source": "documents", "conditions": [], "scope": []}
        undated: dict[str, object] = {"status_as_of": None, "dated_from": None, "dated_to": None}
        index.set_payload([(other.id, {**other.payload, **note, **undated, **leak})])
    summary = run_audit(services)
    assert [(one.category, one.where, one.count) for one in summary.leaks] == [(category, "payload", 1)]
    assert "Winterbourne" not in summary.model_dump_json()


def test_a_foreign_point_is_read_as_clinical_text(services: Services):
    with services.index.session() as index:
        other = next(one for one in index.scan() if isinstance(one.id, UUID))
        index.set_payload([(other.id, {"text": "Seen by Dr. Winterbourne on 03/09/2031"})])
    assert {one.category for one in run_audit(services).leaks} == {"NAME", "DATE"}


def test_what_a_person_released_is_counted_apart_and_the_audit_is_clean(services: Services, tmp_path: Path):
    bring(services, tmp_path / "notes", "Discussed with Dr. Winterbourne, who agrees. The lungs are clear.")
    (held,) = list_quarantine(services).documents
    release_quarantined(services, UUID(held.document_id), reason="teaching case")
    run_index(services)
    summary = run_audit(services)
    assert summary.clean
    assert [(one.category, one.count) for one in summary.released] == [("NAME", 1)]


def test_clinical_terms_that_deidentification_took_away_are_counted(services: Services, tmp_path: Path):
    bring(services, tmp_path / "notes", "She takes metformin mg twice daily for diabetes. The lungs are clear.")
    (clinical,) = [one for one in run_audit(services).policies if one.policy.startswith("clinical")]
    assert (clinical.lost_terms, clinical.lost_by_class, clinical.sources_read) == (1, {"NAME": 1}, 1)
    assert clinical.clinical_terms >= 2
    assert (clinical.placeholders, clinical.beside_clinical_words) == (1, 1)


def test_the_command_exits_with_one_when_something_leaked(services: Services, home: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CLINDEX_HOME", str(home.home))
    monkeypatch.setenv("CLINDEX_MODELS_PATH", str(home.models_folder))
    services.close()
    run = CliRunner().invoke
    clean = run(app, ["audit", "phi", "--json"])
    assert (clean.exit_code, json.loads(clean.stdout)["clean"]) == (0, True)
    from pipeline.wiring import open_services

    with open_services(home) as again, again.db.begin() as tx:
        point = tx.execute(select(chunks.c.point_id)).scalars().first()
        tx.execute(update(chunks).where(chunks.c.point_id == point).values(text=f"Write to {MAIL}", embed_text=None))
    leaked = run(app, ["audit", "phi"])
    assert leaked.exit_code == 1
    assert "EMAIL" in leaked.output
    assert "quartermain" not in leaked.output


def test_a_document_that_truth_does_not_know_is_refused_not_called_clean(services: Services):
    with pytest.raises(UsageError, match="no document 00000000-0000-0000-0000-00000000002a is known"):
        run_audit(services, documents=[UUID(int=42)])
