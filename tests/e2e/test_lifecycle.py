"""The main job on the sample corpus, with the real model, engine and database: what changes is done, and nothing else."""

from __future__ import annotations

from datetime import date

import pytest

from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import index_state
from pipeline.testing.drift import KINDS, seed
from pipeline.wiring import Services, open_services

TODAY = date(2026, 6, 1)
STUDY = "NCT99000001"


def bring_in(services: Services, *paths):
    return ingest(services, StudyFiles(list(paths), services.settings))


def test_second_run_embeds_and_writes_nothing(services: Services, root):
    again = bring_in(services, root / "samples" / "trials")
    assert (again.new, again.changed) == (0, 0)
    assert again.unchanged >= 60
    summary = run_index(services)
    assert (summary.embedded, summary.points_written, summary.points_deleted, summary.payloads_updated) == (0, 0, 0, 0)
    assert summary.documents.skipped == again.unchanged


def test_every_point_is_ok_and_no_character_is_unexplained(services: Services):
    result = run_reconcile(services)
    assert result.clean
    assert result.expected == result.found == result.classes["ok"] > 1000
    with services.db.read() as tx:
        from sqlalchemy import func, select

        from pipeline.storage.tables import chunk_accounts

        assert tx.execute(select(func.sum(chunk_accounts.c.unexplained))).scalar_one() == 0


def test_a_changed_status_updates_payloads_and_embeds_nothing(services: Services, edit_study):
    def change(study):
        study["protocolSection"]["statusModule"]["overallStatus"] = "SUSPENDED"

    assert bring_in(services, edit_study(STUDY, change)).changed == 1
    summary = run_index(services)
    assert summary.documents.payload_only == 1
    assert (summary.embedded, summary.cached, summary.points_written) == (0, 0, 0)
    assert summary.payloads_updated > 0
    assert run_reconcile(services).clean
    hits = search(services, SearchRequest(query="any", nct_ids=(STUDY,)), today=TODAY).hits
    assert [hit.status for hit in hits] == ["SUSPENDED"]
    assert search(services, SearchRequest(query="any", nct_ids=(STUDY,), recruiting_only=True), today=TODAY).hits == []


def test_an_edited_criterion_embeds_only_its_text_and_leaves_no_stale_point(services: Services, edit_study):
    def change(study):
        module = study["protocolSection"]["eligibilityModule"]
        module["eligibilityCriteria"] += "\n* Known allergy to quinoline dyes of the lavender family"

    before = points_of(services, STUDY)
    bring_in(services, edit_study(STUDY, change))
    summary = run_index(services)
    assert summary.documents.indexed == 1
    assert summary.embedded == 1
    assert summary.cached == before
    assert summary.points_deleted == before
    assert points_of(services, STUDY) == before + 1
    assert run_reconcile(services).clean
    best = search(services, SearchRequest(query="allergy to quinoline dyes"), today=TODAY).hits[0]
    assert best.nct_id == STUDY
    assert "quinoline dyes" in best.text


def points_of(services: Services, nct_id: str) -> int:
    from pipeline.domain.points import PointFilter

    with services.index.session() as index:
        return index.count(PointFilter(nct_ids=(nct_id,)))


def test_a_document_that_yields_fewer_chunks_leaves_none_behind(services: Services, edit_study):
    def change(study):
        study["protocolSection"]["eligibilityModule"]["eligibilityCriteria"] = "Inclusion Criteria:\n\n* Adults"

    before = points_of(services, STUDY)
    bring_in(services, edit_study(STUDY, change))
    run_index(services)
    assert points_of(services, STUDY) < before
    assert run_reconcile(services).clean


def test_a_changed_chunker_rewrites_every_document_from_the_cache_where_texts_are_the_same(home: Settings):
    changed = home.model_copy(update={"parent_context_characters": 159})
    with open_services(changed) as services:
        drifted = run_reconcile(services)
        assert drifted.classes["stale_fingerprint"] == drifted.found
        summary = run_index(services)
        assert summary.documents.skipped == 0
        assert summary.documents.indexed >= 60
        assert summary.embedded <= 0.02 * (summary.cached + summary.embedded)  # only prefixes that were cut at 160 differ
        assert run_reconcile(services).clean


def test_search_finds_a_criterion_and_cites_it(services: Services):
    result = search(services, SearchRequest(query="HER2-positive breast cancer, no prior taxane", limit=3), today=TODAY)
    best = result.hits[0]
    assert best.citation.startswith(best.nct_id or "?")
    assert best.span.start < best.span.end
    assert best.score > 0
    assert best.title
    assert len({hit.document_id for hit in result.hits}) == len(result.hits) == 3


def test_filters_hold(services: Services):
    criteria = search(services, SearchRequest(query="pregnancy", limit=20, criteria_only=True), today=TODAY).hits
    assert criteria
    assert {hit.section for hit in criteria} <= {"INCLUSION_CRITERION", "EXCLUSION_CRITERION", "ELIGIBILITY_UNPARSED"}
    positive = search(services, SearchRequest(query="pregnancy", limit=20, exclude_exclusion_criteria=True), today=TODAY).hits
    assert positive
    assert all(hit.is_exclusion is not True for hit in positive)
    recruiting = search(services, SearchRequest(query="pregnancy", limit=20, recruiting_only=True), today=TODAY).hits
    assert {hit.status for hit in recruiting} == {"RECRUITING"}


def test_a_tombstoned_document_is_unsearchable_at_once_and_its_points_go_with_the_next_run(services: Services):
    from pipeline.domain.identifiers import document_id
    from pipeline.storage import documents
    from pipeline.wiring import utc_now

    key = document_id("clinicaltrials.gov", STUDY)
    points = points_of(services, STUDY)
    with services.db.begin() as tx:
        documents.tombstone(tx, [key], utc_now())
    assert search(services, SearchRequest(query="any", nct_ids=(STUDY,)), today=TODAY).hits == []
    assert run_reconcile(services).classes["orphan_document"] == points
    summary = run_index(services)
    assert (summary.documents.deleted, summary.points_deleted) == (1, points)
    assert points_of(services, STUDY) == 0
    assert run_reconcile(services).clean


@pytest.mark.parametrize("drift", sorted({fault.drift for fault in KINDS.values()} - {DriftClass.MISSING_DOCUMENT}))
def test_drift_is_named_and_repaired_while_the_other_points_stay(services: Services, drift: DriftClass):
    affected = seed(services, drift)
    found = run_reconcile(services, deep=True)
    assert found.classes[drift.value] == affected
    assert not found.clean
    assert found.sums_close
    repaired = run_reconcile(services, repair=True, deep=True)
    assert repaired.clean
    assert repaired.repaired == {drift.value: affected}


def test_an_interrupted_state_is_finished_by_the_next_run(services: Services):
    from pipeline.domain.identifiers import document_id
    from pipeline.wiring import utc_now

    key = document_id("clinicaltrials.gov", STUDY)
    with services.db.begin() as tx:
        index_state.claim(tx, key, utc_now(), collection=services.collection)
    assert run_reconcile(services).clean  # what is live is still live and complete
    summary = run_index(services)
    assert (summary.documents.indexed, summary.embedded) == (1, 0)
    assert run_reconcile(services).clean
