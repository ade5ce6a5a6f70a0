from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import httpx
import orjson
import pytest

from pipeline.domain.errors import (
    ConfigurationError,
    SourceProtocolError,
    SourceRefusedError,
    SourceUnavailableError,
    UsageError,
)
from pipeline.domain.ports import FetchedPage, RecordSource
from pipeline.settings import Settings
from pipeline.stages.sources.clinicaltrials import ClinicalTrialsSource
from pipeline.testing.registry_server import RegistryServer, fails, malformed_json, slow, too_many_requests, truncated_body
from pipeline.testing.studies import invented_nct_id, study_records

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)
IDS = [invented_nct_id(index) for index in range(5)]


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with RegistryServer(study_records(5)) as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the source wanted to sleep; it does not."""
    return []


@pytest.fixture
def make(registry: RegistryServer, waits: list[float]):
    def source(
        *, page_size: int = 2, per_minute: float = 1e9, attempts: int = 6, timeout: float = 5.0, **options: Any
    ) -> ClinicalTrialsSource:
        settings = Settings(
            registry_url=registry.url,
            registry_page_size=page_size,
            registry_requests_per_minute=per_minute,
            registry_max_attempts=attempts,
            registry_timeout_seconds=timeout,
        )
        return ClinicalTrialsSource(settings, sleep=waits.append, clock=lambda: NOW, **options)

    return source


def keys(pages: list[FetchedPage]) -> list[str | None]:
    return [record.source_key for page in pages for record in page.records]


def test_is_a_record_source(make):
    source: RecordSource = make()
    assert source.name == "clinicaltrials.gov"


class TestListing:
    def test_walks_all_pages_with_unchanged_parameters(self, make, registry):
        pages = list(make(query="gout").pages())
        assert keys(pages) == IDS
        assert [page.total for page in pages] == [5, None, None]
        assert [page.next_token is None for page in pages] == [False, False, True]
        assert not any(page.restarted for page in pages)
        first, *others = [dict(request.params) for request in registry.requests]
        assert first == {
            "format": "json",
            "pageSize": "2",
            "sort": "LastUpdatePostDate:asc",
            "query.term": "gout",
            "countTotal": "true",
        }
        for params in others:
            assert params.pop("pageToken")
            assert params == {key: value for key, value in first.items() if key != "countTotal"}

    def test_the_first_request_has_no_page_token_and_later_ones_are_percent_encoded(self, make, registry):
        pages = list(make().pages())
        assert "pageToken" not in registry.requests[0].query
        assert pages[0].next_token is not None
        assert pages[0].next_token.startswith("t+/")
        assert "pageToken=t%2B%2F" in registry.requests[1].query
        assert "%3D" in registry.requests[1].query

    def test_an_empty_last_page_is_normal(self, make, registry):
        pages = list(make(page_size=5).pages())
        assert [len(page.records) for page in pages] == [5, 0]
        assert len(registry.requests) == 2

    def test_an_empty_registry_is_one_empty_page(self, make, registry):
        registry.studies.clear()
        assert list(make().pages()) == [FetchedPage((), None, 0)]

    def test_records_are_canonical_and_carry_their_last_update(self, make, registry):
        record = next(make().pages()).records[1]
        assert record.data == orjson.dumps(registry.studies[IDS[1]], option=orjson.OPT_SORT_KEYS)
        assert (record.updated, record.origin, record.failure, record.asked_as) == ("2024-01-16", "page 1 study 2", None, None)

    def test_a_study_that_is_none_becomes_a_failure_and_the_others_are_taken(self, make, registry):
        del registry.studies[IDS[1]]["protocolSection"]["identificationModule"]["nctId"]
        registry.studies[IDS[2]]["protocolSection"]["descriptionModule"]["briefSummary"] = "half a pair: \ud83d"
        pages = list(make(page_size=10).pages())
        assert [record.failure for record in pages[0].records] == [None, "invalid_nct_id", None, None, None]

    def test_the_promised_total_is_passed_on_as_it_is(self, make, registry):
        registry.promised_total = 7
        assert next(make().pages()).total == 7

    def test_lists_updates_since_a_day(self, make, registry):
        pages = list(make(since=date(2024, 1, 18)).pages())
        assert keys(pages) == IDS[3:]
        assert pages[0].total == 2
        assert registry.requests[0].params["filter.advanced"] == "AREA[LastUpdatePostDate]RANGE[2024-01-18,MAX]"

    def test_a_limit_ends_the_listing(self, make, registry):
        pages = list(make(limit=3).pages())
        assert keys(pages) == IDS[:3]
        assert pages[0].total == 3
        assert pages[-1].next_token is None
        assert len(registry.requests) == 2
        assert registry.requests[0].params["pageSize"] == "2"

    def test_a_small_limit_asks_for_a_small_page(self, make, registry):
        assert keys(list(make(limit=1).pages())) == IDS[:1]
        assert registry.requests[0].params["pageSize"] == "1"

    @pytest.mark.parametrize(
        ("options", "scope", "proves"),
        [
            ({}, "all", True),
            ({"query": " "}, "all", True),
            ({"query": "gout"}, "query:gout", True),
            ({"since": date(2024, 1, 1)}, "since:2024-01-01", False),
            ({"limit": 5}, "limit:5", False),
            ({"query": "gout", "since": date(2024, 1, 1), "limit": 5}, "query:gout since:2024-01-01 limit:5", False),
            ({"nct_ids": ["NCT90000001"]}, "ids", False),
        ],
    )
    def test_scope_and_what_it_proves(self, make, options, scope, proves):
        source = make(**options)
        assert (source.scope, source.can_prove_absence) == (scope, proves)

    @pytest.mark.parametrize(
        ("options", "base_scope"),
        [
            ({}, "all"),
            ({"since": date(2024, 1, 1)}, "all"),
            ({"query": "gout", "since": date(2024, 1, 1)}, "query:gout"),
            ({"since": date(2024, 1, 1), "limit": 5}, "since:2024-01-01 limit:5"),
            ({"limit": 5}, "limit:5"),
            ({"nct_ids": ["NCT90000001"]}, "ids"),
        ],
    )
    def test_only_listings_without_gaps_move_the_watermark_of_the_whole(self, make, options, base_scope):
        assert make(**options).base_scope == base_scope

    @pytest.mark.parametrize(
        "options",
        [{"nct_ids": ["NCT1"]}, {"nct_ids": ["NCT90000001"], "query": "gout"}, {"nct_ids": ["NCT90000001\n0"]}, {"limit": 0}],
    )
    def test_wrong_options_are_a_usage_error(self, make, options):
        with pytest.raises(UsageError):
            make(**options)


class TestResuming:
    def test_resumes_from_a_token(self, make, registry):
        token = next(make().pages()).next_token
        pages = list(make().pages(resume_from=token))
        assert keys(pages) == IDS[2:]
        assert pages[0].total is None
        assert pages[0].records[0].origin == "resumed page 1 study 1"
        assert "countTotal" not in registry.requests[1].params

    def test_an_expired_token_begins_the_listing_anew_and_says_so(self, make, registry, caplog):
        token = next(make().pages()).next_token
        registry.expire_tokens()
        with caplog.at_level(logging.WARNING, logger="clindex"):
            pages = list(make().pages(resume_from=token))
        assert keys(pages) == IDS
        assert [(page.restarted, page.total) for page in pages] == [(True, 5), (False, None), (False, None)]
        assert [record.event for record in caplog.records] == ["listing_restarted"]

    def test_a_token_that_expires_on_the_way_begins_the_listing_anew(self, make, registry):
        pages = make().pages()
        assert len(next(pages).records) == 2
        registry.expire_tokens()
        rest = list(pages)
        assert keys(rest) == IDS
        assert rest[0].restarted

    def test_it_begins_anew_once_only(self, make, registry):
        pages = make().pages()
        next(pages)
        registry.expire_tokens()
        assert next(pages).restarted
        registry.expire_tokens()
        with pytest.raises(SourceRefusedError):
            next(pages)

    def test_a_token_that_comes_twice_is_no_endless_loop(self, make, registry):
        same = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json={"studies": [], "nextPageToken": "again"})))
        with pytest.raises(SourceProtocolError, match="same page token"):
            list(make(client=same).pages())


class TestPassingFaults:
    @pytest.mark.parametrize("fault", [fails(500), fails(502), fails(503), fails(504), fails(408), fails(425), too_many_requests()])
    def test_are_tried_again_with_growing_waits(self, make, registry, waits, fault):
        registry.fail_next(fault, fault, fault)
        assert keys(list(make(page_size=10).pages())) == IDS
        assert len(registry.requests) == 4
        assert len(waits) == 3
        assert 4 <= waits[0] <= 8
        assert 8 <= waits[1] <= 12
        assert 16 <= waits[2] <= 20

    @pytest.mark.parametrize("fault", [truncated_body, malformed_json])
    def test_a_damaged_answer_is_asked_for_again(self, make, registry, waits, fault):
        registry.fail_next(fault)
        assert keys(list(make(page_size=10).pages())) == IDS
        assert len(waits) == 1

    @pytest.mark.parametrize("fault", [truncated_body, malformed_json])
    def test_damaged_answers_end_in_a_protocol_error(self, make, registry, fault):
        registry.fail_next(fault, fault)
        with pytest.raises(SourceProtocolError) as caught:
            list(make(attempts=2).pages())
        assert caught.value.__suppress_context__
        assert len(registry.requests) == 2

    def test_an_answer_of_another_shape_ends_in_a_protocol_error(self, make, waits):
        for body in ({}, [], {"studies": {}}, {"studies": [], "nextPageToken": ""}, {"studies": [], "nextPageToken": 3}):
            wrong = httpx.Client(transport=httpx.MockTransport(lambda _, body=body: httpx.Response(200, json=body)))
            with pytest.raises(SourceProtocolError):
                list(make(client=wrong, attempts=2).pages())
        assert len(waits) == 5

    def test_a_slow_answer_is_given_up_and_asked_for_again(self, make, registry, waits):
        registry.fail_next(slow(0.5))
        assert keys(list(make(page_size=10, timeout=0.1).pages())) == IDS
        assert len(waits) == 1

    def test_it_gives_up_after_the_last_attempt(self, make, registry, waits):
        registry.fail_next(*[fails(503)] * 3)
        with pytest.raises(SourceUnavailableError, match="503"):
            list(make(attempts=3).pages())
        assert len(registry.requests) == 3
        assert len(waits) == 2

    def test_a_host_that_cannot_be_reached_is_unavailable(self, waits):
        with RegistryServer() as gone:
            settings = Settings(registry_url=gone.url, registry_max_attempts=2, registry_requests_per_minute=1e9)
        with pytest.raises(SourceUnavailableError, match="ConnectError"):
            list(ClinicalTrialsSource(settings, sleep=waits.append).pages())
        assert 4 <= waits[-1] <= 8


class TestRetryAfter:
    def test_seconds_are_obeyed(self, make, registry, waits):
        registry.fail_next(too_many_requests(retry_after="17"))
        list(make(page_size=10).pages())
        assert waits == [17.0]

    def test_a_date_is_obeyed(self, make, registry, waits):
        registry.fail_next(too_many_requests(retry_after="Sat, 01 Jun 2024 12:00:42 GMT"))
        list(make(page_size=10).pages())
        assert waits == [42.0]

    def test_a_date_that_has_passed_means_now(self, make, registry, waits):
        registry.fail_next(fails(503, Retry_After="Sat, 01 Jun 2024 11:00:00 GMT"))
        list(make(page_size=10).pages())
        assert waits == [0.0]

    def test_what_cannot_be_read_is_backed_off_from(self, make, registry, waits):
        registry.fail_next(too_many_requests(retry_after="soon"))
        list(make(page_size=10).pages())
        assert 4 <= waits[0] <= 8

    @pytest.mark.parametrize("value", ["3600", "Sat, 01 Jun 2024 13:00:00 GMT"])
    def test_too_long_a_wait_ends_the_run_and_says_until_when(self, make, registry, waits, value):
        registry.fail_next(too_many_requests(retry_after=value))
        with pytest.raises(SourceUnavailableError, match="2024-06-01T13:00:00") as caught:
            list(make().pages())
        assert waits == []
        assert len(registry.requests) == 1
        assert caught.value.remedy is not None


class TestRefusals:
    @pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 422])
    def test_a_client_error_is_never_tried_again(self, make, registry, waits, status):
        registry.fail_next(fails(status, "`sort` names\nno such   field"))
        with pytest.raises(SourceRefusedError) as caught:
            list(make().pages())
        assert caught.value.message == f"the registry answered {status}: `sort` names no such field"
        assert len(registry.requests) == 1
        assert waits == []

    def test_the_reason_is_short_and_holds_no_token(self, make, registry):
        token = next(make().pages()).next_token
        assert token is not None
        registry.expire_tokens()
        registry.fail_next(fails(403, f"bad token {token} " + "x" * 1000))
        with pytest.raises(SourceRefusedError) as caught:
            list(make().pages(resume_from=token))
        assert token not in caught.value.message
        assert "http" not in caught.value.message
        assert len(caught.value.message) < 240

    def test_a_page_of_html_is_not_quoted(self, make):
        html = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(403, html="<p>blocked</p>")))
        with pytest.raises(SourceRefusedError) as caught:
            list(make(client=html).pages())
        assert caught.value.message == "the registry answered 403"

    def test_the_error_survives_pickling(self, make, registry):
        registry.fail_next(fails(400, "no"))
        with pytest.raises(SourceRefusedError) as caught:
            list(make().pages())
        again = pickle.loads(pickle.dumps(caught.value))
        assert (again.message, again.status) == (caught.value.message, 400)

    @pytest.mark.parametrize("url", ["ftp://127.0.0.1/api", "no url at all", "http://127.0.0.1:port/"])
    def test_a_wrong_url_is_a_configuration_error(self, waits, url):
        with pytest.raises(ConfigurationError):
            ClinicalTrialsSource(Settings(registry_url=url), sleep=waits.append).version()
        assert waits == []

    def test_too_large_an_answer_is_refused_while_it_comes(self, make, registry, monkeypatch):
        monkeypatch.setattr("pipeline.stages.sources.registry_client.MAX_RESPONSE_BYTES", 1000)
        with pytest.raises(SourceProtocolError, match="1000 bytes"):
            list(make().pages())
        assert len(registry.requests) == 1


class TestSingleStudies:
    def test_one_id_is_asked_for_by_its_path(self, make, registry):
        pages = list(make(nct_ids=["nct90000003 "]).pages())
        assert keys(pages) == [IDS[2]]
        assert pages[0].next_token is None
        assert [request.path for request in registry.requests] == [f"/api/v2/studies/{IDS[2]}"]

    def test_several_ids_are_asked_for_in_one_parameter(self, make, registry):
        pages = list(make(nct_ids=[IDS[3], IDS[1], IDS[3]]).pages())
        assert keys(pages) == [IDS[3], IDS[1]]
        assert len(registry.requests) == 1
        assert registry.requests[0].params["filter.ids"] == f"{IDS[3]}|{IDS[1]}"

    def test_an_unknown_id_is_a_named_failure_and_the_others_are_taken(self, make, registry):
        records = [record for page in make(nct_ids=[IDS[0], "NCT99999999", IDS[1]]).pages() for record in page.records]
        assert [(record.source_key, record.failure) for record in records] == [
            (IDS[0], None),
            ("NCT99999999", "not_found"),
            (IDS[1], None),
        ]

    def test_an_alias_is_followed_and_noted(self, make, registry):
        registry.aliases["NCT90009999"] = IDS[4]
        for ids in (["NCT90009999"], [IDS[0], "NCT90009999"]):
            record = [record for page in make(nct_ids=ids).pages() for record in page.records][-1]
            assert (record.source_key, record.asked_as, record.failure) == (IDS[4], "NCT90009999", None)

    def test_a_redirect_to_another_host_is_refused(self, make, registry):
        registry.aliases["NCT90009999"] = IDS[4]
        registry.redirect_to = "http://localhost.example/api/v2/studies/NCT90000001"
        with pytest.raises(SourceRefusedError, match="another host"):
            list(make(nct_ids=["NCT90009999"]).pages())
        assert len(registry.requests) == 1

    def test_a_redirect_loop_ends(self, make, registry):
        registry.aliases["NCT90009999"] = IDS[4]
        registry.redirect_to = "/api/v2/studies/NCT90009999"
        with pytest.raises(SourceRefusedError, match="more than 3 times"):
            list(make(nct_ids=["NCT90009999"]).pages())
        assert len(registry.requests) == 4

    def test_many_ids_come_in_pages_that_can_be_resumed(self, make, registry):
        registry.studies.update({study["protocolSection"]["identificationModule"]["nctId"]: study for study in study_records(120)})
        ids = [invented_nct_id(index) for index in range(120)]
        pages = list(make(nct_ids=ids).pages())
        assert [len(page.records) for page in pages] == [50, 50, 20]
        assert keys(pages) == ids
        assert keys(list(make(nct_ids=ids).pages(resume_from=pages[1].next_token))) == ids[100:]
        assert keys(list(make(nct_ids=ids, limit=60).pages())) == ids[:60]

    def test_a_passing_fault_is_bridged_here_too(self, make, registry, waits):
        registry.fail_next(fails(500), truncated_body)
        assert keys(list(make(nct_ids=IDS[:1]).pages())) == IDS[:1]
        assert len(waits) == 2


class TestVersion:
    def test_says_how_fresh_the_data_are(self, make, registry):
        source = make()
        assert (source.version().data_timestamp, source.version().api_version) == ("2024-06-01T09:00:05", "2.0.3")
        registry.data_timestamp = "2024-05-31T09:00:05"
        assert source.version().data_timestamp == "2024-05-31T09:00:05"
        registry.data_timestamp = None
        assert source.version().data_timestamp is None


def test_requests_are_spaced(make, waits):
    list(make(page_size=1, per_minute=60.0).pages())
    assert len(waits) == 5  # six pages, the first at once
    assert all(0.5 < wait <= position + 1 for position, wait in enumerate(waits))


def test_one_connection_serves_the_whole_listing(make, registry):
    source = make(page_size=1)
    list(source.pages())
    assert len(registry.requests) == 6
    assert {request.headers["User-Agent"] for request in registry.requests} == {"clindex"}
    source.close()


def test_no_log_event_holds_a_token_or_a_url(make, registry, caplog):
    registry.fail_next(fails(500), truncated_body)
    with caplog.at_level(logging.DEBUG, logger="clindex"):
        pages = list(make().pages())
    shown = repr([record.__dict__ for record in caplog.records])
    assert "source_retry" in shown
    assert "127.0.0.1" not in shown
    assert pages[0].next_token is not None
    assert pages[0].next_token not in shown
