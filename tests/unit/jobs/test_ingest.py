"""Ingestion goes on where the landing is damaged, and mends it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.jobs import ingest as ingest_job
from pipeline.jobs.ingest import ingest
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.studies import study_records
from pipeline.wiring import Services


def object_files(services: Services) -> set[Path]:
    return {path for path in (services.settings.home / "landing").rglob("*") if path.is_file()}


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b cut", b"no gzip"])
def test_a_damaged_landed_record_fails_by_name_and_is_fetched_again_by_the_next_run(services: Services, tmp_path: Path, damage: bytes):
    source = tmp_path / "three.jsonl"
    source.write_text("\n".join(json.dumps(one) for one in study_records(3)), encoding="utf-8")
    before = object_files(services)
    fetched = ingest_job.fetch(services, StudyFiles([source], services.settings))
    damaged = sorted(object_files(services) - before)[0]
    damaged.write_bytes(damage)
    assert ingest_job.normalize_batch(services, fetched) == {"new": 2, "changed": 0, "failed": 1}
    again = ingest(services, StudyFiles([source], services.settings))
    assert (again.new, again.unchanged, again.failed) == (1, 2, 0)
