"""A deletion of studies: what it names is gone from every store and file, nothing else is touched, and it can be run again."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DeletionCause
from pipeline.jobs.deletion import DeletionOutcome, carry_out, lift, preview, request
from pipeline.jobs.deletion.probe_file import probe_path, read_probes
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import deletions, holds
from pipeline.storage.tables import METADATA, documents
from pipeline.testing.drift import snapshot
from pipeline.wiring import Services, utc_now

STUDY = "NCT99000001"
DOCUMENT = document_id("clinicaltrials.gov", STUDY)
OTHER = document_id("clinicaltrials.gov", "NCT99000002")


def ask(services: Services, *ids: UUID, **named: Any) -> UUID:
    asked = request(services, documents=ids or [DOCUMENT], cause=DeletionCause.DOCUMENT, reason="entered in error", by="tester", **named)
    assert asked.deletion_id is not None
    return UUID(asked.deletion_id)


def delete(services: Services, *ids: UUID) -> DeletionOutcome:
    return carry_out(services, ask(services, *ids))


def ingest_samples(services: Services, root: Path) -> Any:
    return ingest(services, StudyFiles([root / "samples" / "trials"], services.settings))


def points_of(services: Services, document: UUID) -> int:
    with services.index.session() as index:
        return index.count(PointFilter(document_ids=(document,)))


def found(services: Services) -> bool:
    """Whether search shows the study."""
    return bool(search(services, SearchRequest(query="any", nct_ids=(STUDY,)), today=date(2026, 6, 1)).hits)


def rows_naming(services: Services, document: UUID) -> dict[str, int]:
    """Rows of truth that name a document, by table."""
    with services.db.read() as tx:
        found = {
            table.name: len(tx.execute(select(table.c.document_id).where(table.c.document_id == document)).all())
            for table in METADATA.sorted_tables
            if "document_id" in table.c
        }
    return {name: count for name, count in found.items() if count}


def files_with(folder: Path, *needles: bytes) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    )


def test_a_request_alone_makes_it_unsearchable_at_once(services: Services):
    assert found(services)
    ask(services)
    assert not found(services)
    assert points_of(services, DOCUMENT) > 0


def test_everything_of_it_is_gone_and_nothing_of_others(services: Services):
    before = snapshot(services)
    with services.db.read() as tx:
        others = tx.execute(select(documents).where(documents.c.document_id != DOCUMENT).order_by(documents.c.document_id)).all()
    mine = points_of(services, DOCUMENT)
    outcome = delete(services)
    assert (outcome.state, outcome.documents, outcome.erased, outcome.points) == ("erased", 1, 1, mine)
    assert outcome.landed == 1
    assert outcome.rows["chunks"] == mine
    assert outcome.rows["studies"] == 1
    assert points_of(services, DOCUMENT) == 0
    assert rows_naming(services, DOCUMENT) == {"documents": 1, "index_state": 1, "deletion_documents": 1}
    with services.db.read() as tx:
        assert tx.execute(select(documents).where(documents.c.document_id != DOCUMENT).order_by(documents.c.document_id)).all() == others
    gone = snapshot(services)
    assert gone.total() == before.total() - mine
    assert gone <= before
    assert run_reconcile(services).clean


def test_no_file_of_the_home_holds_its_text_or_names_its_points(services: Services, edit_study):
    """Also of an earlier version, which truth has forgotten."""

    def say(word: str) -> Any:
        def change(study: dict[str, Any]) -> None:
            study["protocolSection"]["descriptionModule"] = {"briefSummary": f"{word} is looked at in this study."}
            study["protocolSection"]["conditionsModule"] = {"conditions": [f"{word} syndrome"]}

        return change

    for word in ("Quillwort", "Bogrosemary"):
        ingest(services, StudyFiles([edit_study(STUDY, say(word))], services.settings))
        run_index(services)
    home = services.settings.home
    assert files_with(home, b"Bogrosemary") != []
    outcome = delete(services)
    assert outcome.landed == 3  # the sample and both edited versions
    services.close()
    assert files_with(home, b"Quillwort", b"Bogrosemary", b"briefSummary Quill") == []
    named = files_with(home, str(DOCUMENT).encode(), DOCUMENT.bytes, DOCUMENT.hex.encode())
    assert {name for name in named if "index" in name} == set()


def test_landing_keeps_what_another_document_is_made_of(services: Services):
    with services.db.read() as tx:
        shared = tx.execute(select(documents.c.payload_sha256).where(documents.c.document_id == OTHER)).scalar_one()
    delete(services)
    assert services.landing.contains(shared)


def test_vectors_of_texts_that_another_document_has_stay(services: Services):
    from pipeline.storage.tables import chunks

    with services.db.read() as tx:
        kept = set(tx.execute(select(chunks.c.text_hash).where(chunks.c.document_id != DOCUMENT)).scalars())
        mine = set(tx.execute(select(chunks.c.text_hash).where(chunks.c.document_id == DOCUMENT)).scalars())
    outcome = delete(services)
    assert set(services.cache.text_hashes()) == kept
    assert outcome.texts == len(mine - kept)


def test_the_evidence_names_points_and_keyed_hashes_and_no_text(services: Services):
    with services.index.session() as index:
        ids = {point.id for point in index.scan(PointFilter(document_ids=(DOCUMENT,)))}
    deletion = ask(services)
    carry_out(services, deletion)
    with services.db.read() as tx:
        (one,) = deletions.documents_of(tx, deletion)
    assert one.evidence is not None
    assert set(one.evidence.point_ids) == ids
    assert list(one.evidence.points) == [services.collection]
    assert all(len(value) == 32 for value in (*one.evidence.landed, *one.evidence.texts))
    assert len(read_probes(services, deletion)) == min(5, len(ids))
    assert probe_path(services, deletion).stat().st_mode & 0o777 == 0o600


def test_run_again_it_changes_nothing(services: Services):
    deletion = ask(services)
    first = carry_out(services, deletion)
    world = snapshot(services)
    again = carry_out(services, deletion)
    assert again.model_copy(update={"seconds": 0}) == first.model_copy(update={"seconds": 0})
    assert snapshot(services) == world


def test_points_whose_payloads_are_not_ours_any_more_go_by_their_ids(services: Services):
    with services.index.session() as index:
        mine = [point.id for point in index.scan(PointFilter(document_ids=(DOCUMENT,))) if isinstance(point.id, UUID)]
        index.set_payload([(mine[0], {"somebody": "else"})])
    delete(services)
    with services.index.session() as index:
        assert index.retrieve(mine) == []


def test_a_source_that_still_offers_it_brings_nothing_back(services: Services, root: Path):
    delete(services)
    landed = {one for one, _ in services.landing.objects()}
    summary = ingest_samples(services, root)
    assert summary.notices["suppressed"] == 1
    assert (summary.failed, summary.new, summary.changed, summary.tombstoned) == (0, 0, 0, 0)
    assert summary.complete
    assert {one for one, _ in services.landing.objects()} == landed
    run_index(services)
    assert points_of(services, DOCUMENT) == 0
    assert rows_naming(services, DOCUMENT) == {"documents": 1, "index_state": 1, "deletion_documents": 1}


def test_lifted_by_a_person_it_is_taken_again(services: Services, root: Path):
    before = points_of(services, DOCUMENT)
    deletion = ask(services)
    with pytest.raises(GuardRefusedError, match="not certified yet"):
        lift(services, str(DOCUMENT), reason="a mistake", by="tester")
    run_index(services)  # carries it out, and certifies it
    assert lift(services, str(DOCUMENT), reason="a mistake", by="tester").deletion_id == str(deletion)
    assert ingest_samples(services, root).changed == 1
    run_index(services)
    assert points_of(services, DOCUMENT) == before
    assert run_reconcile(services).clean
    assert run_index(services).points_deleted == 0
    with pytest.raises(UsageError):
        lift(services, str(DOCUMENT), reason="again", by="tester")


def test_what_is_deleted_already_is_not_asked_for_twice(services: Services):
    delete(services)
    asked = request(services, documents=[DOCUMENT], cause=DeletionCause.DOCUMENT, reason="again", by="tester")
    assert (asked.deletion_id, asked.documents, asked.already_deleted) == (None, 0, 1)


def test_a_document_under_a_legal_hold_is_refused(services: Services):
    with services.db.begin() as tx:
        holds.place(tx, str(DOCUMENT), reason="case 7", by="counsel", now=utc_now())
    with pytest.raises(GuardRefusedError, match="1 of 2 documents"):
        ask(services, DOCUMENT, OTHER)
    with pytest.raises(GuardRefusedError):
        preview(services, documents=[DOCUMENT], cause=DeletionCause.DOCUMENT)
    assert found(services)


def test_a_hold_that_comes_after_the_request_keeps_what_is_left(services: Services):
    deletion = ask(services, DOCUMENT, OTHER)
    with services.db.begin() as tx:
        hold = holds.place(tx, str(DOCUMENT), reason="case 7", by="counsel", now=utc_now())
    outcome = carry_out(services, deletion)
    assert (outcome.state, outcome.erased, outcome.held) == ("open", 1, 1)
    with services.db.read() as tx:
        kept = tx.execute(select(documents.c.payload_sha256).where(documents.c.document_id == DOCUMENT)).scalar_one()
    assert services.landing.contains(kept)
    with services.db.begin() as tx:
        holds.release(tx, hold.hold_id, reason="settled", by="counsel", now=utc_now())
    assert carry_out(services, deletion).state == "erased"
    assert not services.landing.contains(kept)


def test_a_large_share_needs_a_persons_word(services: Services, home: Settings):
    with services.db.read() as tx:
        some = list(tx.execute(select(documents.c.document_id).order_by(documents.c.document_id)).scalars())
    many = some[: len(some) // 2]
    with pytest.raises(GuardRefusedError, match="deleted for good"):
        ask(services, *many)
    assert preview(services, documents=many, cause=DeletionCause.DOCUMENT).documents == len(many)
    ask(services, *many, approve_large=True)


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ({}, "why"),
        ({"documents": [DOCUMENT], "patient": "0" * 32}, "why"),
        ({"documents": [UUID(int=5)]}, "why"),
        ({"patient": "Jane Roe"}, "why"),
        ({"documents": [DOCUMENT]}, "  "),
    ],
)
def test_what_cannot_be_meant_is_refused(services: Services, named: dict[str, Any], reason: str):
    with pytest.raises(UsageError):
        request(services, cause=DeletionCause.DOCUMENT, reason=reason, by="tester", **named)


def test_a_study_that_vanished_long_ago_can_be_erased(services: Services):
    from pipeline.storage import documents as document_store

    with services.db.begin() as tx:
        document_store.tombstone(tx, [DOCUMENT], utc_now())
    run_index(services)
    outcome = delete(services)
    assert (outcome.points, outcome.landed, outcome.state) == (0, 1, "erased")


def test_sqlite_files_are_rewritten_and_their_logs_emptied(services: Services, home: Settings):
    delete(services)
    for name in ("truth.sqlite", "cache.sqlite"):
        with sqlite3.connect(home.home / name) as connection:
            assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        connection.close()
