"""Citations of a collection that is not live any more, before and after it is retired."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import func, select, update

from pipeline.jobs.reindex.candidate import run_candidate
from pipeline.jobs.reindex.retire import retire
from pipeline.search.cite.resolve import resolve
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.storage.citation_tables import cited_texts, cited_versions
from pipeline.storage.tables import chunk_accounts
from pipeline.testing.night_jobs import hashing_services
from pipeline.wiring import Services


def tokens(services: Services) -> list[str]:
    found = search(services, SearchRequest(query="prior treatment of the disease", limit=50), today=datetime.now(UTC).date()).hits
    return [hit.token for hit in found] + [other.token for hit in found for other in hit.related]


def kept(services: Services) -> list[int]:
    with services.db.read() as tx:
        return [tx.execute(select(func.count()).select_from(one)).scalar_one() for one in (cited_versions, cited_texts)]


def test_of_the_same_text_cut_otherwise_nothing_is_kept_and_all_are_resolved(changed: Settings):
    with hashing_services(changed) as services:
        cited = tokens(services)
        run_candidate(services, reason="test", go_live=True)
    with hashing_services(changed) as services:
        before = {one: resolve(services, one).status for one in cited}
        assert set(before.values()) <= {"same", "moved"}, "moved: another piece of an over-long unit"
        assert "same" in before.values()
        retire(services, datetime.now(UTC), at_once=True)
        assert {one: resolve(services, one).status for one in cited} == before
        assert kept(services) == [0, 0]


def test_of_another_reading_of_the_text_what_is_gone_is_kept_when_the_collection_is_retired(changed: Settings):
    with hashing_services(changed) as services:
        with services.db.begin() as tx:  # as an earlier reader would have read it
            tx.execute(update(chunk_accounts).values(text_version="0" * 32))
        cited = tokens(services)
        run_candidate(services, reason="test", go_live=True)
        assert kept(services) == [0, 0], "the collection that was live is still there"
    with hashing_services(changed) as services:
        before = {one: resolve(services, one).model_dump() for one in cited}
        assert {one["status"].value for one in before.values()} <= {"same", "changed", "moved"}
        retire(services, datetime.now(UTC), at_once=True)
        assert {one: resolve(services, one).model_dump() for one in cited} == before
        versions, texts = kept(services)
        assert versions > 0
        assert texts > 0
