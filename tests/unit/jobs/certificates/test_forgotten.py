"""Truth is restored from a backup that is older than deletions: the certificates' files tell what is suppressed, withdrawn and erased again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from uuid import UUID

import pytest

from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DeletionCause, DeletionState
from pipeline.jobs.certificates.check import verify_certificates
from pipeline.jobs.certificates.forgotten import recall
from pipeline.jobs.certificates.model import certificate_files
from pipeline.jobs.deletion import finish_open
from pipeline.jobs.deletion.run import run_delete
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.reconcile import run_reconcile
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import certificates, deletions, documents, suppressions
from pipeline.wiring import Services

STUDIES = ("NCT99000001", "NCT99000002", "NCT99000003")
IDS = [document_id("clinicaltrials.gov", one) for one in STUDIES]


def delete(services: Services, document: UUID) -> int:
    outcome = run_delete(services, documents=[document], reason="entered in error", by="tester").outcome
    assert outcome is not None
    assert outcome.certificate is not None
    return outcome.certificate


@pytest.fixture
def backup(services: Services, tmp_path: Path) -> Callable[[], Callable[[], None]]:
    """Returns a function that saves truth now, and returns what restores it under the open home."""
    truth = services.settings.home / "truth.sqlite"

    def copy(source: Path, target: Path) -> None:
        with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as other:
            one.backup(other)

    def save() -> Callable[[], None]:
        kept = tmp_path / "backup.sqlite"
        copy(truth, kept)
        return lambda: copy(kept, truth)

    return save


def found(services: Services, study: str) -> bool:
    return bool(search(services, SearchRequest(query="any", nct_ids=(study,)), today=date(2026, 6, 1)).hits)


def offer(services: Services, root: Path) -> None:
    ingest(services, StudyFiles([root / "samples" / "trials"], services.settings))


def state_of(services: Services, document: UUID) -> str:
    with services.db.read() as tx:
        row = documents.load_documents(tx, [document])[document]
    return "tombstoned" if row.tombstoned else "alive"


def test_an_ingestion_does_not_take_in_again_what_truth_forgot_to_be_deleted(services: Services, backup, pytestconfig):
    restore = backup()
    delete(services, IDS[0])
    restore()
    assert state_of(services, IDS[0]) == "alive"  # else this shows nothing
    offer(services, pytestconfig.rootpath)
    run_index(services)
    assert state_of(services, IDS[0]) == "tombstoned"
    assert not found(services, STUDIES[0])
    assert found(services, STUDIES[1])
    assert run_reconcile(services).clean
    assert verify_certificates(services).passed


def test_the_certificates_keep_number_hash_and_file(services: Services, backup):
    delete(services, IDS[0])
    restore = backup()
    delete(services, IDS[1])
    delete(services, IDS[2])
    head = verify_certificates(services).head
    files = {path.name: path.read_bytes() for path in certificate_files(services.settings)}
    restore()
    assert recall(services) == 2
    assert [one.state for one in finish_open(services)] == [DeletionState.CERTIFIED.value] * 2
    report = verify_certificates(services)
    assert report.passed
    assert report.head == head
    assert {path.name: path.read_bytes() for path in certificate_files(services.settings)} == files


def test_what_came_and_was_deleted_after_the_backup_is_not_taken_either(services: Services, backup, pytestconfig):
    restore = backup()
    delete(services, IDS[0])
    restore()
    with closing(sqlite3.connect(services.settings.home / "truth.sqlite")) as truth:  # the backup does not know the document at all
        truth.execute("PRAGMA foreign_keys = ON")
        for table in ("index_state", "chunks", "chunk_accounts", "table_rows", "studies", "documents"):
            truth.execute(f"DELETE FROM {table} WHERE document_id = ?", (IDS[0].hex,))
        truth.commit()
    offer(services, pytestconfig.rootpath)
    run_index(services)
    with services.db.read() as tx:
        assert not documents.load_documents(tx, [IDS[0]])
    assert verify_certificates(services).passed


def test_a_patient_stays_suppressed(services: Services, backup):
    patient = "ab" * 16
    restore = backup()
    run_delete(services, patient=patient, reason="request of 3 May", on_request=True)
    restore()
    finish_open(services)
    with services.db.read() as tx:
        assert suppressions.patients(tx) == {patient}
    assert verify_certificates(services).passed


def test_a_later_deletion_goes_on_with_the_chain_that_was_forgotten(services: Services, backup):
    restore = backup()
    assert delete(services, IDS[0]) == 1
    restore()
    assert delete(services, IDS[1]) == 2
    finish_open(services)
    report = verify_certificates(services)
    assert report.passed
    assert report.certificates == 2


def test_where_the_chain_went_another_way_a_new_certificate_is_issued(services: Services, backup, tmp_path: Path):
    restore = backup()
    delete(services, IDS[0])
    [first] = certificate_files(services.settings)
    aside = first.rename(tmp_path / first.name)  # the folder was restored late
    restore()
    delete(services, IDS[1])
    aside.rename(first)
    assert recall(services) == 1
    finish_open(services)
    report = verify_certificates(services)
    assert report.passed
    assert report.certificates == 2


@pytest.mark.parametrize("change", ["byte", "seal", "name", "text"])
def test_a_file_that_this_site_did_not_seal_deletes_nothing(services: Services, backup, change: str):
    restore = backup()
    delete(services, IDS[0])
    restore()
    [path] = certificate_files(services.settings)
    if change == "byte":
        path.write_bytes(path.read_bytes().replace(b'"document"', b'"patient"', 1))
    elif change == "seal":
        path.write_text(json.dumps({**json.loads(path.read_text()), "seal": "0" * 64}))
    elif change == "name":
        path.rename(path.with_name("000009-" + path.name.partition("-")[2]))
    else:
        path.write_text("no certificate")
    assert recall(services) == 0
    assert state_of(services, IDS[0]) == "alive"
    assert not verify_certificates(services).passed  # it is named there


def test_init_says_how_many_it_recalled_and_repeats_nothing(services: Services, backup):
    restore = backup()
    delete(services, IDS[0])
    restore()
    assert initialise(services.settings).recalled_deletions == 1
    assert initialise(services.settings).recalled_deletions == 0
    assert not found(services, STUDIES[0])


def test_a_repair_does_not_write_again_what_was_deleted(services: Services, backup):
    restore = backup()
    delete(services, IDS[0])
    restore()
    run_reconcile(services, repair=True)
    with services.index.session() as index:
        assert index.count(PointFilter(document_ids=(IDS[0],))) == 0


def test_a_recalled_deletion_is_proved_again_before_it_is_certified(services: Services, backup):
    restore = backup()
    delete(services, IDS[0])
    restore()
    recall(services)
    with services.db.read() as tx:
        [waiting] = deletions.of_state(tx, DeletionState.OPEN)
        assert certificates.of_deletion(tx, waiting.deletion_id) is not None
    [done] = finish_open(services)
    assert (done.deletion_id, done.state, done.cause) == (str(waiting.deletion_id), "certified", DeletionCause.DOCUMENT.value)
