"""Every kind of fault that can be planted is found as what it is, by the plain comparison or by the deep one; a clean index is clean."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import delete, update

from pipeline.domain.digest import digest_of
from pipeline.domain.points import SparseVector, StoredPoint, StoredVectors
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.summaries import ReconcileSummary
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import chunks as chunk_store
from pipeline.storage import index_state
from pipeline.storage.tables import chunks
from pipeline.storage.tables import index_state as state_table
from pipeline.testing.drift import KINDS, Fault, seed
from pipeline.testing.studies import study_record
from pipeline.wiring import Services

# What neither sums of payloads nor counts of vectors can show.
DEEP_ONLY = {DriftClass.ZERO_VECTOR, DriftClass.NON_FINITE_VECTOR, DriftClass.VECTOR_DRIFT}


def plant(services: Services, fault: Fault) -> set[str]:
    """Plant a fault at a point in the middle; return the ids that are to be found."""
    with services.index.session() as index:
        points = list(index.scan(vectors=True))
        point = next(one for one in points[len(points) // 2 :] if one.vectors is not None and one.vectors.sparse is not None)
        return {str(found) for found in fault.plant(index, point)}


def findings(summary: ReconcileSummary) -> list[dict[str, object]]:
    """The lines of a summary's plan."""
    assert summary.plan is not None
    path = Path(summary.plan)
    lines = (path.parent / json.loads(path.read_text())["findings_file"]).read_text().splitlines()
    return [json.loads(line) for line in lines]


def differing(summary: ReconcileSummary) -> dict[str, int]:
    return {name: count for name, count in summary.classes.items() if count and name != "ok"}


@pytest.mark.parametrize("deep", [False, True])
def test_a_clean_index_is_clean_at_both_depths(services: Services, *, deep: bool):
    summary = run_reconcile(services, deep=deep)
    assert summary.clean
    assert summary.expected == summary.found == summary.classes["ok"] > 100
    assert (summary.plan, summary.unmarked, summary.depth) == (None, 0, "deep" if deep else "digest")


@pytest.mark.parametrize("name", KINDS)
def test_a_deep_comparison_finds_each_kind_of_fault_where_it_was_planted_and_nothing_else(services: Services, name: str):
    planted = plant(services, KINDS[name])
    summary = run_reconcile(services, deep=True)
    assert differing(summary) == {KINDS[name].drift.value: len(planted)}
    assert {str(line["point_id"]) for line in findings(summary)} == planted
    assert summary.sums_close


@pytest.mark.parametrize(
    "name", [name for name, fault in KINDS.items() if fault.drift not in DEEP_ONLY and name != "sparse vector emptied"]
)
def test_a_plain_comparison_finds_what_changes_payloads_or_takes_vectors_away(services: Services, name: str):
    planted = plant(services, KINDS[name])
    summary = run_reconcile(services)
    assert differing(summary) == {KINDS[name].drift.value: len(planted)}
    assert {str(line["point_id"]) for line in findings(summary)} == planted
    assert summary.sums_close


@pytest.mark.parametrize("name", [name for name, fault in KINDS.items() if fault.drift in DEEP_ONLY or name == "sparse vector emptied"])
def test_a_plain_comparison_says_how_deep_it_looked_where_it_cannot_see_a_fault(services: Services, name: str):
    plant(services, KINDS[name])
    summary = run_reconcile(services)
    assert (summary.clean, summary.depth) == (True, "digest")


def test_a_vector_that_is_lacking_makes_a_plain_comparison_look_at_all_vectors(services: Services):
    plant(services, KINDS["dense vector lost"])
    assert run_reconcile(services).depth == "deep"


def test_what_was_planted_is_repaired(services: Services):
    for drift in (DriftClass.ZERO_VECTOR, DriftClass.VECTOR_DRIFT, DriftClass.MISSING_SPARSE):
        seed(services, drift, faults=2)
    repaired = run_reconcile(services, repair=True, deep=True)
    assert repaired.clean
    assert run_reconcile(services, deep=True).clean


