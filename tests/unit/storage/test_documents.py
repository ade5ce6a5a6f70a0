from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

from sqlalchemy import select

from pipeline.domain.documents import Document, Facets
from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import DocumentKind
from pipeline.storage import documents
from pipeline.storage.documents import DocumentRow
from pipeline.storage.engine import Database
from pipeline.storage.tables import documents as table

FACETS = Facets("NCT90000001", "RECRUITING", "2031-05", "INTERVENTIONAL", ("PHASE1", "PHASE2"), ("Asthma", "asthma"))


def _document(key: str = "NCT90000001", **changes: object) -> Document:
    return replace(
        Document(
            document_id=document_id("clinicaltrials.gov", key),
            source="clinicaltrials.gov",
            source_key=key,
            kind=DocumentKind.TRIAL,
            title="An invented trial of ≥ 10⁹/L",
            parts=(),
            facets=FACETS,
            content_hash="c" * 32,
            facets_hash="f" * 32,
        ),
        **changes,
    )


def test_a_document_comes_back_with_its_facets(db: Database, now: datetime) -> None:
    one = _document()
    with db.begin() as tx:
        assert not documents.exists(tx, one.document_id)
        documents.upsert_document(tx, one, "a" * 64, now)
        assert documents.exists(tx, one.document_id)
    with db.read() as tx:
        found = documents.load_documents(tx, [one.document_id, uuid4()])
    assert found == {one.document_id: DocumentRow(one.document_id, one.source, one.source_key, "trial", one.title, FACETS, False)}


def test_a_change_overwrites_hashes_title_and_facets(db: Database, now: datetime) -> None:
    changed = _document(title="Renamed", facets=Facets(overall_status="COMPLETED"), content_hash="d" * 32, facets_hash="e" * 32)
    with db.begin() as tx:
        documents.upsert_document(tx, _document(), "a" * 64, now)
        documents.upsert_document(tx, changed, "b" * 64, now + timedelta(days=1))
    with db.read() as tx:
        row = tx.execute(select(table)).one()
    assert (row.title, row.content_hash, row.facets_hash, row.payload_sha256) == ("Renamed", "d" * 32, "e" * 32, "b" * 64)
    assert (row.facets["overall_status"], row.updated_at) == ("COMPLETED", now + timedelta(days=1))


def test_a_tombstone_is_set_once_counted_once_and_cleared_by_the_records_return(db: Database, now: datetime) -> None:
    one, two = _document(), _document("NCT90000002")
    with db.begin() as tx:
        for document in (one, two):
            documents.upsert_document(tx, document, "a" * 64, now)
        assert documents.tombstone(tx, [one.document_id, uuid4()], now) == 1
        assert documents.tombstone(tx, [one.document_id], now + timedelta(days=1)) == 0
        assert documents.live_count(tx) == 1
        assert documents.load_documents(tx, [one.document_id])[one.document_id].tombstoned
        assert tx.execute(select(table.c.tombstoned_at).where(table.c.document_id == one.document_id)).scalar_one() == now
        documents.upsert_document(tx, one, "a" * 64, now)
        assert documents.live_count(tx) == 2
        assert documents.live_count(tx, "elsewhere") == 0


def test_more_ids_than_one_list_holds_are_all_answered(db: Database, now: datetime) -> None:
    many = [_document(f"NCT9{n:07d}") for n in range(1101)]
    with db.begin() as tx:
        for document in many:
            documents.upsert_document(tx, document, "a" * 64, now)
        ids = [document.document_id for document in many]
        assert len(documents.load_documents(tx, ids)) == 1101
        assert documents.tombstone(tx, ids, now) == 1101
