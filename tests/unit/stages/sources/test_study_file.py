"""What holds for every file: how it is cut into reads changes nothing, and no bytes raise."""

from __future__ import annotations

import gzip
import io

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.stages.sources import byte_streams
from pipeline.stages.sources.json_lines import lines_of
from pipeline.stages.sources.json_values import values_of
from pipeline.stages.sources.study_file import Layout, layout_of, read_studies
from pipeline.testing.studies import study_records

SMALL = [
    {"protocolSection": {"identificationModule": {"nctId": f"NCT9000000{number}", "briefTitle": 'µ \\ " 😀 [{'}}} for number in range(3)
]
ARRAY = orjson.dumps(SMALL, option=orjson.OPT_INDENT_2)
PAGE = b'{"totalCount": 3, "studies": ' + ARRAY + b', "nextPageToken": "x"}'
LINES = b"\n".join(orjson.dumps(study) for study in SMALL) + b"\r\n"


def cut(content: bytes, size: int):
    return (content[start : start + size] for start in range(0, len(content), size))


@pytest.mark.parametrize("content", [ARRAY, PAGE, LINES])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_values_do_not_depend_on_how_they_were_read(content: bytes, size: int):
    assert [value for _, value in values_of(cut(content, size), max_bytes=10_000)] == SMALL


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_lines_do_not_depend_on_how_they_were_read(size: int):
    assert list(lines_of(cut(LINES, size), max_bytes=10_000)) == [
        (number, orjson.dumps(study)) for number, study in enumerate(SMALL, start=1)
    ]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_an_over_long_line_is_passed_over_however_it_was_read(size: int):
    content = b"short\n" + b"x" * 50 + b"\nalso short\n" + b"y" * 50
    found = [(number, line if isinstance(line, bytes) else line.category) for number, line in lines_of(cut(content, size), max_bytes=20)]
    assert found == [(1, b"short"), (2, "too_large"), (3, b"also short"), (4, "too_large")]


@pytest.mark.parametrize(
    ("head", "layout"),
    [
        (b'  \n[{"a"', Layout.VALUES),
        (b'{"studies": [', Layout.VALUES),
        (b'{\n  "protocolSection"', Layout.VALUES),
        (b'{"a": 1}\n{"b": 2}', Layout.LINES),
        (b'{"a": ', Layout.LINES),
        (b'{"a": oops\n\n{"b": 2}', Layout.LINES),
        (b"Dear Jane,\n[", Layout.LINES),
        (b'{"studies": "none"}\n{}', Layout.LINES),
        (b"", Layout.LINES),
    ],
)
def test_tells_the_layout(head: bytes, layout: Layout):
    assert layout_of(head) is layout


@pytest.mark.parametrize("layout", ["lines", "array", "page"])
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_damaged_files_never_raise(layout: str, data: st.DataObject):
    content = bytearray({"lines": LINES, "array": ARRAY, "page": PAGE}[layout])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    whole = bytes(content[: data.draw(st.integers(0, len(content)))])
    for stored in (whole, gzip.compress(whole)[: data.draw(st.integers(0, 400))]):
        for record in read_studies(io.BytesIO(stored), name="x", max_record_bytes=10_000):
            assert (record.source_key is None) == (record.failure is not None)


def test_a_gzip_bomb_stays_small_in_memory():
    bomb = gzip.compress(b"\n" * 50_000_000)
    largest = max(len(chunk) for chunk in byte_streams.read_chunks(io.BytesIO(bomb)))
    assert largest <= 64 * 1024 + 3


def test_an_input_output_error_on_the_way_is_one_failure_after_what_was_read():
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 0:
                raise OSError(5, "Input/output error", "/secret/Jane Example.json")
            return super().read(size)

    content = b"\n".join(orjson.dumps(study) for study in study_records(2)) + b"\n"
    records = list(read_studies(Failing(content), name="x.jsonl", max_record_bytes=100_000))
    assert [record.failure for record in records] == [None, None, "unreadable_file"]
    assert "Jane" not in repr(records)
