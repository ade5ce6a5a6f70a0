"""What a patient's FHIR record knows is taken out of the site's own notes on that patient, whichever came first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.jobs.fhir.ingest import ingest_fhir
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage.tables import chunks
from pipeline.wiring import Services

# A word that no reader takes for a name by itself: only the patient's record tells.
NAME = "Basaltine"
NUMBER = "7741190"
NOTE = f"Progress note\n\nThe wound heals well. {NAME.lower()} sleeps through the night and takes 5 mg twice a day.\n"


def note(services: Services, folder: Path) -> None:
    folder.mkdir()
    (folder / "n.txt").write_text(NOTE)
    (folder / "n.meta.json").write_text(json.dumps({"kind": "progress_note", "patient": NUMBER}))
    ingest(services, DocumentFiles([folder], services.settings, secret=services.secret))
    run_index(services)


def patient(services: Services, folder: Path, family: str) -> tuple[int, int]:
    folder.mkdir(exist_ok=True)
    resource = {"resourceType": "Patient", "id": "quartz-1", "name": [{"family": family}], "identifier": [{"value": NUMBER}]}
    (folder / "p.ndjson").write_text(json.dumps(resource) + "\n")
    done = ingest_fhir(services, FolderFeed([folder], secret=services.secret))
    run_index(services)
    return done.files_changed, done.files_failed


def shown(services: Services) -> str:
    with services.db.read() as tx:
        return " ".join(text.casefold() for (text,) in tx.execute(chunks.select().with_only_columns(chunks.c.text)))


@pytest.mark.parametrize("record_first", [True, False])
def test_a_name_that_only_the_record_knows_leaves_the_note(services: Services, tmp_path: Path, record_first: bool):
    if record_first:
        assert patient(services, tmp_path / "feed", NAME) == (0, 0)
        note(services, tmp_path / "ward")
    else:
        note(services, tmp_path / "ward")
        assert NAME.casefold() in shown(services)
        assert patient(services, tmp_path / "feed", NAME) == (1, 0)
    assert NAME.casefold() not in shown(services)
    assert "the wound heals well" in shown(services)
    assert patient(services, tmp_path / "feed", NAME) == (0, 0)


def test_a_record_of_somebody_else_changes_nothing(services: Services, tmp_path: Path):
    note(services, tmp_path / "ward")
    folder = tmp_path / "feed"
    folder.mkdir()
    other = {"resourceType": "Patient", "id": "quartz-2", "name": [{"family": NAME}], "identifier": [{"value": "9913402"}]}
    (folder / "p.ndjson").write_text(json.dumps(other) + "\n")
    assert ingest_fhir(services, FolderFeed([folder], secret=services.secret)).files_changed == 0
    run_index(services)
    assert NAME.casefold() in shown(services)
