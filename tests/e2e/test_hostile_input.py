"""Each kind of broken input is a named outcome, and the run goes on."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.studies import study_record
from pipeline.wiring import Services


def lines() -> list[str]:
    without_eligibility = study_record(1)
    del without_eligibility["protocolSection"]["eligibilityModule"]
    bare = {"protocolSection": {"identificationModule": {"nctId": "NCT99900002"}}}
    long_text = study_record(3)
    long_text["protocolSection"]["eligibilityModule"]["eligibilityCriteria"] = "Inclusion Criteria:\n\n" + "".join(
        f"* Condition number {number} of the long list, which is present or was present\n" for number in range(900)
    )
    assert len(long_text["protocolSection"]["eligibilityModule"]["eligibilityCriteria"]) > 60_000
    nul = study_record(4)
    nul["protocolSection"]["descriptionModule"]["briefSummary"] = "Before\x00after the NUL."
    twice = study_record(6)
    twice_newer = study_record(6)
    twice_newer["protocolSection"]["statusModule"]["lastUpdatePostDateStruct"] = {"date": "2030-01-01", "type": "ACTUAL"}
    surrogate = json.dumps(study_record(5)).replace('"briefSummary": "', '"briefSummary": "\\ud800', 1)
    return [
        json.dumps(without_eligibility),
        json.dumps(bare),
        json.dumps(long_text),
        json.dumps(nul),
        surrogate,
        json.dumps(twice),
        json.dumps(twice_newer),
        '{"hello": "world"}',
        "no JSON at all",
        '"a string"',
        "",
    ]


def test_every_kind_of_broken_record_is_named_and_the_rest_is_indexed(services: Services, tmp_path: Path):
    source = tmp_path / "hostile.jsonl"
    source.write_text("\n".join(lines()), encoding="utf-8")
    before = run_reconcile(services).found
    summary = ingest(services, StudyFiles([source], services.settings))
    categories = sorted(one.category for one in summary.failures)
    assert categories == ["duplicate_id", "not_a_study", "not_a_study", "not_json"]
    assert summary.new == 6
    assert {"no_eligibility", "missing_module", "text_repaired"} <= set(summary.notices)
    indexed = run_index(services)
    assert (indexed.documents.indexed, indexed.documents.failed, indexed.unexplained) == (6, 0, 0)
    result = run_reconcile(services)
    assert result.clean
    assert result.found > before + 900


def test_a_truncated_gzip_gives_what_was_readable_and_one_failure(services: Services, tmp_path: Path):
    whole = gzip.compress("".join(json.dumps(study_record(number)) + "\n" for number in range(300)).encode())
    source = tmp_path / "cut.jsonl.gz"
    source.write_bytes(whole[: len(whole) // 2])
    summary = ingest(services, StudyFiles([source], services.settings))
    assert [one.category for one in summary.failures] == ["truncated"]
    assert 10 < summary.new < 300
