"""Files with pages beside trials, from folder to hit, with the real readers, OCR, model, engine and database."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import select

from pipeline.domain.documents import Facets
from pipeline.domain.reading import FigureKind, ReadFigure
from pipeline.domain.site_files import MARKDOWN, TEXT
from pipeline.domain.vocabulary import Source
from pipeline.jobs import readings
from pipeline.jobs.audit.phi import run_audit
from pipeline.jobs.document_show import show_document
from pipeline.jobs.index import run_index
from pipeline.jobs.index_plan import plan_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.report.pages import page_facts, page_rows
from pipeline.jobs.summaries import IngestSummary
from pipeline.search.request import Hit, SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage import file_rows, index_state
from pipeline.storage.documents import load_documents
from pipeline.storage.tables import readings as readings_table
from pipeline.testing.pdfs import write_pdf
from pipeline.wiring import Services, open_services, reader_id

pytestmark = pytest.mark.slow

TODAY = date(2026, 6, 1)


@pytest.fixture(scope="module")
def read_home(sample_home: Path, models: Path, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample documents ingested and indexed. Read only: take ``files`` to write."""
    from pipeline.testing.homes import copy_home

    folder = tmp_path_factory.mktemp("files") / "home"
    copy_home(sample_home, folder)
    with open_services(Settings(home=folder, models_path=models)) as services:
        bring_in(services, root / "samples" / "documents" / "public", root / "samples" / "documents" / "ward")
        run_index(services)
    return folder


@pytest.fixture
def files(read_home: Path, models: Path, tmp_path: Path):
    from pipeline.testing.homes import copy_home

    copy_home(read_home, tmp_path / "home")
    with open_services(Settings(home=tmp_path / "home", models_path=models)) as services:
        yield services


def bring_in(services: Services, *paths: Path, **options: str) -> IngestSummary:
    source = DocumentFiles(list(paths), services.settings, secret=services.secret, reader_version=reader_id(services.settings), **options)
    return ingest(services, source)


def ask(services: Services, query: str, **filters: object) -> list[Hit]:
    return search(services, SearchRequest(query=query, **filters), today=TODAY).hits


def facets_by_kind(services: Services) -> dict[str, list[Facets]]:
    with services.db.read() as tx:
        ids = [row.document_id for row in index_state.scan(tx) if row.source == Source.DOCUMENTS]
        found: dict[str, list[Facets]] = {}
        for row in load_documents(tx, ids).values():
            found.setdefault(row.kind, []).append(row.facets)
    return found


def test_every_sample_is_live_with_every_page_accounted_and_the_index_proven(files: Services):
    with files.db.read() as tx:
        states = Counter(row.state.value for row in index_state.scan(tx) if row.source == Source.DOCUMENTS)
        pages = page_facts(tx)
    assert states == {"live": 21}
    assert pages.unexplained == 0
    assert pages.characters == pages.body + pages.furniture + pages.dropped
    assert {name: count for name, count in pages.by_outcome.items() if count} == {"text_layer": 18, "ocr": 4}
    assert run_reconcile(files).clean


def test_what_documents_say_of_themselves_becomes_their_facets(files: Services):
    kinds = facets_by_kind(files)
    (protocol,), (plan,) = kinds["protocol"], kinds["statistical_analysis_plan"]
    assert (protocol.protocol_number, protocol.amendment, protocol.nct_ids) == ("VLX-204-301", "2", ("NCT99000501",))
    assert plan.protocol_number == "VLX-204-301"
    numbers = ["1402", "1410", "1412", "1418", "1422", "1424", "1428", "1435-P", "1446", "1450", "612"]
    assert sorted(one.reference_number or "" for one in kinds["ems_protocol"]) == numbers
    assert {(one.agency, one.state, one.document_date) for one in kinds["ems_protocol"]} == {("Pinewater County EMS", "OR", "2026-02-15")}
    (discharge,) = kinds["discharge_summary"]
    assert (discharge.document_date, discharge.author_role, discharge.department) == ("2026", "physician", "cardiology")


def test_a_scanned_page_that_lies_on_its_side_is_found_cited_and_names_nobody(files: Services):
    hit = ask(files, "potassium replaced after furosemide, no acute coronary syndrome", kinds=("discharge_summary",))[0]
    assert hit.section == "HOSPITAL_COURSE"
    assert (hit.page, hit.page_to) == (2, 2)
    assert "furosemide 80 mg IV" in hit.text
    assert 0.5 < hit.confidence < 1
    everything = " ".join(one.text for one in ask(files, "patient", kinds=("discharge_summary",), limit=50))
    assert "Brennick" not in everything
    assert "Graywater" not in everything


def test_the_samples_audit_clean_so_a_candidate_may_take_their_place(files: Services):
    summary = run_audit(files)
    assert (summary.leaks, summary.places, summary.clean) == ([], [], True)
    assert summary.documents > 0


def test_a_dose_is_a_row_of_a_table_that_can_be_cited_alone_and_stands_in_truth(files: Services):
    hit = ask(files, "epinephrine dose for a child", kinds=("ems_protocol",), content_types=("medication",), elements=("table",))[0]
    assert "Drug: Epinephrine 1 mg/mL; Adult: 0.5 mg; Child: 0.01 mg/kg; Route: IM" in hit.text
    assert (hit.element, hit.element_number, hit.reference_number) == ("table", 1, "1410")
    with files.db.read() as tx:
        document = next(row.document_id for row in index_state.scan(tx) if str(row.document_id) == hit.document_id)
        rows = file_rows.load_table_rows(tx, document)
    assert rows[0].cells == ("Drug", "Adult", "Child", "Route")
    assert rows[1].cells == ("Epinephrine 1 mg/mL", "0.5 mg", "0.01 mg/kg", "IM")


