"""What truth says that a collection must add up to. On SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid5

import pytest
from sqlalchemy import delete, update

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.digest import digest_of, slice_of
from pipeline.domain.documents import Document, Facets
from pipeline.domain.identifiers import NAMESPACE, fingerprint
from pipeline.domain.vocabulary import CollectionRole, DocumentKind, DocumentState, Section
from pipeline.storage import chunks, digests, documents, index_state
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.digests import LackingExpected
from pipeline.storage.engine import Database
from pipeline.storage.index_state import Flip
from pipeline.storage.tables import chunks as chunks_table
from pipeline.storage.tables import index_state as state_table
from pipeline.testing.collections import LIVE, record_collection

DOCUMENTS = sorted(uuid5(NAMESPACE, str(number)) for number in range(5))
CHUNKS = 3
OTHER = "clindex-2"


def rows(document: UUID, generation: int) -> list[ChunkRow]:
    made = []
    for ordinal in range(1, CHUNKS + 1):
        chunk = Chunk(Section.INCLUSION_CRITERION, ordinal, False, "text", "text", "eligibility_criteria", Span(0, 4), 1)
        point = uuid5(document, f"{generation}|{ordinal}")
        made.append(ChunkRow.of(point, document, generation, chunk, fingerprint(str(point)), (0.5, 0.0 if ordinal == 1 else 2.0)))
    return made


def digest(document: UUID, generation: int) -> str:
    return digest_of((row.point_id, row.payload_hash) for row in rows(document, generation))


def make_live(db: Database, document: UUID, now: datetime, *, collection: str = LIVE) -> None:
    with db.begin() as tx:
        generation = index_state.claim(tx, document, now, collection=collection)
        assert generation is not None
        chunks.insert_generation(tx, rows(document, generation))
        new = Flip(document, generation, "fp", "facets", "recipe", CHUNKS, digest(document, generation), without_terms=1)
        assert index_state.flip(tx, new, now, collection=collection)


@pytest.fixture
def full(db: Database, now: datetime) -> Database:
    """Five documents, live in one collection; the first two also in a candidate."""
    record_collection(db)
    record_collection(db, OTHER, CollectionRole.CANDIDATE)
    for number, document in enumerate(DOCUMENTS):
        known = Document(
            document_id=document,
            source="clinicaltrials.gov",
            source_key=f"NCT9000000{number}",
            kind=DocumentKind.TRIAL,
            title="Uritrol",
            parts=(),
            facets=Facets(),
            content_hash="content",
            facets_hash="facets",
        )
        with db.begin() as tx:
            documents.upsert_document(tx, known, "0" * 64, now)
        make_live(db, document, now)
    for document in DOCUMENTS[:2]:
        make_live(db, document, now, collection=OTHER)
    return db


def test_marks_are_read_back_to_the_last_digit(full: Database, now: datetime):
    exact = 1 / 3
    with full.begin() as tx:
        tx.execute(update(chunks_table).values(dense_mark=exact, sparse_mark=-exact))
    with full.read() as tx:
        points = list(chunks.expected_points(tx))
    assert {(one.dense_mark, one.sparse_mark) for one in points} == {(exact, -exact)}


def test_expected_points_are_those_of_one_collection_in_order(full: Database):
    with full.read() as tx:
        for collection, number, generation in ((LIVE, 5, 1), (OTHER, 2, 2)):
            points = list(chunks.expected_points(tx, collection=collection))
            assert [one.point_id for one in points] == sorted(
                row.point_id for document in DOCUMENTS[:number] for row in rows(document, generation)
            )
            assert {(one.source, one.kind, one.fingerprint, one.generation) for one in points} == {
                ("clinicaltrials.gov", "trial", "fp", generation)
            }


@pytest.mark.parametrize("more", [0, 1000])
def test_expected_points_of_some_slices_are_those_of_their_documents(full: Database, more: int):
    chosen = DOCUMENTS[1:3]
    others = {slice_of(document) for document in DOCUMENTS}
    slices = {slice_of(document) for document in chosen} | {number for number in range(more) if number not in others}
    with full.read() as tx:
        assert {one.document_id for one in chunks.expected_points(tx, slices=slices)} == set(chosen)
        assert list(chunks.expected_points(tx, slices=set())) == []


def test_of_some_points_those_are_returned_that_are_live_in_the_collection(full: Database, now: datetime):
    live = [row.point_id for row in rows(DOCUMENTS[0], 1)]
    candidate = [row.point_id for row in rows(DOCUMENTS[0], 2)]
    with full.read() as tx:
        assert set(chunks.expected_among(tx, [*live, *candidate, UUID(int=1)], collection=LIVE)) == set(live)
        assert set(chunks.expected_among(tx, [*live, *candidate], collection=OTHER)) == set(candidate)
    with full.begin() as tx:
        documents.tombstone(tx, [DOCUMENTS[0]], now)
    with full.read() as tx:
        assert chunks.expected_among(tx, live, collection=LIVE) == {}


def test_digests_are_filled_from_the_rows_of_live_generations_only(full: Database):
    with full.begin() as tx:
        tx.execute(update(state_table).where(state_table.c.document_id == DOCUMENTS[0]).values(live_digest=None))
        chunks.insert_generation(tx, rows(DOCUMENTS[0], 9))  # a writer's that was killed
    for collection, generation in ((LIVE, 1), (OTHER, 2)):
        with full.begin() as tx:
            missing = digests.without_digest(tx, collection=collection)
            assert missing == {DOCUMENTS[0]: generation}
            digests.fill_digests(tx, missing, collection=collection)
            assert digests.without_digest(tx, collection=collection) == {}
            row = index_state.get_many(tx, [DOCUMENTS[0]], collection=collection)[DOCUMENTS[0]]
        assert row.live_digest == digest(DOCUMENTS[0], generation)


def test_a_document_that_was_written_meanwhile_keeps_its_own_digest(full: Database, now: datetime):
    with full.begin() as tx:
        tx.execute(update(state_table).where(state_table.c.document_id == DOCUMENTS[4]).values(live_digest=None))
        missing = digests.without_digest(tx, collection=LIVE)
    make_live(full, DOCUMENTS[4], now)
    with full.begin() as tx:
        digests.fill_digests(tx, missing, collection=LIVE)
        assert index_state.get_many(tx, [DOCUMENTS[4]])[DOCUMENTS[4]].live_digest == digest(DOCUMENTS[4], 2)


def test_a_document_whose_rows_are_not_all_there_is_named(full: Database):
    with full.begin() as tx:
        assert digests.documents_without_their_rows(tx, collection=LIVE) == []
        tx.execute(delete(chunks_table).where(chunks_table.c.point_id == rows(DOCUMENTS[1], 1)[0].point_id))
        tx.execute(delete(chunks_table).where(chunks_table.c.document_id == DOCUMENTS[3]))
        assert sorted(digests.documents_without_their_rows(tx, collection=LIVE)) == [DOCUMENTS[1], DOCUMENTS[3]]
        assert digests.documents_without_their_rows(tx, collection=OTHER) == []


def test_points_that_may_lack_a_sparse_vector_are_counted_for_one_collection(full: Database, now: datetime):
    with full.begin() as tx:
        assert digests.lacking_expected(tx, collection=LIVE) == LackingExpected(5, 0)
        assert digests.lacking_expected(tx, collection=OTHER) == LackingExpected(2, 0)
        tx.execute(update(state_table).where(state_table.c.document_id == DOCUMENTS[0]).values(live_without_terms=None))
        assert digests.lacking_expected(tx, collection=LIVE) == LackingExpected(4, CHUNKS)
        documents.tombstone(tx, [DOCUMENTS[0]], now)
        assert digests.lacking_expected(tx, collection=LIVE) == LackingExpected(4, 0)
        assert digests.lacking_expected(tx, collection="none") == LackingExpected(0, 0)


def test_samples_go_through_all_documents_in_order(full: Database, now: datetime):
    with full.begin() as tx:
        documents.tombstone(tx, [DOCUMENTS[2]], now)
    with full.read() as tx:
        first = digests.sample(tx, UUID(int=0), 3, collection=LIVE)
        assert [one.document_id for one in first] == [DOCUMENTS[0], DOCUMENTS[1], DOCUMENTS[3]]
        assert (first[0].points, first[0].digest) == (CHUNKS, digest(DOCUMENTS[0], 1))
        assert [one.document_id for one in digests.sample(tx, DOCUMENTS[3], 3, collection=LIVE)] == [DOCUMENTS[4]]
        assert [one.document_id for one in digests.sample(tx, UUID(int=0), 9, collection=LIVE, last=DOCUMENTS[1])] == DOCUMENTS[:2]
        assert digests.sample(tx, DOCUMENTS[4], 3, collection=LIVE) == []


def test_what_is_withdrawn_has_no_digest(full: Database, now: datetime):
    with full.begin() as tx:
        index_state.withdraw(tx, DOCUMENTS[0], DocumentState.DELETING, now, collection=LIVE)
        row = index_state.get_many(tx, [DOCUMENTS[0]], collection=LIVE)[DOCUMENTS[0]]
    assert (row.live_digest, row.live_without_terms, row.live_chunks) == (None, None, 0)