def test_two_points_that_took_each_others_place_are_found_although_no_count_changes(services: Services):
    with services.index.session() as index:
        first, second, *_ = index.scan(vectors=True)
        index.restore([StoredPoint(first.id, second.payload, second.vectors), StoredPoint(second.id, first.payload, first.vectors)])
    summary = run_reconcile(services)
    assert {str(line["point_id"]) for line in findings(summary)} == {str(first.id), str(second.id)}
    assert (summary.expected, summary.found) == (summary.found, summary.expected)


def test_rows_from_before_there_were_digests_get_them_and_are_compared(services: Services):
    with services.db.begin() as tx:
        before = dict(tx.execute(state_table.select().with_only_columns(state_table.c.document_id, state_table.c.live_digest)).all())
        tx.execute(update(state_table).values(live_digest=None))
    plant(services, KINDS["facet changed"])
    assert differing(run_reconcile(services)) == {"payload_drift": 1}
    with services.db.read() as tx:
        after = dict(tx.execute(state_table.select().with_only_columns(state_table.c.document_id, state_table.c.live_digest)).all())
    assert after == before


def test_vectors_without_marks_are_not_compared_and_are_counted(services: Services):
    with services.db.begin() as tx:
        tx.execute(update(chunks).values(dense_mark=None, sparse_mark=None))
        tx.execute(update(state_table).values(live_without_terms=None))
    plant(services, KINDS["another vector"])
    for deep in (False, True):
        summary = run_reconcile(services, deep=deep)
        assert summary.clean
        assert summary.unmarked == summary.found
    plant(services, KINDS["all zeros"])
    assert differing(run_reconcile(services, deep=True)) == {"zero_vector": 1}


def test_a_truth_that_lost_chunks_is_not_called_clean_by_its_digests(services: Services):
    with services.db.begin() as tx:
        lost = tx.execute(chunks.select().with_only_columns(chunks.c.point_id).limit(1)).scalar_one()
        tx.execute(delete(chunks).where(chunks.c.point_id == lost))
    assert differing(run_reconcile(services)) == {"orphan_point": 1}


def test_a_term_where_a_text_has_none_is_drift(services: Services):
    with services.index.session() as index:
        point = next(iter(index.scan(vectors=True)))
        assert point.vectors is not None
        index.restore([StoredPoint(point.id, point.payload, StoredVectors(point.vectors.dense, SparseVector((7,), (1.0,))))])
    with services.db.begin() as tx:
        tx.execute(update(chunks).where(chunks.c.point_id == point.id).values(sparse_mark=0.0))
    assert differing(run_reconcile(services, deep=True)) == {"vector_drift": 1}


def test_digests_follow_what_is_written(services: Services, root: Path, edit_study: Callable[[str, Callable[[dict], None]], Path]):
    def close(study: dict) -> None:
        study["protocolSection"]["statusModule"]["overallStatus"] = "COMPLETED"

    def shorten(study: dict) -> None:
        study["protocolSection"]["eligibilityModule"]["eligibilityCriteria"] = "Inclusion Criteria:\n\n* Adults"

    first, second = sorted(path.stem for path in (root / "samples" / "trials").glob("NCT*.json"))[:2]
    ingest(services, StudyFiles([edit_study(first, close), edit_study(second, shorten)], services.settings))
    summary = run_index(services)
    assert (summary.documents.payload_only, summary.documents.indexed) == (1, 1)
    with services.db.read() as tx:
        rows = list(index_state.scan(tx))
        kept: dict[UUID, list[tuple[UUID, str]]] = {}
        for point in chunk_store.expected_points(tx):
            kept.setdefault(point.document_id, []).append((point.point_id, point.payload_hash))
    assert {row.document_id: row.live_digest for row in rows} == {document: digest_of(points) for document, points in kept.items()}


def test_a_document_that_was_never_indexed_is_missing_and_named_with_its_source(services: Services, tmp_path: Path):
    path = tmp_path / "new.jsonl"
    path.write_text(json.dumps(study_record(7)) + "\n")
    ingest(services, StudyFiles([path], services.settings))
    summary = run_reconcile(services)
    assert differing(summary) == {"missing_document": 1}
    assert summary.expected == summary.found + 1
    (line,) = findings(summary)
    assert (line["source"], line["kind"], line["point_id"], line["expected"]) == ("clinicaltrials.gov", "trial", None, True)