def test_filters_of_documents_are_filters_of_the_engine(files: Services):
    assert {hit.kind for hit in ask(files, "dose", states=("OR",), limit=20)} == {"ems_protocol"}
    assert {hit.reference_number for hit in ask(files, "dose", reference_numbers=("1422",), limit=20)} == {"1422"}
    assert {hit.kind for hit in ask(files, "furosemide", icd_codes=("I50.23",), limit=20)} == {"progress_note"}
    assert {hit.protocol_number for hit in ask(files, "urate", protocol_numbers=("VLX-204-301",), limit=20)} == {"VLX-204-301"}
    assert ask(files, "dose", states=("WA",)) == []


def test_a_second_run_reads_embeds_and_writes_nothing(files: Services, root: Path, monkeypatch: pytest.MonkeyPatch):
    really = readings.read_file

    def read(data: bytes, media_type: str, *arguments: object, **options: object) -> object:
        assert media_type in (TEXT, MARKDOWN), "a file was read again"  # the bytes of a text are its text
        return really(data, media_type, *arguments, **options)

    monkeypatch.setattr(readings, "read_file", read)
    again = bring_in(files, root / "samples" / "documents" / "public", root / "samples" / "documents" / "ward")
    assert (again.new, again.changed, again.unchanged, again.failed) == (0, 0, 21, 0)
    summary = run_index(files, force=True)
    assert summary.documents.failed == 0
    assert summary.embedded == 0
    assert run_reconcile(files).clean


def test_a_raised_reader_makes_all_files_stale_and_they_are_read_anew(files: Services, root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pipeline.wiring.FILES_READER_VERSION", "files-next")
    monkeypatch.setattr(readings, "READER_VERSION", "files-next")
    with open_services(files.settings) as again:
        assert len(plan_index(again).index) == 21
        ward = bring_in(again, root / "samples" / "documents" / "ward")
        assert (ward.changed, ward.unchanged, ward.failed) == (6, 0, 0)
        summary = run_index(again)
        assert (summary.documents.indexed, summary.embedded) == (21, 0)
        assert run_reconcile(again).clean


def test_a_reading_that_landing_lost_or_damaged_is_made_again(files: Services):
    landing = Path(files.settings.home) / "landing"
    with files.db.read() as tx:
        hashes = list(tx.execute(select(readings_table.c.artifact_sha256)).scalars())
    assert len(hashes) > 5
    for number, sha256 in enumerate(hashes):
        path = landing / sha256[:2] / sha256[2:4] / sha256
        if number % 2:
            path.unlink()
        else:
            path.write_bytes(b"damaged")
    summary = run_index(files, force=True)
    assert (summary.documents.failed, summary.embedded) == (0, 0)
    assert run_reconcile(files).clean


def test_one_bad_file_of_each_kind_fails_by_name_and_the_others_go_on(files: Services, tmp_path: Path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    write_pdf(folder / "good.pdf", ["Colchicine 0.6 mg twice daily was well tolerated."])
    (folder / "cut.pdf").write_bytes((folder / "good.pdf").read_bytes()[:300])
    (folder / "page.pdf").write_bytes(b"<html><body>Not found</body></html>")
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no archive")
    (folder / "broken.tiff").write_bytes(b"II*\x00 no picture")
    summary = bring_in(files, folder, kind="note")
    assert (summary.new, summary.failed, summary.complete) == (1, 5, True)
    assert {one.category for one in summary.failures} <= {"not_a_pdf", "damaged_file", "no_text", "unsupported_format"}
    assert run_index(files).documents.indexed == 1


def test_the_account_of_a_documents_pages_can_be_shown(files: Services):
    (hit, *_) = ask(files, "laboratory potassium", kinds=("lab_report",))
    with files.db.read() as tx:
        key = next(row.document_id for row in index_state.scan(tx) if str(row.document_id) == hit.document_id)
        pages = page_rows(tx, key)
    assert [(page["page"], page["outcome"], page["unexplained"]) for page in pages] == [(1, "ocr", 0), (2, "ocr", 0)]


def test_what_a_reader_noticed_is_in_the_run_and_pictures_are_in_the_account(files: Services, tmp_path: Path):
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    folder = tmp_path / "locked"
    folder.mkdir()
    canvas = Canvas(str(folder / "a.pdf"), encrypt=StandardEncryption("", ownerPassword="owner"))
    canvas.drawString(72, 700, "Colchicine 0.6 mg twice daily was well tolerated by everyone who took it.")
    canvas.save()
    summary = bring_in(files, folder, kind="note")
    assert (summary.new, summary.notices["encrypted"]) == (1, 1)
    with files.db.read() as tx:
        (key,) = [row.document_id for row in index_state.scan(tx) if row.live_generation is None]
    figure = ReadFigure(1, 1, FigureKind.FIGURE, 90, 60, b"", on_redacted_page=True)
    with files.db.begin() as tx:
        file_rows.replace_figures(tx, key, [file_rows.FigureRow(figure, None)])
    (shown,) = show_document(files, key)["figures"]
    assert (shown["number"], shown["kind"], shown["on_redacted_page"]) == (1, "figure", True)
