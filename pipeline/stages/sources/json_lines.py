"""JSON Lines as chunks in, numbered lines out: one line in memory at a time, over-long ones never whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory

TOO_LARGE: Final = RecordError(FailureCategory.TOO_LARGE, "line is larger than max_record_bytes")


def lines_of(chunks: Iterator[bytes], *, max_bytes: int) -> Iterator[tuple[int, bytes | RecordError]]:
    """Yield each line that is not blank with its number, counted from 1, and the error the stream ended with, if any.

    A line of more than ``max_bytes`` is passed over and yields a ``too_large`` error. A line that a failing stream cut
    off is not yielded.
    """
    number = 1
    parts: list[bytes] = []  # the line that has begun
    size = 0
    try:
        for chunk in chunks:
            *ended, rest = chunk.split(b"\n")
            for piece in ended:
                yield from _line(number, parts, size, piece, max_bytes)
                number, parts, size = number + 1, [], 0
            size += len(rest)
            parts = [*parts, rest] if size <= max_bytes else []
    except RecordError as error:
        yield number, error
        return
    yield from _line(number, parts, size, b"", max_bytes)


def _line(number: int, parts: list[bytes], size: int, piece: bytes, max_bytes: int) -> Iterator[tuple[int, bytes | RecordError]]:
    if size + len(piece) > max_bytes:
        yield number, TOO_LARGE
        return
    line = b"".join((*parts, piece)).strip()
    if line:
        yield number, line
