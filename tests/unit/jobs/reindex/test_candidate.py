"""A collection built beside the live one: what it takes, who sees it, and what may take the live one's place."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import func, select

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DocumentState
from pipeline.jobs.index import begin_run, end_run, run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.pointer import ensure_pointer
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.reindex.build import behind, fill, open_candidate
from pipeline.jobs.reindex.candidate import run_candidate, run_promotion
from pipeline.jobs.reindex.gate import judge
from pipeline.jobs.reindex.listing import list_collections
from pipeline.jobs.reindex.promote import promote, roll_back
from pipeline.jobs.reindex.retire import abandon, retire
from pipeline.jobs.summaries import IndexSummary
from pipeline.jobs.upkeep import remove_documents
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import chunks as chunk_store
from pipeline.storage import collections, quarantine
from pipeline.storage import documents as document_store
from pipeline.storage.collections import CollectionRecord
from pipeline.storage.quarantine import Held
from pipeline.storage.tables import chunks, index_state
from pipeline.testing.night_jobs import hashing_services
from pipeline.wiring import Services

TODAY = date(2031, 5, 17)
FIRST, SECOND = "clindex", "clindex-2"


def asked(services: Services, query: str = "EGFR mutation", limit: int = 50) -> SearchResult:
    return search(services, SearchRequest(query=query, limit=limit), today=TODAY)


def live_record(services: Services) -> CollectionRecord:
    with services.db.read() as tx:
        record = collections.live(tx)
    assert record is not None
    return record


def roles(services: Services) -> dict[str, str]:
    with services.db.read() as tx:
        return {one.name: one.role.value for one in collections.listed(tx)}


def test_a_preview_writes_nothing_and_says_what_it_would_take(changed: Settings):
    with hashing_services(changed) as services:
        found = run_candidate(services, reason="test", dry_run=True)
        assert found.preview is not None
        assert roles(services) == {FIRST: "live"}
        assert services.catalog.names() == [FIRST]
        assert found.preview.collection == SECOND
        assert found.preview.sampled == found.preview.documents > 0
        assert 0 < found.preview.texts_to_embed < found.preview.points  # another context for some, the cache for the others
        built = run_candidate(services, reason="test").index
    assert built is not None
    assert (built.embedded, built.points_written) == (found.preview.texts_to_embed, found.preview.points)


def test_a_candidate_is_built_judged_and_promoted_and_readers_see_one_or_the_other(changed: Settings):
    with hashing_services(changed) as services:
        before = asked(services)
        summary = run_candidate(services, reason="test")
        assert summary.verdict is not None
        assert summary.verdict.passed, summary.verdict.failed
        states = {one.name: one.state for one in summary.verdict.checks}
        assert states.pop("evaluation") == "skipped"
        assert set(states.values()) == {"passed"}
        assert asked(services).hits == before.hits  # nobody sees a candidate
        done = run_promotion(services)
        assert (done.live, done.previous, done.behind) == (SECOND, FIRST, 0)
        assert roles(services) == {FIRST: "previous", SECOND: "live"}
        assert services.catalog.pointed(FIRST) == SECOND
        after = asked(services)
        assert {hit.document_id for hit in after.hits} == {hit.document_id for hit in before.hits}
        assert after.dropped["not_in_truth"] == 0
    with hashing_services(changed) as services:  # the next night has nothing to do
        night = run_index(services)
        assert (night.points_written, night.documents.skipped) == (0, summary.preview.documents if summary.preview else -1)


def test_vectors_come_from_the_cache_where_the_text_is_the_same(small: Settings):
    with hashing_services(small) as services:
        assert run_candidate(services, reason="test").index.embedded == 0  # type: ignore[union-attr]


def test_a_second_candidate_is_not_begun_and_the_first_goes_on(changed: Settings):
    with hashing_services(changed) as services:
        first = open_candidate(services, reason="test")
        assert open_candidate(services, reason="again").name == first.name
        assert run_candidate(services, reason="again").index.points_written > 0  # type: ignore[union-attr]
        assert run_candidate(services, reason="again").index.points_written == 0  # type: ignore[union-attr]
        assert roles(services) == {FIRST: "live", SECOND: "candidate"}


def test_an_abandoned_candidate_is_gone_and_its_name_is_not_used_again(changed: Settings):
    with hashing_services(changed) as services:
        with services.db.read() as tx:
            rows = tx.execute(select(func.count()).select_from(chunks)).scalar_one()
        built = run_candidate(services, reason="test").index
        assert built is not None
        gone = abandon(services, datetime.now(UTC)).retired
        assert [(one.name, one.points, one.chunks) for one in gone] == [(SECOND, built.points_written, built.points_written)]
        assert services.catalog.names() == [FIRST]
        with services.db.read() as tx:
            assert tx.execute(select(func.count()).select_from(chunks)).scalar_one() == rows
        assert open_candidate(services, reason="test").name == "clindex-3"
        abandon(services, datetime.now(UTC))
        with pytest.raises(UsageError, match="no candidate"):
            abandon(services, datetime.now(UTC))


def test_a_gate_that_stands_against_a_candidate_names_its_checks(changed: Settings):
    with hashing_services(changed) as services:
        record = open_candidate(services, reason="test")
        fill(services, record)
        there = services.at(record)
        with there.index.session() as index:
            lost = next(iter(index.scan())).id
            index.delete_points([lost])
        verdict = judge(services, record)
        assert [one.name for one in verdict.failed] == ["reconciliation"]
        with pytest.raises(GuardRefusedError, match="reconciliation"):
            promote(services, record, verdict=verdict)
        with pytest.raises(GuardRefusedError, match="reconciliation"):
            run_promotion(services)
        assert roles(services) == {FIRST: "live", SECOND: "candidate"}


def test_an_empty_candidate_is_not_promoted(changed: Settings):
    with hashing_services(changed) as services:
        record = open_candidate(services, reason="test")
        failed = {one.name for one in judge(services, record).failed}
    assert {"caught_up", "complete", "reconciliation"} <= failed


def test_documents_that_changed_meanwhile_are_in_the_candidate_before_it_goes_live(changed: Settings, edit_study):
    with hashing_services(changed) as services:
        record = open_candidate(services, reason="test")
        fill(services, record)
        verdict = judge(services, record)
        path = edit_study("NCT99000001", lambda study: study["protocolSection"]["statusModule"].update(overallStatus="WITHDRAWN"))
        ingest(services, StudyFiles([path], changed))
        assert behind(services, record) == 1
        done = promote(services, record, verdict=verdict)
        assert done.behind == behind(services, live_record(services)) == 0
        where = PointFilter(nct_ids=("NCT99000001",), overall_status=("WITHDRAWN",))
        assert services.at(record).index.count(where) > 0


def test_while_a_candidate_is_built_the_live_collection_takes_what_changed_and_keeps_its_recipe(changed: Settings, edit_study):
    with hashing_services(changed) as services:
        open_candidate(services, reason="test")
        assert run_index(services).points_written == 0  # the other chunker waits for the candidate
        path = edit_study("NCT99000001", lambda study: study["protocolSection"]["statusModule"].update(overallStatus="WITHDRAWN"))
        ingest(services, StudyFiles([path], changed))
        night = run_index(services)
        assert (night.documents.payload_only, night.documents.indexed) == (1, 0)
        abandon(services, datetime.now(UTC))
    with hashing_services(changed) as services:
        assert run_index(services).documents.indexed > 1  # without a candidate, in place


def test_a_deletion_reaches_every_collection(changed: Settings):
    key = document_id("clinicaltrials.gov", "NCT99000001")
    with hashing_services(changed) as services:
        run_candidate(services, reason="test", go_live=True)
    with hashing_services(changed) as services:
        open_candidate(services, reason="another")
        fill(services, open_candidate(services, reason="another"))
        with services.db.begin() as tx:
            document_store.tombstone(tx, [key], datetime.now(UTC))
        assert all(hit.document_id != str(key) for hit in asked(services).hits)
        assert run_index(services).documents.deleted == 1
        there = services.everywhere()
        assert [one.collection for one in there] == [FIRST, "clindex-3", SECOND]  # the live one last
        assert [one.index.count(PointFilter(document_ids=(key,))) for one in there] == [0, 0, 0]
        with services.db.read() as tx:
            assert tx.execute(select(func.count()).select_from(chunks).where(chunks.c.document_id == key)).scalar_one() == 0


def test_moving_back_serves_the_old_collection_and_the_next_run_converges(changed: Settings, small: Settings, edit_study):
    with hashing_services(small) as services:
        before = asked(services)
    with hashing_services(changed) as services:
        run_candidate(services, reason="test", go_live=True)
    path = edit_study("NCT99000001", lambda study: study["protocolSection"]["statusModule"].update(overallStatus="WITHDRAWN"))
    with hashing_services(small) as services:
        ingest(services, StudyFiles([path], small))
        back = roll_back(services)
        assert (back.live, back.previous, back.behind) == (FIRST, SECOND, 1)
        assert services.catalog.pointed(FIRST) == FIRST
        again = asked(services)
        assert [hit.text for hit in again.hits] == [hit.text for hit in before.hits]
    with hashing_services(small) as services:
        assert run_index(services).documents.payload_only == 1
        assert behind(services, live_record(services)) == 0
        forth = roll_back(services)  # and forth again
        assert (forth.live, forth.previous) == (SECOND, FIRST)


def test_what_was_deleted_meanwhile_does_not_come_back_with_the_old_collection(changed: Settings):
    key = document_id("clinicaltrials.gov", "NCT99000001")
    with hashing_services(changed) as services:
        run_candidate(services, reason="test", go_live=True)
    with hashing_services(changed) as services:
        with services.db.begin() as tx:
            document_store.tombstone(tx, [key], datetime.now(UTC))  # and nobody has removed its points yet
        assert roll_back(services).live == FIRST
        assert all(hit.document_id != str(key) for hit in asked(services).hits)
    with hashing_services(changed) as services:
        run_index(services)
        assert [one.index.count(PointFilter(document_ids=(key,))) for one in services.everywhere()] == [0, 0]


def test_there_is_nothing_to_go_back_to_before_a_promotion(small: Settings):
    with hashing_services(small) as services, pytest.raises(UsageError, match="go back"):
        roll_back(services)


def test_a_previous_collection_that_lost_points_is_not_gone_back_to(changed: Settings):
    with hashing_services(changed) as services:
        run_candidate(services, reason="test", go_live=True)
    with hashing_services(changed) as services:
        with services.catalog.open(FIRST).session() as index:
            index.delete_points([next(iter(index.scan())).id])
        with pytest.raises(GuardRefusedError, match="nothing was switched"):
            roll_back(services)
        assert roles(services)[SECOND] == "live"


def test_a_previous_collection_is_kept_for_its_grace_and_then_gone(changed: Settings):
    with hashing_services(changed) as services:
        run_candidate(services, reason="test", go_live=True)
    now = datetime.now(UTC)
    with hashing_services(changed) as services:
        kept = retire(services, now)
        assert (kept.retired, list(kept.kept)) == ([], [FIRST])
        with services.db.read() as tx:
            old = chunk_store.expected_count(tx, collection=FIRST)
        gone = retire(services, now + timedelta(days=changed.collection_grace_days, minutes=1))
        assert [(one.name, one.points, one.chunks) for one in gone.retired] == [(FIRST, old, old)]
        assert services.catalog.names() == [SECOND]
        with services.db.read() as tx:
            assert tx.execute(select(func.count()).select_from(chunks)).scalar_one() == chunk_store.expected_count(tx)
            assert not tx.execute(select(index_state).where(index_state.c.collection == FIRST)).all()
        assert asked(services).hits
        assert retire(services, now + timedelta(days=365)).retired == []
        with pytest.raises(UsageError, match="go back"):
            roll_back(services)


def test_a_pointer_that_a_killed_promotion_left_behind_follows(changed: Settings):
    with hashing_services(changed) as services:
        run_candidate(services, reason="test", go_live=True)
        services.catalog.point(FIRST, FIRST)
        assert ensure_pointer(services) == SECOND
        assert services.catalog.pointed(FIRST) == SECOND


def test_a_listing_shows_roles_points_and_which_one_is_pointed_at(changed: Settings):
    with hashing_services(changed) as services:
        run_candidate(services, reason="why", go_live=True)
        listed = list_collections(services, datetime.now(UTC)).collections
    assert [(one.name, one.role, one.pointed) for one in listed] == [(SECOND, "live", True), (FIRST, "previous", False)]
    assert all(one.points == one.expected_points > 0 for one in listed)
    assert listed[0].reason == "why"
    assert listed[0].verdict is not None
    assert listed[0].verdict.passed


def test_reconciliation_of_the_live_collection_does_not_take_waiting_for_drift(changed: Settings):
    with hashing_services(changed) as services:
        assert run_reconcile(services).classes["stale_fingerprint"] > 0
        open_candidate(services, reason="test")
        assert run_reconcile(services).clean


def test_no_switch_while_an_index_run_is_at_work(changed: Settings):
    with hashing_services(changed) as services:
        run_candidate(services, reason="test")
        begun = begin_run(services)
        with pytest.raises(GuardRefusedError, match="at work"):
            run_promotion(services)
        end_run(services, begun, IndexSummary())
        assert run_promotion(services).live == SECOND
        begin_run(services)
        with pytest.raises(GuardRefusedError, match="at work"):
            roll_back(services)


def test_what_the_gate_holds_back_from_a_candidate_is_listed_and_stands_against_it(changed: Settings):
    key = document_id("clinicaltrials.gov", "NCT99000001")
    with hashing_services(changed) as services:
        record = open_candidate(services, reason="test")
        fill(services, record)
        held = Held(key, "c", "f", "p", "g", [{"where": "text", "category": "NAME", "count": 1, "start": 0, "characters": 3}])
        with services.db.begin() as tx:
            quarantine.hold(tx, [held], datetime.now(UTC))
        remove_documents(services.at(record), [key], state=DocumentState.QUARANTINED, category="gate_refused")
        with services.db.read() as tx:
            assert [one.document_id for one in quarantine.listed(tx)] == [key]
        assert any(hit.document_id == str(key) for hit in asked(services, "NCT99000001", 50).hits)  # the live one serves it
        assert [one.name for one in judge(services, record).failed] == ["quarantined"]
        run_index(services, documents=[key], force=True)  # what passes in the live collection is not yet free in the candidate
        with services.db.read() as tx:
            assert [one.document_id for one in quarantine.listed(tx)] == [key]
