from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from pipeline.domain.errors import UsageError
from pipeline.domain.ports import FetchedRecord
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.studies import invented_nct_id, study_record, study_records

STUDIES = study_records(3)
IDS = [invented_nct_id(index) for index in range(3)]


def read(*paths: str | Path, stdin: bytes = b"", **changed: Any) -> list[FetchedRecord]:
    source = StudyFiles(paths, Settings(**changed), stdin=io.BytesIO(stdin))
    return [record for page in source.pages() for record in page.records]


def shape(records: list[FetchedRecord]) -> list[tuple[str | None, str | None]]:
    """Ids and failures."""
    return [(record.source_key, record.failure) for record in records]


def taken(records: list[FetchedRecord]) -> list[str | None]:
    assert [record.failure for record in records] == [None] * len(records)
    return [record.source_key for record in records]


def json_lines(studies: list[dict[str, Any]], end: bytes = b"\n") -> bytes:
    return b"".join(orjson.dumps(study) + end for study in studies)


def api_page(studies: list[dict[str, Any]]) -> bytes:
    lines = b",\n".join(orjson.dumps(study) for study in studies)
    return b'{"totalCount":3,"studies":[\n' + lines + b'],\n"nextPageToken":"a+b/c="}\n'


LAYOUTS = {
    "lines": json_lines(STUDIES),
    "lines_without_a_last_newline": json_lines(STUDIES).rstrip(),
    "lines_with_crlf_and_blank_lines": b"\r\n" + json_lines(STUDIES, b"\r\n\r\n"),
    "lines_with_a_byte_order_mark": b"\xef\xbb\xbf" + json_lines(STUDIES),
    "array": orjson.dumps(STUDIES),
    "indented_array": orjson.dumps(STUDIES, option=orjson.OPT_INDENT_2),
    "array_with_a_byte_order_mark": b"\xef\xbb\xbf" + orjson.dumps(STUDIES),
    "page_as_the_api_writes_it": api_page(STUDIES),
    "page_on_one_line": orjson.dumps({"studies": STUDIES, "nextPageToken": "t", "totalCount": 3}),
    "indented_page": orjson.dumps({"totalCount": 3, "studies": STUDIES}, option=orjson.OPT_INDENT_2),
    "two_pages_one_after_the_other": api_page(STUDIES[:2]) + api_page(STUDIES[2:]),
    "a_page_a_line": orjson.dumps({"studies": STUDIES[:1]}) + b"\n" + orjson.dumps({"studies": STUDIES[1:]}),
    "indented_studies_one_after_the_other": b"\n".join(orjson.dumps(study, option=orjson.OPT_INDENT_2) for study in STUDIES),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reads_every_layout_plain_and_gzipped_to_the_same_bytes(tmp_path: Path, layout: str, zipped: bool):
    path = tmp_path / "studies.txt"  # the name says nothing
    path.write_bytes(gzip.compress(LAYOUTS[layout]) if zipped else LAYOUTS[layout])
    records = read(path)
    assert taken(records) == IDS
    assert [record.data for record in records] == [orjson.dumps(study, option=orjson.OPT_SORT_KEYS) for study in STUDIES]
    assert [record.updated for record in records] == ["2024-01-15", "2024-01-16", "2024-01-17"]


@pytest.mark.parametrize("indent", [0, orjson.OPT_INDENT_2])
def test_reads_one_study_a_file(tmp_path: Path, indent: int):
    path = tmp_path / "one.json"
    path.write_bytes(orjson.dumps(STUDIES[0], option=indent))
    assert taken(read(path)) == IDS[:1]


def test_reads_standard_input_once_also_gzipped():
    assert taken(read("-", stdin=json_lines(STUDIES))) == IDS
    records = read("-", "-", stdin=gzip.compress(orjson.dumps(STUDIES)))
    assert taken(records) == IDS
    assert records[0].origin == "stdin study 1"


def test_reads_several_gzip_members_and_their_zero_padding(tmp_path: Path):
    path = tmp_path / "members.gz"
    path.write_bytes(gzip.compress(json_lines(STUDIES[:1])) + b"\0" * 7 + gzip.compress(json_lines(STUDIES[1:])) + b"\0" * 100)
    assert taken(read(path)) == IDS


def test_reads_folders_recursively_and_each_file_once(tmp_path: Path):
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "a.json").write_bytes(orjson.dumps(STUDIES[0]))
    (tmp_path / "b" / "c" / "d.JSONL.gz").write_bytes(gzip.compress(json_lines(STUDIES[1:])))
    (tmp_path / "b" / "README.md").write_text("not a study")
    (tmp_path / "b" / ".hidden.json").write_text("not a study")
    os.symlink(tmp_path / "a.json", tmp_path / "b" / "again.json")
    os.symlink(tmp_path, tmp_path / "b" / "loop")
    assert taken(read(tmp_path)) == IDS
    assert taken(read(tmp_path, tmp_path / "a.json", tmp_path / "b", tmp_path)) == IDS


