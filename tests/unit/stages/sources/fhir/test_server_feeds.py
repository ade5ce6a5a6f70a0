"""Feeds of a server against one that plays it: by bulk export and by search, well and with faults."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from pipeline.domain.errors import SourceProtocolError, SourceRefusedError, SourceUnavailableError
from pipeline.domain.fhir import BrokenEntry, RawResource, RemovedResource, Waiting
from pipeline.settings import Settings
from pipeline.stages.sources.fhir.bulk import BulkFeed
from pipeline.stages.sources.fhir.search import SearchFeed
from pipeline.stages.sources.fhir.server import NAME, FhirServer
from pipeline.stages.sources.polite_http import Limits, PoliteClient
from pipeline.testing.fhir_bulk import bad_line, lines_lost
from pipeline.testing.fhir_server import FhirServer as PlayedServer
from pipeline.testing.http_faults import fails, malformed_json, too_many_requests, truncated_body

SECRET = b"0123456789abcdef0123456789abcdef"
TYPES = ("DocumentReference", "Observation", "Patient")
LIMITS = Limits(per_minute=1e9, timeout_seconds=5.0, attempts=3, max_wait_seconds=120.0, max_bytes=2**20)


def observation(number: int, patient: int = 1) -> bytes:
    return (
        b'{"resourceType":"Observation","id":"o%d","status":"final","code":{"text":"A"},"subject":{"reference":"Patient/p%d"},'
        b'"valueQuantity":{"value":%d.00,"unit":"mg"}}' % (number, patient, number)
    )


def patient(number: int) -> dict:
    return {"resourceType": "Patient", "id": f"p{number}"}


@pytest.fixture
def played():
    with PlayedServer([patient(1), patient(2), *(observation(number) for number in range(1, 8))], page_size=3) as server:
        yield server


@pytest.fixture
def slept():
    return []


@pytest.fixture
def server(played, slept, tmp_path):
    moment = datetime(2024, 6, 1, tzinfo=UTC)
    http = PoliteClient(NAME, LIMITS, setting="CLINDEX_FHIR_URL", sleep=slept.append, clock=lambda: moment + timedelta(seconds=sum(slept)))
    asked = FhirServer(Settings(home=tmp_path, fhir_url=played.url), http=http)
    yield asked
    asked.close()


def bulk(server, **given):
    return BulkFeed(server, **{"secret": SECRET, "authority": "site", "level": "system", "types": TYPES, **given})


def search(server, **given):
    return SearchFeed(server, **{"secret": SECRET, "authority": "site", "types": TYPES, "page_size": 3, **given})


@pytest.fixture(params=["bulk", "search"])
def feed(request, server):
    return {"bulk": bulk, "search": search}[request.param](server)


def read(feed):
    entries = [entry for entry in feed.entries() if not isinstance(entry, Waiting)]
    ids = sorted(entry.value["id"] for entry in entries if isinstance(entry, RawResource))
    return ids, [entry for entry in entries if isinstance(entry, BrokenEntry)], feed.end()


ALL = sorted(["p1", "p2", *(f"o{number}" for number in range(1, 8))])


class TestBothWays:
    def test_everything_comes_once_and_the_end_says_so(self, feed):
        ids, broken, end = read(feed)
        assert (ids, broken) == (ALL, [])
        assert end.complete
        assert end.promised == end.read > 0

    def test_numbers_keep_the_digits_that_were_printed(self, feed):
        values = {entry.value["id"]: entry.value for entry in feed.entries() if isinstance(entry, RawResource)}
        assert str(values["o7"]["valueQuantity"]["value"]) == "7.00"

    def test_the_release_is_the_one_that_the_server_says(self, feed):
        assert {entry.version.value for entry in feed.entries() if isinstance(entry, RawResource)} == {"4.0"}

    def test_a_passing_fault_is_bridged(self, feed, played, slept):
        played.fail_next(fails(503), too_many_requests(retry_after="7"), path="/metadata")
        ids, broken, end = read(feed)
        assert (ids, broken, end.complete) == (ALL, [], True)
        assert 7.0 in slept

    def test_a_server_that_stays_down_ends_the_load(self, feed, played):
        played.fail_next(*(fails(503) for _ in range(3)), path="/metadata")
        with pytest.raises(SourceUnavailableError, match="503"):
            read(feed)
        assert not feed.end().complete

    def test_a_wait_that_is_too_long_ends_the_load_and_says_until_when(self, feed, played):
        played.fail_next(fails(503, Retry_After="3600"), path="/metadata")
        with pytest.raises(SourceUnavailableError, match="2024-06-01T01:00:00"):
            read(feed)

    def test_a_binary_that_an_attachment_refers_to_is_fetched_once(self, feed, played):
        played.put({"resourceType": "Binary", "id": "b1", "contentType": "text/plain", "data": "QQ=="})
        for name, url in (("d1", "Binary/b1"), ("d2", f"{played.url}/Binary/b1"), ("d3", "https://elsewhere.invalid/Binary/b1")):
            played.put({"resourceType": "DocumentReference", "id": name, "content": [{"attachment": {"url": url}}]})
        assert read(feed)[0] == sorted([*ALL, "b1", "d1", "d2", "d3"])
        assert sum("/Binary/" in request.path for request in played.requests) == 1

    def test_a_binary_that_is_gone_is_counted_and_does_not_hold_the_load_up(self, feed, played):
        played.put({"resourceType": "DocumentReference", "id": "d1", "content": [{"attachment": {"url": "Binary/none"}}]})
        ids, broken, end = read(feed)
        assert ("d1" in ids, broken, end.complete) == (True, [], True)
        assert end.skipped == {"binary_missing": 1}

    def test_what_a_server_does_not_have_is_not_asked_for_and_counted(self, server, played):
        for feed in (bulk(server, types=(*TYPES, "Specimen")), search(server, types=(*TYPES, "Specimen"))):
            *_, end = read(feed)
            assert sum(end.skipped.values()) == 2  # Specimen, and DocumentReference, of which there is none
        assert not any("Specimen" in request.query for request in played.requests)

    def test_no_error_and_no_origin_holds_an_address(self, feed, played):
        played.fail_next(fails(403), path="/Patient")
        played.fail_next(fails(403), path="/$export")
        with pytest.raises(SourceRefusedError) as caught:
            read(feed)
        assert "127.0.0.1" not in str(caught.value)


class TestBulk:
    def test_it_waits_as_long_as_the_server_says(self, server, played, slept):
        played.pending_polls, played.retry_after = 3, "45"
        feed = bulk(server)
        waits = [entry for entry in feed.entries() if isinstance(entry, Waiting)]
        assert sum(slept) == pytest.approx(3 * 45, abs=1)
        assert max(slept) <= 20  # the run gives signs of life between
        assert len(waits) >= 9

    def test_an_export_that_is_not_ready_in_time_is_cancelled(self, server, played):
        played.pending_polls, played.retry_after = 1000, "60"
        with pytest.raises(SourceUnavailableError, match="not ready"):
            read(bulk(server, hours=0.5))
        assert played.requests[-1].method == "DELETE"

    def test_an_export_is_cleared_away_once_it_was_read(self, server, played):
        read(bulk(server))
        assert [request.method for request in played.requests][-1] == "DELETE"

    def test_a_feed_that_is_left_in_the_middle_clears_its_export_away(self, server, played):
        entries = bulk(server).entries()
        while not isinstance(next(entries), RawResource):
            pass
        entries.close()
        assert played.requests[-1].method == "DELETE"

    def test_the_end_says_the_moment_of_the_data(self, server, played):
        *_, end = read(bulk(server))
        assert end.transaction_time == "2024-06-01T09:00:05.000Z"

    def test_an_incremental_export_brings_what_changed_and_what_was_deleted(self, server, played):
        *_, end = read(bulk(server))
        played.now += timedelta(hours=1)
        played.put(observation(3))
        played.remove("Observation", "o5")
        feed = bulk(server, since=end.transaction_time)
        entries = [entry for entry in feed.entries() if not isinstance(entry, Waiting)]
        assert [entry.value["id"] for entry in entries if isinstance(entry, RawResource)] == ["o3"]
        assert [(one.resource_type, one.logical_id) for one in entries if isinstance(one, RemovedResource)] == [("Observation", "o5")]
        assert not feed.is_full
        assert feed.scope == bulk(server).scope

    def test_a_file_that_is_cut_goes_on_behind_what_came(self, server, played):
        played.fail_next(truncated_body, truncated_body, path="/files")
        ids, broken, end = read(bulk(server))
        assert (ids, broken, end.complete) == (ALL, [], True)

    def test_a_file_that_is_cut_each_time_is_named_and_the_others_are_read(self, server, played):
        played.put({"resourceType": "Observation", "id": "long", "note": [{"text": "x" * 5000}]})
        played.rows_per_file = 1
        played.fail_next(*(truncated_body for _ in range(3)), path="/files")
        ids, broken, end = read(bulk(server))
        assert len(ids) == len(ALL)
        assert [(one.origin, one.detail) for one in broken] == [("output file 1", "cut")]
        assert (end.complete, end.promised, end.read) == (False, 10, 9)

    @pytest.mark.parametrize("status", [401, 403, 410])
    def test_a_link_that_expired_is_replaced_by_a_new_one(self, server, played, status):
        played.expired_status = status
        feed = bulk(server).entries()
        first = next(entry for entry in feed if isinstance(entry, RawResource))  # the manifest is read, and the first file begun
        played.expire_links()
        rest = [entry for entry in feed if not isinstance(entry, Waiting)]
        assert sorted(entry.value["id"] for entry in (first, *rest)) == ALL

    def test_a_link_that_stays_expired_makes_the_load_incomplete(self, server, played):
        played.fail_next(fails(403), fails(403), path="/files")
        _, broken, end = read(bulk(server))
        assert [(one.origin, one.detail) for one in broken] == [("output file 1", "http_403")]
        assert not end.complete

    def test_a_bad_line_costs_itself_alone_and_the_load_is_incomplete(self, server, played):
        played.rows_per_file = 3
        played.fail_next(bad_line(2), path="/files")
        ids, broken, end = read(bulk(server))
        assert (len(ids), [one.origin for one in broken], end.complete) == (len(ALL) - 1, ["output file 1 line 2"], False)

    def test_a_file_with_fewer_rows_than_its_manifest_says_is_incomplete(self, server, played):
        played.fail_next(lines_lost(1), path="/files")
        _, broken, end = read(bulk(server))
        assert ([one.detail for one in broken], end.complete) == (["count"], False)

    def test_compressed_files_are_read(self, server, played):
        played.gzip = True
        assert read(bulk(server))[0] == ALL

    def test_what_the_server_could_not_export_makes_the_load_incomplete(self, server, played):
        played.outcome_lines = [
            {"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "processing", "diagnostics": "Wanda Testname"}]},
            {"resourceType": "OperationOutcome", "issue": [{"severity": "warning", "code": "informational"}]},
        ]
        ids, broken, end = read(bulk(server))
        assert (ids, [one.detail for one in broken], end.complete) == (ALL, ["server_processing"], False)
        assert end.skipped["server_warning"] == 1

    def test_an_export_of_a_group_holds_its_members(self, server, played):
        played.put({"resourceType": "Group", "id": "g1", "member": [{"entity": {"reference": "Patient/p2"}}]})
        assert read(bulk(server, level="group:g1", types=("Patient", "Observation")))[0] == ["p2"]

    def test_a_server_without_bulk_export_is_refused_with_what_to_do(self, server, played):
        played.fail_next(fails(501), fails(501), fails(501), path="/$export")
        with pytest.raises((SourceRefusedError, SourceUnavailableError)):
            read(bulk(server))
        played.fail_next(fails(404), path="/$export")
        with pytest.raises(SourceRefusedError, match="no export was begun") as caught:
            read(bulk(server))
        assert "CLINDEX_FHIR_FROM=search" in str(caught.value)

    def test_a_manifest_that_is_none_is_refused(self, server, played):
        played.pending_polls = 0
        played.fail_next(*(malformed_json for _ in range(3)), path="/status")
        with pytest.raises(SourceProtocolError):
            read(bulk(server))


class TestSearch:
    def test_pages_are_followed(self, server, played):
        read(search(server))
        assert sum("_getpages" in request.query for request in played.requests) == 2  # seven observations, three a page

    def test_changes_and_deletions_come_from_the_history(self, server, played):
        played.now += timedelta(hours=1)
        played.put(observation(3))
        played.remove("Observation", "o5")
        feed = search(server, since="2024-06-01T09:30:00+00:00", overlap=timedelta(minutes=5))
        entries = list(feed.entries())
        assert [entry.value["id"] for entry in entries if isinstance(entry, RawResource)] == ["o3"]
        assert [one.logical_id for one in entries if isinstance(one, RemovedResource)] == ["o5"]
        assert feed.scope == search(server).scope

    def test_a_server_without_history_is_asked_by_last_update(self, server, played, monkeypatch):
        monkeypatch.setattr(FhirServer, "has", lambda self, code: None)
        played.now += timedelta(hours=1)
        played.put(observation(3))
        assert read(search(server, since="2024-06-01T09:30:00+00:00"))[0] == ["o3"]

    def test_fewer_than_the_total_is_incomplete(self, server, played):
        played.promised_total = 100
        _, broken, end = read(search(server))
        assert ({one.detail for one in broken}, end.complete) == ({"fewer_than_total"}, False)

    def test_a_next_page_that_expired_makes_the_load_incomplete_and_other_types_are_read(self, server, played):
        entries = search(server).entries()
        found = [next(entries)]
        played.expire_links()
        found += entries
        broken = [one for one in found if isinstance(one, BrokenEntry)]
        assert [(one.origin, one.detail) for one in broken] == [("Observation page 2", "link_expired")]
        assert {"p1", "p2"} <= {one.value["id"] for one in found if isinstance(one, RawResource)}

    def test_a_next_page_on_another_host_is_not_asked_for(self, server, played):
        page = {"resourceType": "Bundle", "type": "searchset", "link": [{"relation": "next", "url": "https://elsewhere.invalid/2"}]}
        played.fail_next(lambda answer: type(answer)(200, json.dumps(page).encode(), "application/fhir+json"), path="/Observation")
        with pytest.raises(SourceRefusedError, match="another host"):
            read(search(server, types=("Observation",)))

    def test_pages_in_a_circle_end(self, server, played):
        page = {"resourceType": "Bundle", "type": "searchset", "link": [{"relation": "next", "url": f"{played.url}/Observation?x=1"}]}
        fault = lambda answer: type(answer)(200, json.dumps(page).encode(), "application/fhir+json")  # noqa: E731
        played.fail_next(fault, fault, fault, path="/Observation")
        with pytest.raises(SourceProtocolError, match="twice"):
            read(search(server, types=("Observation",)))
