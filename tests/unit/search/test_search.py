"""A hit is what truth says now, whatever the index still says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import pytest

from pipeline.domain.errors import UsageError
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.search.request import SearchRequest, make_request
from pipeline.search.search import search
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage.freshness import confirmations
from pipeline.testing.listings import listed
from pipeline.wiring import Services, utc_now

TODAY = date(2026, 6, 1)
STUDY = "NCT99000001"


def test_a_study_that_has_stopped_recruiting_is_not_found_as_recruiting_before_its_payloads_are_written(services: Services, edit_study):
    recruiting = SearchRequest(query="any", nct_ids=(STUDY,), recruiting_only=True)
    assert [hit.status for hit in search(services, recruiting, today=TODAY).hits] == ["RECRUITING"]

    def change(study):
        study["protocolSection"]["statusModule"]["overallStatus"] = "TERMINATED"

    ingest(services, StudyFiles([edit_study(STUDY, change)], services.settings))
    late = search(services, recruiting, today=TODAY)
    assert late.hits == []
    assert late.dropped["changed_since"] > 0


def test_a_flip_between_query_and_look_into_truth_hides_no_document(services: Services, monkeypatch: pytest.MonkeyPatch):
    """As a server's index allows: there a session keeps no writer out."""
    wanted = SearchRequest(query="any", nct_ids=(STUDY,))
    before = search(services, wanted, today=TODAY).hits
    rankings = services.index.rankings
    flips = iter([1])

    def rank_then_flip(*queries: Any, **arguments: Any) -> Any:
        points = rankings(*queries, **arguments)
        for _ in flips:
            run_index(services, force=True)
        return points

    monkeypatch.setattr(services.index, "rankings", rank_then_flip)
    after = search(services, wanted, today=TODAY)
    assert next(flips, None) is None
    assert [hit.text for hit in after.hits] == [hit.text for hit in before]
    assert after.dropped["not_in_truth"] == 0


def test_hits_are_read_from_truth_while_the_index_is_held(services: Services, monkeypatch: pytest.MonkeyPatch):
    depth = 0
    session, read = services.index.session, services.db.read
    reads: list[bool] = []

    @contextmanager
    def watched_session() -> Iterator[Any]:
        nonlocal depth
        with session() as index:
            depth += 1
            yield index
            depth -= 1

    def watched_read() -> Any:
        reads.append(depth > 0)
        return read()

    monkeypatch.setattr(services.index, "session", watched_session)
    monkeypatch.setattr(services.db, "read", watched_read)
    search(services, SearchRequest(query="pregnancy"), today=TODAY)
    of_hits = reads.index(True)
    assert of_hits > 0  # before it: which collection is live, what identifiers it holds
    assert not any(reads[of_hits + 1 :])  # after it: only what hits show besides, figures among it


@pytest.mark.parametrize("query", ["", " \n\t", "x" * 4001, "\ud800"])
def test_a_query_that_says_nothing_or_too_much_is_refused_without_quoting_it(query: str):
    with pytest.raises(UsageError) as refused:
        make_request(query=query)
    assert refused.value.message == "not a valid search: query"


@pytest.mark.parametrize(("hours", "stale"), [(1, False), (35, False), (37, True)])
def test_a_hit_says_how_long_ago_its_source_confirmed_its_status(services: Services, hours: float, stale: bool):
    with services.db.read() as tx:
        confirmed = max(one.confirmed_at for one in confirmations(tx))
    wanted = SearchRequest(query="any", nct_ids=(STUDY,))
    (hit,) = search(services, wanted, today=TODAY, now=confirmed + timedelta(hours=hours)).hits
    assert (hit.status_confirmed_at, hit.status_age_hours, hit.status_stale) == (confirmed.isoformat(), hours, stale)


def test_a_study_whose_newer_version_was_listed_and_not_taken_is_stale_at_once(services: Services):
    at = utc_now()
    listed(services.db, {STUDY: "b"}, at=at)
    (hit,) = search(services, SearchRequest(query="any", nct_ids=(STUDY,)), today=TODAY, now=at).hits
    assert hit.status_stale
