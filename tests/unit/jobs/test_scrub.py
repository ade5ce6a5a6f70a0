"""Scrubbing outside the index: what cannot be scrubbed is named, never passed on; order and rows are the same in several processes."""

from __future__ import annotations

import gzip
import io
import json

from pipeline.domain.vocabulary import FailureCategory
from pipeline.jobs.scrub import ScrubOptions, scrub_lines, scrub_text
from pipeline.stages.deidentify import Scrubber

REGISTRY = ScrubOptions(kind="trial", source="clinicaltrials.gov")  # contacts only: no language model is loaded


def lines(*rows: object) -> io.BytesIO:
    return io.BytesIO(b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows))


def scrub(stream: io.BytesIO, *, workers: int = 1, max_bytes: int = 10_000) -> list[dict]:
    return list(scrub_lines(stream, REGISTRY, workers=workers, max_bytes=max_bytes))


def test_spans_are_places_in_the_source():
    text = "Call 301-555-0142 or write to a.b@clinic.example today."
    done = scrub_text(text, REGISTRY)
    assert done["deidentified"] == "Call [PHONE] or write to [EMAIL] today."
    assert [(text[one["start"] : one["end"]], one["category"]) for one in done["spans"]] == [
        ("301-555-0142", "PHONE"),
        ("a.b@clinic.example", "EMAIL"),
    ]


def test_each_line_has_its_row_and_bad_ones_say_why():
    rows = scrub(lines({"id": "a", "text": "x@y.example"}, b"not json\n", {"id": 7}, [1], {"id": "b", "text": ""}))
    assert rows == [
        {"id": "a", "deidentified": "[EMAIL]", "spans": [{"start": 0, "end": 11, "category": "EMAIL", "score": 0.99}]},
        {"id": None, "error": FailureCategory.NOT_JSON, "line": 2},
        {"id": 7, "error": FailureCategory.NOT_A_TEXT, "line": 3},
        {"id": None, "error": FailureCategory.NOT_A_TEXT, "line": 4},
        {"id": "b", "deidentified": "", "spans": []},
    ]


def test_an_over_long_line_and_a_truncated_gzip_are_named():
    rows = scrub(lines({"id": 1, "text": "x" * 300}, {"id": 2, "text": "fine"}), max_bytes=200)
    assert [(row["id"], row.get("error")) for row in rows] == [(None, "too_large"), (2, None)]
    packed = gzip.compress(b"".join(json.dumps({"id": n, "text": f"note {n}"}).encode() + b"\n" for n in range(500)))
    rows = scrub(io.BytesIO(packed[:-50]))
    assert rows[-1]["error"] == "truncated"


def test_a_row_that_breaks_the_scrubber_is_not_passed_on(monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("Quillfeather")

    monkeypatch.setattr(Scrubber, "scrub_all", broken)
    (row,) = scrub(lines({"id": 1, "text": "Quillfeather"}))
    assert row == {"id": 1, "error": FailureCategory.SCRUB_FAILED, "origin": "RuntimeError", "line": 1}


def test_a_text_with_a_nul_behind_every_letter_is_named_and_half_a_sign_is_no_reason():
    rows = scrub(
        lines({"id": 1, "text": "\x00".join("x@y.example")}, b'{"id": 2, "text": "\\ud83d x@y.example"}\n', {"id": 3, "text": "a\x00b"})
    )
    assert [row.get("error") for row in rows] == ["not_utf8", None, None]
    assert rows[1]["spans"][0]["start"] == 2


def test_a_row_may_name_its_kind():
    (row,) = scrub(lines({"id": 1, "text": "10.0.0.1 x@y.example", "kind": "trial"}))
    assert row["deidentified"] == "10.0.0.1 [EMAIL]"


def test_several_processes_give_the_same_rows_in_the_same_order():
    rows = [{"id": n, "text": f"note {n}: 301-555-{n:04d}"} for n in range(150)]
    assert scrub(lines(*rows), workers=2) == scrub(lines(*rows))
