"""The flip: who may make a generation live, and what a slow writer or cleaner may still touch. On SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid5

import pytest

from pipeline.domain.documents import Document, Facets
from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.vocabulary import DocumentKind, DocumentState
from pipeline.storage import documents, index_state
from pipeline.storage.engine import Database
from pipeline.storage.index_state import Flip, IndexRow
from pipeline.testing.collections import LIVE, record_collection

DOCUMENT = uuid5(NAMESPACE, "one")


@pytest.fixture
def known(db: Database, now: datetime) -> Database:
    """A database that knows one document."""
    record_collection(db)
    revive(db, now)
    return db


def revive(db: Database, now: datetime) -> None:
    document = Document(
        document_id=DOCUMENT,
        source="clinicaltrials.gov",
        source_key="NCT90000001",
        kind=DocumentKind.TRIAL,
        title="Uritrol",
        parts=(),
        facets=Facets(nct_id="NCT90000001"),
        content_hash="content",
        facets_hash="facets",
    )
    with db.begin() as tx:
        documents.upsert_document(tx, document, "0" * 64, now)


def row(db: Database) -> IndexRow:
    with db.read() as tx:
        return index_state.get_many(tx, [DOCUMENT])[DOCUMENT]


def claim(db: Database, now: datetime) -> int | None:
    with db.begin() as tx:
        return index_state.claim(tx, DOCUMENT, now, collection=LIVE)


def flip(db: Database, generation: int, now: datetime) -> bool:
    with db.begin() as tx:
        return index_state.flip(tx, Flip(DOCUMENT, generation, "fp", "facets", "recipe", 3), now, collection=LIVE)


def clean(db: Database, generation: int, now: datetime) -> None:
    with db.begin() as tx:
        index_state.finish_cleaning(tx, DOCUMENT, generation, now, collection=LIVE)


def withdraw(db: Database, now: datetime) -> int:
    with db.begin() as tx:
        documents.tombstone(tx, [DOCUMENT], now)
        return index_state.withdraw(tx, DOCUMENT, DocumentState.DELETING, now, collection=LIVE)


def test_generations_are_given_out_once_and_only_the_last_claimant_can_flip(known: Database, now: datetime):
    first, second = claim(known, now), claim(known, now)
    assert (first, second) == (1, 2)
    assert not flip(known, 1, now)
    assert row(known).live_generation is None
    assert flip(known, 2, now)
    assert not flip(known, 2, now)
    assert (row(known).live_generation, row(known).state) == (2, DocumentState.CLEANING)


def test_a_cleaner_never_ends_the_writing_of_another(known: Database, now: datetime):
    claim(known, now)
    flip(known, 1, now)
    claim(known, now)
    clean(known, 1, now)
    assert (row(known).state, row(known).writing_generation) == (DocumentState.WRITING, 2)
    flip(known, 2, now)
    clean(known, 1, now)
    assert row(known).state is DocumentState.CLEANING
    clean(known, 2, now)
    assert row(known).state is DocumentState.LIVE


def test_a_deletion_beats_the_writer_who_began_before_it(known: Database, now: datetime):
    claim(known, now)
    assert withdraw(known, now) == 1
    assert not flip(known, 1, now)
    assert claim(known, now) is None
    clean(known, 1, now)
    assert (row(known).state, row(known).live_generation) == (DocumentState.DELETING, None)


def test_a_deletion_knows_when_somebody_has_begun_since(known: Database, now: datetime):
    claim(known, now)
    flip(known, 1, now)
    given = withdraw(known, now)
    with known.read() as tx:
        assert index_state.is_withdrawn(tx, DOCUMENT, given, collection=LIVE)
    revive(known, now)
    assert claim(known, now) == 2
    with known.read() as tx:
        assert not index_state.is_withdrawn(tx, DOCUMENT, given, collection=LIVE)


def test_an_unknown_document_cannot_be_claimed(db: Database, now: datetime):
    with db.begin() as tx:
        assert index_state.claim(tx, UUID(int=1), now, collection=LIVE) is None
