"""Notes with identifiers of every class go through every command, step and failing run; then everything outside landing is searched."""

from __future__ import annotations

import json
import re
import sqlite3
import stat
from pathlib import Path

import pytest

from pipeline.domain.phi import IdentifierClass
from pipeline.testing.canaries import ADMISSION, CANARIES, FOLLOW_UP, KNOWN_ONLY, UNLABELLED, all_canaries, found_in, found_outside_landing

#: References to photographs and biometrics are words, not values: the recognisers' own tables test them.
WITHOUT_A_VALUE = {IdentifierClass.PHOTO, IdentifierClass.BIOMETRIC}


@pytest.fixture(scope="module")
def flow(run_flows) -> Path:
    return run_flows("none")["none"]


@pytest.fixture(scope="module")
def shown(flow: Path) -> str:
    return (flow / "shown").read_text("utf-8")


def json_lines(shown: str, key: str) -> list[dict]:
    return [value for line in shown.splitlines() if line.startswith("{") and key in (value := json.loads(line))]


def test_the_canaries_have_every_class_and_stand_in_the_notes():
    assert set(CANARIES) | WITHOUT_A_VALUE == set(IdentifierClass)
    assert found_in((ADMISSION + FOLLOW_UP + UNLABELLED).encode(), all_canaries()) == all_canaries()


def test_no_canary_is_in_any_file_or_file_name_outside_landing(flow: Path):
    assert {path.name for path in (flow / "home").iterdir()} >= {"truth.sqlite", "cache.sqlite", "index", "landing", "reports"}
    assert found_outside_landing(flow / "home", all_canaries()) == {}


def test_no_canary_is_in_output_logs_step_results_or_exceptions(shown: str):
    assert found_in(shown.encode(), all_canaries()) == set()
    assert found_in(shown.encode(), {"Oddfellow ward", "in/Odd"}) == set()


def test_monitors_and_people_are_told_of_the_failing_runs_by_ids_and_counts(shown: str):
    (message,) = [line["message"] for line in json_lines(shown, "message") if "deliveries" in line]
    assert {one["topic"] for one in message["findings"]} == {"incomplete"}
    assert {run["kind"] for run in message["runs"]} >= {"ingest_documents", "index"}
    (figures,) = json_lines(shown, "metrics")
    failures = next(one for one in figures["metrics"] if one["name"] == "clindex_run_failures")
    assert {"kind": "index", "category": "chunk_failed"} in [value["labels"] for value in failures["values"]]


def test_the_notes_are_in_the_index_and_can_be_found_with_their_clinical_words(shown: str):
    first = json_lines(shown, "documents")[0]["documents"]
    assert (first["indexed"], first["quarantined"], first["failed"]) == (3, 1, 0)
    hits = json_lines(shown, "hits")[0]["hits"]
    assert {hit["kind"] for hit in hits} == {"discharge_summary", "progress_note", "unknown"}
    texts = " ".join(hit["text"] for hit in hits) + " ".join(other["text"] for hit in hits for other in hit["related"])
    for word in (
        "troponin 0.9 ng/mL",
        "Metoprolol 25 mg",
        "Lisinopril 10 mg",
        "ejection fraction 55 %",
        "[NAME]",
        "[DATE]",
        "[ID]",
        "[PHONE]",
        "[ORG]",
    ):
        assert word in texts
    assert {hit["title"] for hit in hits} == {"Discharge summary, 2031", "Progress note", "Document"}
    patients = {hit["kind"]: hit["patient"] for hit in hits}
    assert patients["discharge_summary"] == patients["progress_note"] is not None
    assert all(re.fullmatch(r"[\w ]+ [0-9a-f]{8}, \d+\w\w passage of (?:the text|imaging)", hit["citation"]) for hit in hits)


def test_a_leak_behind_the_detector_is_held_back_by_the_gate(flow: Path, shown: str):
    assert found_in(shown.encode(), {"Hemoglobin 13.2"}) == set()
    assert "gate_refused" in shown
    with sqlite3.connect(flow / "home" / "truth.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM index_state WHERE state = 'quarantined'").fetchone()[0] >= 1
        assert connection.execute("SELECT count(*) FROM chunks WHERE text LIKE '%Hemoglobin%'").fetchone() == (0,)


def test_the_failing_runs_failed_and_were_named_by_category(shown: str):
    for category in ("unsupported_format", "damaged_file", "not_utf8", "no_text", "unreadable_file", "bad_sidecar", "chunk_failed"):
        assert f"failed {category}: " in shown, category
    assert "InternalError" in shown
    assert "ValueError" in shown


def test_reconciliation_proves_the_notes(shown: str):
    first = json_lines(shown, "classes")[0]
    assert first["clean"]
    assert first["expected"] == first["found"] == first["classes"]["ok"] > 3


def test_no_character_of_a_note_is_unexplained(shown: str):
    assert {one["unexplained"] for one in json_lines(shown, "unexplained")} == {0}


def test_landing_keeps_the_notes_for_their_owner_alone(flow: Path):
    landing = flow / "home" / "landing"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in landing.rglob("*") if path.is_file()}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in [landing, *landing.rglob("*")] if path.is_dir()}
    assert (modes, folders) == ({0o600}, {0o700})


@pytest.mark.parametrize("canary", sorted(KNOWN_ONLY))
def test_what_only_the_list_of_known_identifiers_knows_would_be_found_without_it(canary: str):
    from pipeline.stages.deidentify import Scrubber, policy_for

    assert canary in Scrubber().scrub(FOLLOW_UP, policy_for("progress_note", "documents")).text


def test_the_flow_went_through_a_candidate_a_deletion_and_its_certificate(shown: str):
    assert {one["role"] for one in json_lines(shown, "collections")[0]["collections"]} == {"live", "previous"}
    assert "under a legal hold" in shown
    assert json_lines(shown, "outcome")[0]["outcome"]["state"] == "certified"
    verified = json_lines(shown, "certificates")[-1]
    assert (verified["passed"], verified["certificates"]) == (True, 1)
