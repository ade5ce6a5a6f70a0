"""What is held back and since when, and releases that hold for one content and recipe. On SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid5

import pytest

from pipeline.domain.documents import Document, Facets
from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.vocabulary import DocumentKind, DocumentState
from pipeline.storage import documents, index_state, quarantine
from pipeline.storage.engine import Database
from pipeline.storage.quarantine import Held, Release
from pipeline.testing.collections import LIVE, record_collection

ONE, TWO = uuid5(NAMESPACE, "one"), uuid5(NAMESPACE, "two")
FINDING = {"where": "text", "section": "PASSAGE", "ordinal": 2, "category": "NAME", "count": 3, "start": 7, "characters": 30}


@pytest.fixture
def known(db: Database, now: datetime) -> Database:
    record_collection(db)
    for key in (ONE, TWO):
        document = Document(key, "documents", str(key), DocumentKind.NOTE, "Note", (), Facets(), "content", "facets")
        with db.begin() as tx:
            documents.upsert_document(tx, document, "0" * 64, now)
    return db


def hold(db: Database, key: UUID, now: datetime, fingerprint: str = "first") -> None:
    with db.begin() as tx:
        quarantine.hold(tx, [Held(key, "content", fingerprint, "clinical-1", "1", [FINDING, {**FINDING, "category": "DATE"}])], now)
        index_state.mark(tx, key, DocumentState.QUARANTINED, now, collection=LIVE)


def listed(db: Database) -> list[quarantine.QuarantinedDocument]:
    with db.read() as tx:
        return quarantine.listed(tx)


def release(db: Database, key: UUID, fingerprint: str, now: datetime) -> None:
    with db.begin() as tx:
        quarantine.release(tx, Release(key, fingerprint, "content", "clinical-1", "1", {"NAME": 3}, "somebody", "why", now))


def test_what_is_held_is_listed_with_its_classes_the_longest_first(known: Database, now: datetime):
    hold(known, TWO, now)
    hold(known, ONE, now + timedelta(days=1))
    assert [one.document_id for one in listed(known)] == [TWO, ONE]
    assert listed(known)[0].classes == {"DATE": 3, "NAME": 3}
    assert listed(known)[0].findings[0] == FINDING


def test_judged_again_it_keeps_since_when_and_takes_the_new_fingerprint(known: Database, now: datetime):
    hold(known, ONE, now)
    hold(known, ONE, now + timedelta(days=1), "second")
    (one,) = listed(known)
    assert (one.since, one.judged_at, one.fingerprint) == (now, now + timedelta(days=1), "second")


@pytest.mark.parametrize("state", [DocumentState.LIVE, DocumentState.FAILED, DocumentState.DELETED])
def test_what_is_in_another_state_is_not_held(known: Database, now: datetime, state: DocumentState):
    hold(known, ONE, now)
    with known.begin() as tx:
        index_state.mark(tx, ONE, state, now, collection=LIVE)
    assert listed(known) == []


def test_a_deleted_document_is_not_held(known: Database, now: datetime):
    hold(known, ONE, now)
    with known.begin() as tx:
        documents.tombstone(tx, [ONE], now)
    assert listed(known) == []


def test_cleared_and_held_again_it_is_held_since_then(known: Database, now: datetime):
    hold(known, ONE, now)
    with known.begin() as tx:
        quarantine.clear(tx, [ONE])
    hold(known, ONE, now + timedelta(days=2))
    assert listed(known)[0].since == now + timedelta(days=2)


def test_a_release_holds_for_its_own_document_and_fingerprint_only(known: Database, now: datetime):
    release(known, ONE, "first", now)
    with known.read() as tx:
        assert quarantine.is_released(tx, ONE, "first")
        assert not quarantine.is_released(tx, ONE, "second")
        assert not quarantine.is_released(tx, TWO, "first")
        assert quarantine.released_among(tx, [(ONE, "first"), (TWO, "first")]) == {ONE}


def test_every_release_is_kept_newest_first(known: Database, now: datetime):
    release(known, ONE, "first", now)
    release(known, ONE, "first", now + timedelta(hours=1))
    release(known, TWO, "first", now + timedelta(hours=2))
    with known.read() as tx:
        assert [one.document_id for one in quarantine.releases(tx)] == [TWO, ONE, ONE]
        assert [one.released_at for one in quarantine.releases(tx, document_id=ONE)] == [now + timedelta(hours=1), now]
        assert len(quarantine.releases(tx, limit=2)) == 2
