"""Two who write at once: whatever the order, a document ends whole and as truth says, and nobody removes what another has written.

The second one runs inside a call of the first, at the moment that matters. With a server that can happen at any moment; the embedded
index, which one process at a time holds, allows less.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import delete

from pipeline.domain.errors import GuardRefusedError
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import documents
from pipeline.storage.study_tables import studies
from pipeline.storage.tables import chunk_accounts, chunks, index_state
from pipeline.storage.tables import documents as documents_table
from pipeline.testing.drift import snapshot
from pipeline.testing.moments import just_before
from pipeline.wiring import Services, open_services, utc_now

STUDY = "NCT99000001"
DOCUMENT = document_id("clinicaltrials.gov", STUDY)


def points_of(services: Services, document: UUID) -> int:
    with services.index.session() as index:
        return index.count(PointFilter(document_ids=(document,)))


def tombstone(services: Services) -> None:
    with services.db.begin() as tx:
        documents.tombstone(tx, [DOCUMENT], utc_now())


def test_a_slow_writer_loses_to_a_later_one_and_removes_only_its_own(services: Services, other: Services, monkeypatch: pytest.MonkeyPatch):
    before = snapshot(services)
    done = just_before(services.index, "upsert", lambda: run_index(other, documents=[DOCUMENT], force=True), monkeypatch)
    slow = run_index(services, documents=[DOCUMENT], force=True)
    assert done()
    assert (slow.documents.indexed, slow.documents.overtaken) == (0, 1)
    assert snapshot(services) == before
    assert run_reconcile(services).clean
    assert run_index(services).documents.indexed == 0


def test_a_writer_does_not_bring_back_what_was_deleted_meanwhile(services: Services, other: Services, monkeypatch: pytest.MonkeyPatch):
    def delete() -> None:
        tombstone(other)
        run_index(other)

    done = just_before(services.index, "upsert", delete, monkeypatch)
    run_index(services, documents=[DOCUMENT], force=True)
    assert done()
    assert points_of(services, DOCUMENT) == 0
    assert run_reconcile(services).clean


def test_a_tombstone_without_its_clean_up_beats_the_writer_too(services: Services, other: Services, monkeypatch: pytest.MonkeyPatch):
    just_before(services.index, "upsert", lambda: tombstone(other), monkeypatch)
    run_index(services, documents=[DOCUMENT], force=True)
    assert search(services, SearchRequest(query="any", nct_ids=(STUDY,)), today=date(2026, 6, 1)).hits == []
    run_index(services)
    assert points_of(services, DOCUMENT) == 0
    assert run_reconcile(services).clean


def test_a_deletion_does_not_take_what_came_back_meanwhile(
    services: Services, other: Services, root: Path, monkeypatch: pytest.MonkeyPatch
):
    before = snapshot(services)

    def come_back() -> None:
        ingest(other, StudyFiles([root / "samples" / "trials" / f"{STUDY}.json"], other.settings))
        run_index(other, documents=[DOCUMENT])

    tombstone(services)
    done = just_before(services.index, "delete_matching", come_back, monkeypatch)
    run_index(services)
    assert done()
    assert snapshot(services) == before
    assert run_reconcile(services).clean
    assert run_index(services).documents.indexed == 0


def test_a_deletion_that_was_planned_before_the_study_came_back_is_not_done(
    services: Services, root: Path, monkeypatch: pytest.MonkeyPatch
):
    before = snapshot(services)
    tombstone(services)
    from pipeline.jobs import index as index_job

    original = index_job.remove_documents

    def come_back_first(*arguments: Any, **named: Any) -> int:
        ingest(services, StudyFiles([root / "samples" / "trials" / f"{STUDY}.json"], services.settings))
        return original(*arguments, **named)

    monkeypatch.setattr(index_job, "remove_documents", come_back_first)
    run_index(services)
    assert snapshot(services) == before
    assert run_reconcile(services).clean


def test_points_of_a_restored_older_database_go_with_their_deleted_document(services: Services):
    """Truth was restored from a copy that knew fewer generations: the index holds one that was never given out."""
    with services.index.session() as index:
        mine = list(index.scan(PointFilter(document_ids=(DOCUMENT,))))
        index.set_payload([(point.id, {**point.payload, "generation": 9}) for point in mine if isinstance(point.id, UUID)])
    tombstone(services)
    run_index(services)
    assert points_of(services, DOCUMENT) == 0
    assert run_reconcile(services).clean


def test_a_database_made_anew_from_the_same_records_leaves_no_point_of_the_old_one(services: Services, root: Path):
    before = snapshot(services)
    run_index(services, force=True)  # the points are of generation 2 now; a new database begins with 1
    with services.db.begin() as tx:
        for table in (chunks, chunk_accounts, index_state, studies, documents_table):
            tx.execute(delete(table))
    ingest(services, StudyFiles([root / "samples" / "trials"], services.settings))
    summary = run_index(services)
    assert summary.points_deleted == before.total()
    assert snapshot(services) == before
    assert run_reconcile(services).clean


def test_a_missing_point_makes_a_changed_status_a_new_generation_and_the_run_goes_on(services: Services, edit_study):
    def change(study: dict[str, Any]) -> None:
        study["protocolSection"]["statusModule"]["overallStatus"] = "SUSPENDED"

    ingest(services, StudyFiles([edit_study(STUDY, change), edit_study("NCT99000002", change)], services.settings))
    with services.index.session() as index:
        index.delete_points([next(iter(index.scan(PointFilter(document_ids=(DOCUMENT,))))).id])
    summary = run_index(services)
    assert (summary.documents.payload_only, summary.documents.indexed, summary.embedded) == (1, 1, 0)
    assert run_reconcile(services).clean


def test_damaged_vectors_in_the_cache_are_embedded_again(services: Services):
    import sqlite3

    before = snapshot(services)
    with sqlite3.connect(services.settings.home / "cache.sqlite") as cache:
        for damage in (b"", b"\x00" * 7, b"\x00" * 1536, b"\xff" * 1536):  # empty, cut, all zero, not finite
            cache.execute(
                "UPDATE embeddings SET vector = ? WHERE rowid = (SELECT rowid FROM embeddings WHERE length(vector) = 1536)", (damage,)
            )
            cache.execute("UPDATE embeddings SET created_at = created_at")
    cache.close()
    summary = run_index(services, force=True)
    assert 1 <= summary.embedded <= 4
    assert snapshot(services) == before
    assert run_index(services, force=True).embedded == 0


def test_everybody_at_once_ends_whole(home: Settings, root: Path, tmp_path: Path):
    """Two index runs, an ingestion of edited studies, repairs and searches, in threads with homes of their own."""
    folder = tmp_path / "edited"
    folder.mkdir()
    for path in sorted((root / "samples" / "trials").glob("*.json"))[:20]:
        study = json.loads(path.read_text(encoding="utf-8"))
        study["protocolSection"]["statusModule"]["overallStatus"] = "SUSPENDED"
        study["protocolSection"].setdefault("descriptionModule", {})["briefSummary"] = "Another summary, for all of them."
        (folder / path.name).write_text(json.dumps(study), encoding="utf-8")
    failures: list[BaseException] = []
    searched = threading.Event()

    def in_a_thread(job: Callable[[Services], object]) -> threading.Thread:
        def run() -> None:
            try:
                with open_services(home) as services:
                    job(services)
            except GuardRefusedError:
                pass  # the world moved while a repair was planned: refused, as it must be
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def ask(services: Services) -> None:
        while not searched.wait(0.05):
            hits = search(services, SearchRequest(query="pregnancy", limit=10), today=date(2026, 6, 1)).hits
            assert len(hits) == 10

    asking = in_a_thread(ask)
    jobs: list[Callable[[Services], object]] = [
        lambda services: run_index(services, force=True),
        lambda services: ingest(services, StudyFiles([folder], services.settings)),
        lambda services: run_index(services, force=True),
        lambda services: run_reconcile(services, repair=True),
    ]
    for thread in [in_a_thread(job) for job in jobs]:
        thread.join()
    searched.set()
    asking.join()
    assert failures == []
    with open_services(home) as services:
        run_index(services)
        assert run_reconcile(services).clean
        assert run_index(services).documents.indexed == 0
