"""Ingestion goes on where the landing is damaged, and mends it; it ends where nothing can be read for want of a program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from pipeline.domain.errors import ConfigurationError
from pipeline.jobs import ingest as ingest_job
from pipeline.jobs.fetch import fetch
from pipeline.jobs.ingest import ingest
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.studies import study_records
from pipeline.wiring import Services, reader_id


def object_files(services: Services) -> set[Path]:
    return {path for path in (services.settings.home / "landing").rglob("*") if path.is_file()}


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b cut", b"no gzip"])
def test_a_damaged_landed_record_fails_by_name_and_is_fetched_again_by_the_next_run(services: Services, tmp_path: Path, damage: bytes):
    source = tmp_path / "three.jsonl"
    source.write_text("\n".join(json.dumps(one) for one in study_records(3)), encoding="utf-8")
    before = object_files(services)
    fetched = fetch(services, StudyFiles([source], services.settings))
    damaged = sorted(object_files(services) - before)[0]
    damaged.write_bytes(damage)
    assert ingest_job.normalize_batch(services, fetched) == {"new": 2, "changed": 0, "failed": 1}
    again = ingest(services, StudyFiles([source], services.settings))
    assert (again.new, again.unchanged, again.failed) == (1, 2, 0)


def test_a_missing_tesseract_ends_the_run_with_its_remedy(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "ward"
    folder.mkdir()
    sheet = Image.new("L", (900, 300), 255)
    ImageDraw.Draw(sheet).text((40, 100), "Lactate 2.1 mmol/L", fill=0, font_size=48)
    sheet.save(folder / "sheet.png")
    monkeypatch.setenv("PATH", str(tmp_path))
    source = DocumentFiles([folder], services.settings, secret=services.secret, reader_version=reader_id(services.settings))
    with pytest.raises(ConfigurationError) as missing:
        ingest(services, source)
    assert "esseract" in missing.value.message
    assert missing.value.remedy
