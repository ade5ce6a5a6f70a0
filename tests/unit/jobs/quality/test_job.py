"""A check of data quality: every fault is named with its rows and severity, and a clean home has none."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select, update

from pipeline.jobs.quality.gate import broken
from pipeline.jobs.quality.job import broken_in, run_quality
from pipeline.jobs.quality.sample import rows
from pipeline.jobs.quality.suites import DataSet, Severity, suite
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.storage.study_tables import studies
from pipeline.storage.tables import chunks, documents
from pipeline.testing.quality_faults import THE_CHECK

NOT_SEEDED = {"home_has_documents"}  # it is about an empty home, and has a test of its own
EVERY = [line for one in DataSet for line in suite(one) if line.id not in NOT_SEEDED]


@pytest.mark.parametrize("line", EVERY, ids=lambda line: line.id)
def test_a_fault_is_named_with_its_rows_and_its_severity(faulty, line):
    _, seeded, summary = faulty
    found = {one.id: one for one in broken_in(summary.data_sets)}[line.id]
    expected = {summary.run_id if row == THE_CHECK else row for row in seeded[line.id]}
    assert set(found.named) == expected
    assert found.broken == len(expected)
    assert (found.severity, found.data_set) == (line.severity.value, line.data_set.value)


def test_nothing_else_is_broken_and_more_than_twenty_faults_were_seeded(faulty):
    _, seeded, summary = faulty
    assert {one.id for one in broken_in(summary.data_sets)} == set(seeded)
    assert len(seeded) >= 20
    assert {one.id for one in EVERY} == set(seeded)
    assert summary.blocked == sum(line.severity is Severity.BLOCK for line in EVERY)
    assert not summary.clean


def test_the_gate_and_great_expectations_judge_the_same_rows_alike(faulty):
    services, seeded, _ = faulty
    with services.db.read() as tx:
        ids = list(tx.execute(select(documents.c.document_id)).scalars())
    found: dict[str, set[str]] = {}
    for data_set, batch in rows(services, ids, datetime.now(UTC)):
        for severity in Severity:
            for name, broken_rows in broken(data_set, batch, severity=severity).items():
                found.setdefault(name, set()).update(broken_rows)
    beside = {line.id for line in EVERY if line.data_set in (DataSet.RUNS, DataSet.FHIR_RESOURCES)}
    assert found == {name: broken_rows for name, broken_rows in seeded.items() if name not in beside}


def test_the_report_names_expectation_severity_and_rows(faulty):
    services, seeded, summary = faulty
    report = collect(services)
    assert report.quality is not None
    assert {one.id for one in report.quality.broken} == set(seeded)
    assert any("blocking expectations of data quality" in reason for reason in report.verdict.reasons)
    html = render_html(report)
    for row in seeded["chunk_fits_window"] | seeded["page_read"] | {summary.run_id}:
        assert f"<code>{row}</code>" in html
    assert 'href="quality/docs/index.html"' in html


def test_what_is_written_holds_no_text_of_a_document(faulty):
    services, _, _ = faulty
    with services.db.read() as tx:
        texts = [text for text in tx.execute(select(chunks.c.text)).scalars() if len(text) > 30]
    pages = [
        path.read_text(encoding="utf-8")
        for path in (services.settings.reports_folder / "quality").rglob("*")
        if path.suffix in (".html", ".json")
    ]
    assert len(pages) > 8
    assert not [text for text in texts for page in pages if text in page]


def test_a_clean_home_shows_no_fault_and_nothing_outside_is_asked(clean, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("the network was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    first, second = run_quality(clean), run_quality(clean)
    for summary in (first, second):
        assert broken_in(summary.data_sets) == []
        assert summary.clean
        assert summary.held_back == []
    assert (first.earlier, second.earlier) == (0, 1)
    assert all(line.rows == one.rows for one in second.data_sets for line in one.expectations)
    kept = clean.settings.reports_folder / "quality" / "latest.json"
    assert json.loads(kept.read_text(encoding="utf-8"))["run_id"] == second.run_id
    assert kept.stat().st_mode & 0o077 == 0


def test_data_docs_load_nothing_from_elsewhere(clean):
    summary = run_quality(clean)
    assert summary.docs == "quality/docs/index.html"
    folder = clean.settings.reports_folder / "quality" / "docs"
    pages = list(folder.rglob("*.html"))
    assert len(pages) > 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text
        assert "src=http" not in text
        assert "<link" not in text
        assert "<script" not in text
    index = (folder / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="([^"]+)"', index)
    assert len(links) == 10  # suite and results of each data set that has rows
    assert all((folder / link).is_file() for link in links)
    assert "✓ every one holds" in index
    studies_page = next(folder.glob("validations/studies/**/*.html")).read_text(encoding="utf-8")
    assert studies_page.count("✓ holds") == len(suite(DataSet.STUDIES))
    assert not [path for path in folder.rglob("*") if path.stat().st_mode & 0o077]


def test_the_sample_home_has_one_fault_of_a_source(services):
    (only,) = broken_in(run_quality(services).data_sets)
    assert (only.id, only.severity, only.broken) == ("study_status_known", "warn", 1)


def test_a_home_without_documents_is_blocked(clean):
    with clean.db.begin() as tx:
        tx.execute(update(documents).values(tombstoned_at=datetime.now(UTC)))
    summary = run_quality(clean)
    assert "home_has_documents" in {one.id for one in broken_in(summary.data_sets) if one.severity == "block"}


def test_a_sample_reads_some_documents_whole_and_says_so(clean):
    few = replace(clean, settings=clean.settings.model_copy(update={"quality_documents": 10}))
    summary = run_quality(few)
    assert (summary.documents, summary.of_documents) == (10, 77)
    by_name = {one.name: one for one in summary.data_sets}
    assert by_name["documents"].rows == 10
    assert by_name["documents"].sampled
    assert by_name["chunks"].rows == by_name["points"].rows > 10
    assert not by_name["runs"].sampled
    assert run_quality(clean, everything=True).documents == 77


def test_a_fault_beyond_the_first_batch_is_found(clean):
    with clean.db.begin() as tx:
        last = tx.execute(select(studies.c.document_id).order_by(studies.c.document_id.desc()).limit(1)).scalar_one()
        tx.execute(update(studies).where(studies.c.document_id == last).values(study_type="GUESSWORK"))
    small = replace(clean, settings=clean.settings.model_copy(update={"quality_batch_rows": 30}))
    (only,) = broken_in(run_quality(small).data_sets)
    assert (only.id, only.named, only.rows) == ("study_type_known", [str(last)], 77)
