"""Legal holds: asked by document and by patient, kept when they are released. On SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4, uuid5

import pytest

from pipeline.domain.documents import Document, Facets
from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.vocabulary import DocumentKind
from pipeline.storage import documents, holds
from pipeline.storage.engine import Database

ONE, TWO, THREE = (uuid5(NAMESPACE, name) for name in ("one", "two", "three"))
PATIENT = "ab" * 16


@pytest.fixture
def known(db: Database, now: datetime) -> Database:
    for key, patient in ((ONE, PATIENT), (TWO, PATIENT), (THREE, None)):
        document = Document(key, "documents", str(key), DocumentKind.NOTE, "Note", (), Facets(patient=patient), "content", "facets")
        with db.begin() as tx:
            documents.upsert_document(tx, document, "0" * 64, now)
    return db


def place(db: Database, subject: str, now: datetime) -> UUID:
    with db.begin() as tx:
        return holds.place(tx, subject, reason="suit", by="counsel", now=now).hold_id


def held(db: Database) -> set[UUID]:
    with db.read() as tx:
        return holds.held(tx, [ONE, TWO, THREE, uuid4()])


def test_nothing_is_held_at_first(known: Database):
    assert held(known) == set()


def test_a_hold_on_a_document_protects_it_alone(known: Database, now: datetime):
    place(known, str(ONE), now)
    assert held(known) == {ONE}


def test_a_hold_on_a_patient_protects_all_of_their_documents(known: Database, now: datetime):
    place(known, PATIENT, now)
    assert held(known) == {ONE, TWO}
    with known.read() as tx:
        assert holds.patient_held(tx, PATIENT)
        assert not holds.patient_held(tx, "cd" * 16)


def test_a_released_hold_stays_with_who_and_why_and_protects_no_more(known: Database, now: datetime):
    hold = place(known, PATIENT, now)
    with known.begin() as tx:
        released = holds.release(tx, hold, reason="settled", by="registrar", now=now)
    assert released is not None
    assert (released.active, released.released_by, released.released_reason, released.reason) == (False, "registrar", "settled", "suit")
    assert held(known) == set()
    with known.begin() as tx:
        assert holds.release(tx, hold, reason="again", by="x", now=now) is None, "a release is not overwritten"
        assert [(one.released_by, one.placed_by) for one in holds.listed(tx)] == [("registrar", "counsel")]
        assert holds.listed(tx, active_only=True) == []


def test_of_two_holds_one_released_still_protects(known: Database, now: datetime):
    first, _ = place(known, str(ONE), now), place(known, str(ONE), now)
    with known.begin() as tx:
        holds.release(tx, first, reason="settled", by="registrar", now=now)
    assert held(known) == {ONE}


@pytest.mark.parametrize(
    ("subject", "is_known"), [(str(ONE), True), (PATIENT, True), ("9b1f6f0e-8f5e-4d0c-9a52-6a8f3c1d7e21", False), ("cd" * 16, False)]
)
def test_whether_a_subject_is_known(known: Database, subject: str, is_known: bool):
    with known.read() as tx:
        assert holds.known_subject(tx, subject) is is_known
