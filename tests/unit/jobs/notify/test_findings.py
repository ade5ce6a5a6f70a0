"""What of a run is worth telling, by what its row holds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from pipeline.jobs.notify.findings import of_run, stale
from pipeline.jobs.summaries import Freshness
from pipeline.storage.runs import Run

AT = datetime(2030, 1, 2, tzinfo=UTC)
CANARY = "Zebulon Quartermain-Oddfellow"


def run(kind: str, state: str, counts: dict[str, Any] | None = None) -> Run:
    return Run(UUID(int=1), kind, state, AT, AT, counts or {})


def told(one: Run, failures: dict[str, int] | None = None) -> list[tuple[str, str]]:
    return [(finding.topic.value, finding.says) for finding in of_run(one, failures or {})]


@pytest.mark.parametrize("kind", ["ingest", "index", "reconcile", "quality", "evaluate", "audit", "delete", "load_fhir"])
def test_a_success_is_not_told(kind: str):
    assert told(run(kind, "success")) == []


@pytest.mark.parametrize(
    ("state", "words"), [("failed", "broke off with an error"), ("killed", "was killed"), ("running", "began and never ended")]
)
@pytest.mark.parametrize("kind", ["ingest", "reconcile", "quality"])
def test_a_run_that_broke_off_is_told_whatever_its_kind(kind: str, state: str, words: str):
    assert told(run(kind, state)) == [("incomplete", f"The {kind} run {words}.")]


def test_what_was_left_out_is_told_by_category():
    assert told(run("ingest", "incomplete"), {"not_json": 1, "not_a_study": 2}) == [
        ("incomplete", "The ingest run left something out: not_a_study 2, not_json 1.")
    ]
    assert told(run("ingest", "incomplete")) == [("incomplete", "The ingest run left something out.")]


def test_documents_that_are_held_back_are_blocked_data():
    found = told(run("index", "incomplete"), {"gate_refused": 2, "quality_blocked": 1})
    assert found == [
        ("blocked", "2 documents held back by the identifier gate."),
        ("blocked", "1 document held back by a blocking expectation."),
    ]
    both = told(run("index", "incomplete"), {"gate_refused": 2, "embed_failed": 4})
    assert [topic for topic, _ in both] == ["blocked", "incomplete"]
    assert both[1][1] == "The index run left something out: embed_failed 4."


def broken(name: str, severity: str, column: str = "text") -> dict[str, Any]:
    return {"id": name, "severity": severity, "column": column, "broken": 3, "named": [CANARY], "says": CANARY}


def test_blocking_expectations_block_and_moved_distributions_drift_and_warnings_are_quiet():
    counts = {
        "broken": [broken("chunk_fits_window", "block"), broken("study_status_known", "warn"), broken("lengths", "warn", "length_shift")]
    }
    assert told(run("quality", "incomplete", counts)) == [
        ("blocked", "Blocking expectations are broken, by rows: chunk_fits_window 3."),
        ("drift", "Distributions have moved from those of the last checks: lengths."),
    ]
    assert told(run("quality", "incomplete", {"broken": [broken("study_status_known", "warn")]})) == []


def test_drift_of_index_and_sources():
    side = {"classes": {"changed": 2, "vanished": 1, "equal": 70, "superseded": 4}}
    counts = {"classes": {"ok": 9, "missing_point": 2, "orphan_point": 1, "payload_drift": 0}, "sources": [side], "sums_close": True}
    assert told(run("reconcile", "incomplete", counts)) == [
        ("drift", "Points that differ from the database: missing_point 2, orphan_point 1."),
        ("drift", "Records of the last listings that differ from the database: changed 2, vanished 1."),
    ]
    assert told(run("reconcile", "incomplete", {"classes": {"ok": 9}, "sums_close": False})) == [
        ("drift", "The sums of the reconciliation do not close.")
    ]


def test_retrieval_and_audits():
    assert told(run("evaluate", "incomplete", {"below": ["recall@10"], "missing": 3})) == [
        ("incomplete", "Measures of retrieval are below their floor: recall@10."),
        ("incomplete", "3 judged documents not in the home."),
    ]
    leaks = [{"category": "NAME", "count": 2}, {"category": "NAME", "count": 1}, {"category": "DATE", "count": 1}]
    assert told(run("audit", "incomplete", {"leaks": leaks})) == [
        ("blocked", "The audit found identifiers in what is shown: NAME 3, DATE 1.")
    ]


def test_names_that_no_vocabulary_of_ours_holds_are_not_told():
    shown = f"{told(run(CANARY, 'failed'), {CANARY: 2})}{told(run('quality', 'incomplete', {'broken': [broken(CANARY, 'block')]}))}"
    assert "Quartermain" not in shown
    assert "other 3" in shown


def fresh(breaches: int) -> Freshness:
    return Freshness(objective_hours=36, recruiting=10, breaches=breaches, outdated=0, oldest_hours=50.0, by_source={}, ages=[])


def test_freshness_is_told_when_it_is_missed():
    assert stale(fresh(0)) == []
    (one,) = stale(fresh(4))
    assert (one.topic, one.says) == (
        "freshness",
        "Not confirmed within 36 hours: 4 of 10 recruiting studies; the oldest 50 hours ago.",
    )
