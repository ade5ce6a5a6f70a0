"""Files with pages go through every command; then everything outside landing is searched for the patient: see ``file_flow.py``."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from pipeline.testing.canaries import found_in, found_outside_landing
from pipeline.testing.canary_files import WORDS, canaries_of_files
from tests.phi import file_flow

#: Where a canary must turn up when a guard is off.
FOUND_IN = {
    "no_silence_of_readers": "shown",
    "no_class_of_a_readers_error": "shown",
    "no_private_folder": "tmp",
    "no_doubt_of_kinds": "truth.sqlite",
    "no_clinical_titles": "truth.sqlite",
    "no_clinical_facets": "truth.sqlite",
    "no_clinical_numbers": "truth.sqlite",
    "no_scrubbed_tables": "truth.sqlite",
    "no_scrubbed_headings": "truth.sqlite",
    "no_clinical_pictures": "sent",
}

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are watched through /proc")


@pytest.fixture(scope="module")
def flow(run_file_flows) -> Path:
    return run_file_flows("none")["none"]


@pytest.fixture(scope="module")
def shown(flow: Path) -> str:
    return (flow / "shown").read_text("utf-8")


def rows(flow: Path, query: str) -> list[tuple]:
    with sqlite3.connect(flow / "home" / "truth.sqlite") as connection:
        return connection.execute(query).fetchall()


def left_behind(folder: Path) -> dict[str, set[str]]:
    """Canaries in temporary files that are still there, and in their names."""
    files = [path for path in (folder / "tmp").rglob("*") if path.is_file()]
    found = {path.name: found_in(path.name.encode() + path.read_bytes(), canaries_of_files()) for path in files}
    return {name: values for name, values in found.items() if values}


def test_no_canary_is_in_any_file_or_file_name_outside_landing(flow: Path):
    assert {path.name for path in (flow / "home").iterdir()} >= {"truth.sqlite", "cache.sqlite", "index", "landing", "reports"}
    assert found_outside_landing(flow / "home", canaries_of_files()) == {}


def test_no_canary_is_in_output_or_logs_whatever_the_readers_print(shown: str):
    assert found_in(shown.encode(), canaries_of_files()) == set()
    assert found_in(shown.encode(), {"Oddfellow ward", "QUARTERMAIN chart", "manifest.csv"}) == set()


def test_no_canary_is_in_xcom_of_a_run_over_files_that_took_one(shown: str):
    (line,) = [one.removeprefix("XCom ") for one in shown.splitlines() if one.startswith("XCom ")]
    started, found, taken, ended, _, results, indexed = json.loads(line)
    assert started["verdict"] == "clean"
    assert (found["fetched"]["changed"], sum(one["changed"] for one in taken), ended["changed"]) == (1, 1, 1)
    assert indexed["documents"]["indexed"] == sum(one["documents"]["indexed"] for one in results) == 1
    assert found_in(line.encode(), canaries_of_files() | {"Oddfellow ward", "QUARTERMAIN"}) == set()


def test_the_files_were_read_and_are_in_the_index_or_held_back(flow: Path):
    text = " ".join(text for (text,) in rows(flow, "SELECT text FROM chunks"))
    held = rows(flow, "SELECT count(*) FROM index_state WHERE state = 'quarantined'")[0][0]
    found = {name for name, word in WORDS.items() if word in text}
    assert found >= {"pdf", "docx", "rtf", "html", "guideline", "scan_pdf"}
    assert len(WORDS) - len(found) <= held
    assert {outcome for (outcome,) in rows(flow, "SELECT DISTINCT outcome FROM document_pages")} >= {"text_layer", "ocr"}


def test_cells_under_columns_of_identifiers_are_replaced_and_the_values_beside_them_kept(flow: Path):
    cells = [json.loads(row) for (row,) in rows(flow, "SELECT cells FROM table_rows WHERE number > 0")]
    assert ["[NAME]", "[ID]", "[DATE]", "[PHONE]", "4.1 mmol/L"] in cells


def test_of_clinical_files_neither_numbers_nor_agency_nor_more_than_the_year_is_known(flow: Path):
    clinical = [json.loads(facets) for (facets,) in rows(flow, "SELECT facets FROM documents WHERE kind <> 'guideline'")]
    assert len(clinical) >= len(WORDS)
    assert {one["document_date"] for one in clinical} == {None, "2031"}
    for name in ("agency", "state", "protocol_number", "reference_number", "amendment", "nct_id"):
        assert {one[name] for one in clinical} == {None}, name
    assert rows(flow, "SELECT * FROM document_identifiers") == []


def test_the_audit_finds_nothing_and_has_read_everything(flow: Path, shown: str):
    audits = [value for line in shown.splitlines() if line.startswith("{") and "leaked_documents" in (value := json.loads(line))]
    assert audits[-1]["clean"]
    assert audits[-1]["chunks"] == rows(flow, "SELECT count(*) FROM chunks")[0][0] > len(WORDS)


def test_broken_files_are_named_by_category(shown: str):
    for category in ("encrypted", "damaged_file", "page_too_large", "read_crashed"):
        assert f"{category} (" in shown, category


def test_command_lines_of_readers_name_neither_file_nor_text(flow: Path):
    lines = (flow / "commands").read_text("utf-8")
    assert "loud_reader.py" in lines
    assert "tesseract" in lines
    assert found_in(lines.encode(), canaries_of_files() | {"Oddfellow ward"}) == set()


def test_temporary_files_lie_in_a_folder_of_their_owner_and_are_gone(flow: Path):
    assert (flow / "modes").read_text("utf-8").split() == ["0o700"]
    assert [path for path in (flow / "tmp").rglob("*") if "clindex" in path.name or "reader" in path.name] == []
    assert left_behind(flow) == {}


def test_no_picture_of_a_clinical_file_was_sent_anywhere(flow: Path):
    assert (flow / "sent").read_bytes() == b""


def test_every_guard_has_its_expectation():
    assert set(FOUND_IN) == set(file_flow.GUARDS)


@pytest.fixture(scope="module")
def flows(run_file_flows) -> dict[str, Path]:
    return run_file_flows(*file_flow.GUARDS)


@pytest.mark.slow
@pytest.mark.parametrize("guard", FOUND_IN)
def test_without_this_guard_the_canary_test_fails(flows: dict[str, Path], guard: str):
    folder, place = flows[guard], FOUND_IN[guard]
    if place == "shown":
        assert found_in((folder / "shown").read_bytes(), canaries_of_files())
    elif place == "tmp":
        assert left_behind(folder)
    elif place == "sent":
        assert (folder / "sent").stat().st_size > 0
    else:
        assert found_outside_landing(folder / "home", canaries_of_files()).get(place), "the canaries are not found without this guard"
