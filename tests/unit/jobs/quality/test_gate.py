"""The gate of data quality: what breaks a blocking expectation never goes live, and says which rows."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from math import nan
from uuid import UUID

import pytest
from sqlalchemy import delete, insert, select, update

from pipeline.domain.chunks import Span
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DocumentState, FailureCategory
from pipeline.jobs.index import run_index
from pipeline.jobs.prepare import Prepared, prepare
from pipeline.jobs.quality import held
from pipeline.jobs.quality.gate import hold_back, holds, named
from pipeline.jobs.quality.job import run_quality
from pipeline.jobs.quality.prepared_rows import polarity_agrees
from pipeline.jobs.quality.suites import Check, DataSet, Expectation, Severity, suite
from pipeline.storage import index_state
from pipeline.storage.runs import outcomes_of
from pipeline.storage.study_tables import studies
from pipeline.storage.tables import document_pages, documents
from pipeline.storage.tables import index_state as state_table
from pipeline.wiring import Services

CHUNK_FAULTS = {
    "chunk_ordinal": {"ordinal": 0},
    "chunk_pieces": {"piece": 3, "pieces": 2},
    "chunk_text_present": {"text": " "},
    "chunk_tokens_counted": {"token_count": 0},
    "chunk_fits_window": {"token_count": 257},
    "chunk_span": {"span": Span(4, 4)},
    "chunk_polarity": {"is_exclusion": True},
    "chunk_confidence_range": {"confidence": -0.5},
    "chunk_section_known": {"section": "POEM"},
    "chunk_element_known": {"element": "song"},
}


@pytest.fixture
def one(services: Services) -> UUID:
    """A live document of the sample home."""
    with services.db.read() as tx:
        return tx.execute(select(studies.c.document_id).order_by(studies.c.nct_id).limit(1)).scalar_one()


@pytest.fixture
def prepared(services: Services, one: UUID) -> Prepared:
    with services.db.read() as tx:
        row = index_state.get_many(tx, [one])[one]
    ((found,), failures) = prepare(services, [row])
    assert failures == []
    return found


def spoil(services: Services, document: UUID, **values: object) -> None:
    with services.db.begin() as tx:
        tx.execute(update(studies).where(studies.c.document_id == document).values(values))


def state_of(services: Services, document: UUID) -> index_state.IndexRow:
    with services.db.read() as tx:
        return index_state.get_many(tx, [document])[document]


def test_a_sound_document_passes(services: Services, prepared: Prepared):
    assert hold_back(services, [prepared]) == ([prepared], [])
    assert hold_back(services, []) == ([], [])


@pytest.mark.parametrize("name", CHUNK_FAULTS)
def test_a_document_with_one_faulty_chunk_is_held_back_by_name_and_row(services: Services, prepared: Prepared, name: str):
    place = next(at for at, chunk in enumerate(prepared.chunked.chunks) if chunk.is_exclusion is False)
    chunks = list(prepared.chunked.chunks)
    chunks[place] = spoiled = replace(chunks[place], **CHUNK_FAULTS[name])
    faulty = replace(prepared, chunked=replace(prepared.chunked, chunks=tuple(chunks)))
    passed, (failure,) = hold_back(services, [faulty])
    assert passed == []
    assert failure.category is FailureCategory.QUALITY_BLOCKED
    assert failure.detail is not None
    assert f"{name}: {spoiled.section}/{spoiled.ordinal}/{spoiled.piece}" in failure.detail


def test_every_blocking_expectation_of_chunks_is_tried_here():
    assert set(CHUNK_FAULTS) == {line.id for line in suite(DataSet.CHUNKS) if line.severity is Severity.BLOCK}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("document_kind_known", {"kind": "poem"}),
        ("document_source_known", {"source": "hearsay"}),
        ("document_hash_shape", {"content_hash": "not a hash"}),
    ],
)
def test_a_faulty_document_is_held_back(services: Services, prepared: Prepared, name: str, change: dict[str, str]):
    passed, (failure,) = hold_back(services, [replace(prepared, document=replace(prepared.document, **change))])
    assert passed == []
    assert failure.detail == f"{name}: {prepared.document.document_id}"


def test_a_faulty_page_holds_its_document_back(services: Services, prepared: Prepared):
    zeros = dict.fromkeys([column.name for column in document_pages.c if not column.nullable], 0)
    row = {**zeros, "document_id": prepared.document.document_id, "page": 3, "outcome": "skimmed"}
    with services.db.begin() as tx:
        tx.execute(insert(document_pages).values(row))
    _, (failure,) = hold_back(services, [prepared])
    assert failure.detail == f"page_outcome_known: {prepared.document.document_id}/page 3"


def test_a_warning_holds_nothing_back(services: Services, one: UUID):
    spoil(services, one, study_type="GUESSWORK", enrollment_count=99_000_000)
    assert run_index(services, documents=[one], force=True).documents.indexed == 1


def test_a_blocked_version_never_goes_live_and_the_one_before_stays(services: Services, one: UUID):
    before = state_of(services, one)
    with services.index.session() as index:
        points = {point.id for point in index.scan(PointFilter(document_ids=(one,)))}
    spoil(services, one, nct_id="NCT1")
    summary = run_index(services, documents=[one], force=True)
    assert (summary.documents.indexed, summary.documents.failed) == (0, 1)
    assert summary.points_written == 0
    after = state_of(services, one)
    assert (after.state, after.error_category) == (DocumentState.FAILED, "quality_blocked")
    assert (after.live_generation, after.writing_generation) == (before.live_generation, None)
    with services.index.session() as index:
        assert {point.id for point in index.scan(PointFilter(document_ids=(one,)))} == points
    with services.db.read() as tx:
        (outcome,) = outcomes_of(tx, UUID(summary.run_id))
    assert (outcome.category, outcome.value) == ("quality_blocked", f"study_id_shape: {one}")


def test_a_new_document_that_is_blocked_is_nowhere_and_the_others_are_indexed(services: Services, one: UUID):
    with services.index.session() as index, services.db.begin() as tx:
        index.delete_matching(PointFilter(document_ids=(one,)))
        tx.execute(delete(state_table).where(state_table.c.document_id == one))
        other = tx.execute(select(documents.c.document_id).where(documents.c.document_id != one).limit(1)).scalar_one()
    spoil(services, one, nct_id="NCT1")
    summary = run_index(services, documents=[one, other], force=True)
    assert (summary.documents.indexed, summary.documents.failed) == (1, 1)
    with services.index.session() as index:
        assert index.count(PointFilter(document_ids=(one,))) == 0
    assert state_of(services, one).live_generation is None


def test_what_is_held_back_is_shown_until_it_is_mended(services: Services, one: UUID):
    with services.db.read() as tx:
        nct_id = tx.execute(select(studies.c.nct_id).where(studies.c.document_id == one)).scalar_one()
    spoil(services, one, nct_id="NCT1")
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.document_id == one).values(content_hash="0" * 32))  # its record has changed
    for _ in range(2):  # it is tried again every night
        assert run_index(services).documents.failed == 1
    summary = run_quality(services)
    (shown,) = summary.held_back
    assert (shown.document_id, shown.broken) == (str(one), f"study_id_shape: {one}")
    assert summary.blocked == 2  # the study, and that something is held back
    spoil(services, one, nct_id=nct_id)
    assert run_index(services).documents.indexed == 1
    with services.db.read() as tx:
        assert held.count(tx) == 0
        assert held.listed(tx) == []


@pytest.mark.parametrize(
    ("check", "kwargs", "right", "wrong"),
    [
        (Check.NOT_NULL, {}, ["", 0, "x"], [None, nan]),
        (Check.IN_SET, {"value_set": ["a", "b"]}, ["a", None], ["c", ""]),
        (Check.REGEX, {"regex": r"\Aab\Z"}, ["ab", None], ["ab\n", "xab", "abc"]),
        (Check.BETWEEN, {"min_value": 0, "max_value": 2}, [0, 1.5, 2, None, nan], [-1, 2.1, float("inf")]),
        (Check.BETWEEN, {"min_value": 0}, [0, 9e9], [-0.1]),
        (Check.BETWEEN, {"max_value": 2}, [-9e9, 2], [3]),
    ],
)
def test_each_kind_of_check(check: Check, kwargs: dict[str, object], right: list[object], wrong: list[object]):
    line = Expectation("x", DataSet.CHUNKS, check, {"column": "c", **kwargs}, Severity.BLOCK, "says")
    assert all(holds(line, value) for value in right)
    assert not any(holds(line, value) for value in wrong)


def test_indexing_does_not_load_great_expectations():
    look = "import sys, pipeline.jobs.index; sys.exit(any(name in sys.modules for name in ('great_expectations', 'pandas')))"
    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0


@pytest.mark.parametrize(
    ("section", "is_exclusion", "agrees"),
    [
        ("INCLUSION_CRITERION", False, 1),
        ("INCLUSION_CRITERION", None, 1),  # of a protocol
        ("INCLUSION_CRITERION", True, 0),
        ("EXCLUSION_CRITERION", True, 1),
        ("EXCLUSION_CRITERION", None, 1),
        ("EXCLUSION_CRITERION", False, 0),
        ("PLAN", None, 1),
    ],
)
def test_only_a_contradiction_breaks_polarity(section: str, is_exclusion: bool | None, agrees: int):
    assert polarity_agrees(section, is_exclusion) == agrees


def test_rows_are_named_in_order_and_cut():
    assert named({"b": ["1"], "a": list("123456 7".replace(" ", ""))}) == "a: 1, 2, 3, 4, 5 (+2); b: 1"
