"""One file of studies in, its records out, whatever the layout: lines, array, API page, one study; gzipped or not."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import BinaryIO, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.ports import FetchedRecord
from pipeline.domain.vocabulary import FailureCategory
from pipeline.json_bytes import read_json
from pipeline.stages.sources.byte_streams import read_chunks
from pipeline.stages.sources.json_lines import lines_of
from pipeline.stages.sources.json_values import PAGE_START, values_of
from pipeline.stages.sources.records import failed, records_of

#: Bytes by which the layout is told. A first line longer than this is a whole record.
_SNIFFED_BYTES: Final = 64 * 1024


class Layout(StrEnum):
    """How the studies stand in a file."""

    LINES = "lines"  # one JSON text a line
    VALUES = "values"  # one JSON text over many lines: an array, a page, a study


def read_studies(stream: BinaryIO, *, name: str, max_record_bytes: int) -> Iterator[FetchedRecord]:
    """Yield the records of one file. What cannot be read becomes a failed record; nothing is raised.

    Args:
        stream: The file, open for reading bytes.
        name: What people call the file; stands in every record's origin.
        max_record_bytes: A larger line or element is passed over as ``too_large``.
    """
    chunks = read_chunks(stream)
    head = _head(chunks)
    if not head.data.strip() and head.error is None:
        yield failed(FailureCategory.UNREADABLE_FILE, f"{name} (empty)")
        return
    if layout_of(head.data) is Layout.LINES:
        yield from _from_lines(head.rest(chunks), name, max_record_bytes)
    else:
        yield from _from_values(head.rest(chunks), name, max_record_bytes)


class _Head:
    """The first bytes of a file, and the error that stands right behind them, if any."""

    def __init__(self) -> None:
        self.data = b""
        self.error: RecordError | None = None

    def rest(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the whole file, these bytes first."""
        yield self.data
        if self.error is not None:
            raise self.error
        yield from chunks


def _head(chunks: Iterator[bytes]) -> _Head:
    head = _Head()
    try:
        while len(head.data) < _SNIFFED_BYTES and (chunk := next(chunks, b"")):
            head.data += chunk
    except RecordError as error:
        head.error = error
    return head


def layout_of(head: bytes) -> Layout:
    """Tell a file's layout by its first bytes."""
    start = head.lstrip()
    if start.startswith(b"["):
        return Layout.VALUES
    if not start.startswith(b"{"):
        return Layout.LINES  # no JSON of ours: line by line, each of them fails by itself
    if PAGE_START.match(start[:_SNIFFED_BYTES].decode("utf-8", "replace")):
        return Layout.VALUES
    first, _, after = start.partition(b"\n")
    if not after or first.rstrip().endswith(b"}") or after.lstrip().startswith(b"{"):
        return Layout.LINES
    return Layout.VALUES


def _from_lines(chunks: Iterator[bytes], name: str, max_record_bytes: int) -> Iterator[FetchedRecord]:
    for number, line in lines_of(chunks, max_bytes=max_record_bytes):
        origin = f"{name} line {number}"
        if isinstance(line, RecordError):
            yield failed(line.category, origin)
            continue
        try:
            value = read_json(line)
        except RecordError as error:
            yield failed(error.category, origin, data=line)
            continue
        yield from records_of(value, origin=origin)


def _from_values(chunks: Iterator[bytes], name: str, max_record_bytes: int) -> Iterator[FetchedRecord]:
    for number, value in values_of(chunks, max_bytes=max_record_bytes):
        origin = f"{name} study {number}"
        if isinstance(value, RecordError):
            yield failed(value.category, origin)
        else:
            yield from records_of(value, origin=origin)
