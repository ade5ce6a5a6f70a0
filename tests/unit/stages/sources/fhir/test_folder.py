"""Files as a feed: what is read, what is told as broken, and when absence may mean deletion."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pipeline.domain.errors import UsageError
from pipeline.domain.fhir import BrokenEntry, FeedEnd, FeedEntry, RawResource, RemovedResource
from pipeline.stages.sources.fhir.folder import FolderFeed

SECRET = b"s" * 32
ONE = b'{"resourceType":"Patient","id":"walnut-1"}'
TWO = b'{"resourceType":"Observation","id":"walnut-2","valueQuantity":{"value":7.10}}'


def read(path: Path) -> tuple[list[FeedEntry], FeedEnd]:
    feed = FolderFeed([path], secret=SECRET)
    return list(feed.entries()), feed.end()


def ids(entries: list[FeedEntry]) -> list[str]:
    return [entry.value["id"] for entry in entries if isinstance(entry, RawResource)]


@pytest.mark.parametrize(
    "content", [ONE + b"\n" + TWO, b"\xef\xbb\xbf" + ONE + b"\r\n\r\n" + TWO + b"\r\n"], ids=["no last newline", "BOM, CRLF, blank"]
)
def test_every_line_of_ndjson_is_a_resource(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.ndjson").write_bytes(content)
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(content))
    entries, end = read(tmp_path)
    assert ids(entries) == ["walnut-1", "walnut-2"] * 2
    assert end.complete
    assert (end.promised, end.read) == (2, 2)


def test_a_number_keeps_its_digits(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(TWO)
    entries, _ = read(tmp_path)
    assert isinstance(entries[0], RawResource)
    assert entries[0].value["valueQuantity"]["value"] == "7.10"


def test_a_cut_line_is_told_by_its_place_and_costs_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(ONE + b"\n" + TWO[:30] + b"\n" + TWO)
    entries, end = read(tmp_path)
    broken = [entry for entry in entries if isinstance(entry, BrokenEntry)]
    assert [entry.origin for entry in broken] == ["file 1 line 2"]
    assert "walnut" not in repr(broken)
    assert ids(entries) == ["walnut-1", "walnut-2"]
    assert not end.complete


def test_a_cut_gzip_is_incomplete(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson.gz").write_bytes(gzip.compress((ONE + b"\n") * 50)[:-12])
    assert not read(tmp_path)[1].complete


def test_a_bundle_is_read_entry_by_entry(tmp_path: Path) -> None:
    entry = {"fullUrl": "urn:uuid:6f1d", "resource": json.loads(ONE)}
    deleted = {"request": {"method": "DELETE", "url": "Condition/walnut-9"}}
    answer = {"resource": {"resourceType": "OperationOutcome"}}
    bundle = {"resourceType": "Bundle", "type": "transaction", "entry": [entry, deleted, answer, {"fullUrl": "urn:uuid:77"}]}
    (tmp_path / "a.json").write_text(json.dumps(bundle))
    entries, _ = read(tmp_path)
    assert [type(one) for one in entries] == [RawResource, RemovedResource, BrokenEntry]
    assert isinstance(entries[0], RawResource)
    assert entries[0].urls["urn:uuid:6f1d"] == "Patient/walnut-1"
    assert entries[1] == RemovedResource("Condition", "walnut-9", "file 1 entry 2")


def test_xml_is_a_resource_too(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<Patient xmlns="http://hl7.org/fhir"><id value="walnut-3"/></Patient>')
    assert ids(read(tmp_path)[0]) == ["walnut-3"]


def test_an_exports_log_is_no_resource_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / "Patient.ndjson").write_bytes(ONE)
    (tmp_path / "log.ndjson").write_bytes(b'{"exportId":"1"}')
    entries, end = read(tmp_path)
    assert len(entries) == 1
    assert end.complete
    assert end.skipped["export_log"] == 1


def test_a_folder_without_files_is_incomplete(tmp_path: Path) -> None:
    assert not read(tmp_path)[1].complete


def test_only_folders_are_full(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(ONE)
    assert FolderFeed([tmp_path], secret=SECRET).is_full
    assert not FolderFeed([tmp_path / "a.ndjson"], secret=SECRET).is_full


def test_no_path_is_refused() -> None:
    with pytest.raises(UsageError):
        FolderFeed([], secret=SECRET)


def test_blank_lines_are_passed_over_and_counted_and_a_cut_one_is_named(tmp_path):
    lines = '{"resourceType":"Patient","id":"1"}\n\n{"resourceType":"Patient"\n{"resourceType":"Patient","id":"3"}\r\n'
    (tmp_path / "cut.ndjson").write_text(lines + '\ufeff{"resourceType":"Patient","id":"4"}', encoding="utf-8")
    feed = FolderFeed([tmp_path], secret=b"x" * 32)
    entries = list(feed.entries())
    assert [one.value["id"] for one in entries if isinstance(one, RawResource)] == ["1", "3", "4"]
    assert [one.origin for one in entries if isinstance(one, BrokenEntry)] == ["file 1 line 3"]
    assert (feed.end().complete, feed.end().skipped) == (False, {"blank_line": 1})