def test_a_named_file_is_read_whatever_its_name(tmp_path: Path):
    path = tmp_path / ".download"
    path.write_bytes(json_lines(STUDIES))
    assert taken(read(path)) == IDS


def test_missing_paths_are_a_usage_error_before_anything_is_read(tmp_path: Path):
    with pytest.raises(UsageError, match=r"nowhere\.json"):
        StudyFiles([tmp_path, tmp_path / "nowhere.json"], Settings())
    with pytest.raises(UsageError):
        StudyFiles([], Settings())


def test_files_prove_no_absence_and_do_not_resume(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    path.write_bytes(json_lines(study_records(450)))
    source = StudyFiles([path], Settings())
    assert (source.scope, source.name, source.can_prove_absence) == ("files", "clinicaltrials.gov", False)
    assert source.version().data_timestamp is None
    assert [len(page.records) for page in source.pages(resume_from="token")] == [200, 200, 50]
    assert {(page.next_token, page.total) for page in source.pages()} == {(None, None)}


def test_a_limit_ends_the_reading(tmp_path: Path):
    path = tmp_path / "many.jsonl"
    path.write_bytes(json_lines(study_records(450)))
    assert [len(page.records) for page in StudyFiles([path], Settings(), limit=201).pages()] == [200, 1]


def test_a_page_is_bounded_in_bytes(tmp_path: Path):
    path = tmp_path / "large.jsonl"
    text = "x" * 3_000_000
    path.write_bytes(json_lines([study_record(index, descriptionModule={"briefSummary": text}) for index in range(25)]))
    assert max(len(page.records) for page in StudyFiles([path], Settings()).pages()) == 12


def test_bad_lines_are_named_and_the_rest_is_taken(tmp_path: Path):
    path = tmp_path / "mixed.jsonl"
    good = [orjson.dumps(study) for study in STUDIES]
    wrong_id = orjson.dumps({"protocolSection": {"identificationModule": {"nctId": "nct90000001"}}})
    path.write_bytes(
        b"\n".join(
            [good[0], b'{"protocolSection": ', b"Patient: Jane", b'{"a": 1}', b"7", wrong_id, good[1], b"\xff\xfe\x00", b"", good[2]]
        )
    )
    records = read(path)
    assert shape(records) == [
        (IDS[0], None),
        (None, "not_json"),
        (None, "not_json"),
        (None, "not_a_study"),
        (None, "not_a_study"),
        (None, "invalid_nct_id"),
        (IDS[1], None),
        (None, "not_json"),
        (IDS[2], None),
    ]
    assert [record.origin for record in records][1:3] == ["mixed.jsonl line 2", "mixed.jsonl line 3"]
    assert records[-1].origin == "mixed.jsonl line 10"
    assert not any("Jane" in repr(record) for record in records)


def test_a_bad_first_line_does_not_hide_the_others(tmp_path: Path):
    path = tmp_path / "first.jsonl"
    path.write_bytes(b'{"protocolSection": oops\n' + json_lines(STUDIES))
    assert shape(read(path)) == [(None, "not_json"), *((key, None) for key in IDS)]


def test_a_bad_study_in_a_page_does_not_hide_the_others(tmp_path: Path):
    path = tmp_path / "page.json"
    path.write_bytes(api_page(STUDIES).replace(b'"briefTitle":"Uritrol for Gout, Study 2"', b'"briefTitle":oops'))
    assert shape(read(path)) == [(IDS[0], None), (None, "not_json"), (IDS[2], None)]


def test_a_bad_study_in_an_indented_array_is_named(tmp_path: Path):
    path = tmp_path / "array.json"
    content = orjson.dumps(STUDIES, option=orjson.OPT_INDENT_2).replace(b'"briefTitle": "Uritrol for Gout, Study 2"', b'"briefTitle": oops')
    path.write_bytes(content)
    assert shape(read(path)) == [(IDS[0], None), (None, "not_json")]


@pytest.mark.parametrize("layout", ["array", "indented_array", "page_as_the_api_writes_it"])
def test_a_cut_off_array_gives_what_came_before_and_one_failure(tmp_path: Path, layout: str):
    path = tmp_path / "cut.json"
    for length in (len(LAYOUTS[layout]) * 3 // 4, len(LAYOUTS[layout]) * 9 // 10):
        path.write_bytes(LAYOUTS[layout][:length])
        assert shape(read(path)) == [(IDS[0], None), (IDS[1], None), (None, "truncated")]
    path.write_bytes(orjson.dumps(STUDIES)[:-1])
    assert shape(read(path)) == [*((key, None) for key in IDS), (None, "truncated")]


@pytest.mark.parametrize("layout", ["lines", "array", "indented_array"])
def test_a_truncated_gzip_gives_what_came_before_and_one_failure(tmp_path: Path, layout: str):
    many = study_records(300)
    content = {"lines": json_lines(many), "array": orjson.dumps(many), "indented_array": orjson.dumps(many, option=orjson.OPT_INDENT_2)}
    path = tmp_path / "cut.json.gz"
    whole = gzip.compress(content[layout])
    path.write_bytes(whole[: len(whole) // 2])
    records = read(path)
    assert len(records) > 50
    assert shape(records[:-1]) == [(invented_nct_id(index), None) for index in range(len(records) - 1)]
    assert shape(records[-1:]) == [(None, "truncated")]


def test_a_gzip_cut_off_right_after_its_last_record_is_still_truncated(tmp_path: Path):
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(json_lines(STUDIES))[:-8])  # the checksum is missing
    assert shape(read(path)) == [*((key, None) for key in IDS), (None, "truncated")]
    path.write_bytes(gzip.compress(json_lines(STUDIES))[:5])
    assert shape(read(path)) == [(None, "truncated")]


def test_a_damaged_gzip_is_named(tmp_path: Path):
    path = tmp_path / "damaged.jsonl.gz"
    wrong_checksum = bytearray(gzip.compress(json_lines(STUDIES)))
    wrong_checksum[-6] ^= 0xFF
    path.write_bytes(bytes(wrong_checksum))
    assert shape(read(path))[-1] == (None, "unreadable_file")
    path.write_bytes(b"\x1f\x8bnot gzip at all")
    assert shape(read(path)) == [(None, "unreadable_file")]
    path.write_bytes(gzip.compress(json_lines(STUDIES)) + b"trailing garbage")
    assert shape(read(path)) == [*((key, None) for key in IDS), (None, "unreadable_file")]


@pytest.mark.parametrize("layout", ["lines", "array"])
def test_an_over_long_record_is_passed_over(tmp_path: Path, layout: str):
    long = study_record(1, descriptionModule={"briefSummary": "x" * 300_000})
    studies = [STUDIES[0], long, STUDIES[2]]
    path = tmp_path / "long.json"
    path.write_bytes(json_lines(studies) if layout == "lines" else b"[" + b",\n".join(orjson.dumps(study) for study in studies) + b"]")
    records = read(path, max_record_bytes=100_000)
    assert shape(records) == [(IDS[0], None), (None, "too_large"), (IDS[2], None)]
    assert records[1].data == b""


def test_a_line_as_long_as_allowed_is_taken(tmp_path: Path):
    path = tmp_path / "exact.jsonl"
    line = orjson.dumps(study_record())
    path.write_bytes(line + b"\n")
    assert shape(read(path, max_record_bytes=len(line))) == [(IDS[0], None)]
    assert shape(read(path, max_record_bytes=len(line) - 1)) == [(None, "too_large")]


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_named(tmp_path: Path, content: bytes):
    path = tmp_path / "empty.json"
    path.write_bytes(content)
    records = read(path)
    assert shape(records) == [(None, "unreadable_file")]
    assert records[0].origin == "empty.json (empty)"


def test_an_empty_array_is_a_listing_without_studies(tmp_path: Path):
    path = tmp_path / "none.json"
    path.write_bytes(b"[]")
    assert read(path) == []


def test_an_unreadable_file_is_named_and_the_others_are_taken(tmp_path: Path):
    os.symlink(tmp_path / "gone", tmp_path / "a.json")
    (tmp_path / "b.jsonl").write_bytes(json_lines(STUDIES))
    records = read(tmp_path)
    assert shape(records) == [(None, "unreadable_file"), *((key, None) for key in IDS)]
    assert records[0].origin == "a.json"


def test_a_pipe_in_a_folder_is_named_and_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "a.json")
    (tmp_path / "b.jsonl").write_bytes(json_lines(STUDIES))
    records = read(tmp_path)
    assert shape(records) == [(None, "unreadable_file"), *((key, None) for key in IDS)]


def test_a_folder_that_links_to_itself_is_read_once(tmp_path: Path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.json").symlink_to("self.json")
    (tmp_path / "b.jsonl").write_bytes(json_lines(STUDIES))
    assert shape(read(tmp_path)) == [*((key, None) for key in IDS), (None, "unreadable_file")]


def test_a_folder_without_a_file_of_studies_is_named(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("nothing for us")
    records = read(tmp_path)
    assert shape(records) == [(None, "unreadable_file")]
    assert records[0].origin.endswith("(no file of studies in it)")


def test_a_file_gzipped_twice_is_read(tmp_path: Path):
    path = tmp_path / "twice.json.gz"
    path.write_bytes(gzip.compress(gzip.compress(json_lines(STUDIES))))
    assert taken(read(path)) == IDS


def test_lone_surrogates_and_deep_nesting_do_not_stop_the_run(tmp_path: Path):
    surrogate = json_lines(STUDIES[:1]).replace(b"Uritrol for Gout", b"Uritrol \\ud83d for Gout")
    deep = b'{"protocolSection": ' + b"[" * 5000 + b"]" * 5000 + b"}\n"
    fairly_deep = json_lines([study_record(1, extraModule={"x": "DEEP"})]).replace(b'"DEEP"', b"[" * 400 + b"]" * 400)
    for content in (surrogate + deep + fairly_deep, b"[" + b",\n".join((surrogate + deep + fairly_deep).splitlines()) + b"]"):
        path = tmp_path / "hostile.json"
        path.write_bytes(content)
        records = read(path)
        assert shape(records) == [(IDS[0], None), (None, "not_json"), (IDS[1], None)]
        assert b"\xed\xa0\xbd" in records[0].data  # the surrogate is kept; normalising repairs it


def test_origins_hold_the_file_name_only(tmp_path: Path):
    folder = tmp_path / "Jane Example"
    folder.mkdir()
    (folder / "x.json").write_bytes(b"oops")
    assert [record.origin for record in read(tmp_path)] == ["x.json line 1"]


def test_reads_the_real_sample(shared_data: Path):
    records = read(shared_data / "data" / "trials" / "studies.jsonl.gz", shared_data / "data" / "trials" / "studies_partial.jsonl.gz")
    assert len(records) > 1000
    assert {record.failure for record in records} == {None}
