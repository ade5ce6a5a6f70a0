"""Lines of an export's file as they come, in flat memory; a file that was cut is asked for again and goes on behind what came."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import BinaryIO, Final, cast

from pipeline.domain.errors import RecordError, SourceProtocolError
from pipeline.stages.sources.byte_streams import read_chunks
from pipeline.stages.sources.fhir.server import NAME, FhirServer
from pipeline.stages.sources.json_lines import lines_of
from pipeline.stages.sources.polite_http import PassingFaultError

#: A line holds one resource; attachments in base64 make it large.
MAX_LINE_BYTES: Final = 64 * 1024 * 1024

Line = bytes | RecordError


def lines_at(server: FhirServer, url: str, *, with_token: bool) -> Iterator[tuple[int, Line]]:
    """Yield each line that is not blank with its number, counted from 1.

    Raises:
        RefusedStatusError: The link is over, or not for us.
        SourceUnavailableError: No answer, after all attempts without a new line between them.
        SourceProtocolError: It was cut each time, or is another file than before.
    """
    came = _Came()
    while True:
        try:
            with server.open(url, with_token=with_token) as pieces:
                yield from came.behind(lines_of(read_chunks(cast(BinaryIO, _Reader(pieces))), max_bytes=MAX_LINE_BYTES))
        except PassingFaultError as fault:
            came.attempts += 1
            if came.attempts >= server.http.limits.attempts:
                raise fault.error from None
            server.http.pause(came.attempts, fault)
        else:
            return


class _Came:
    """Which lines of a file came before it was cut."""

    def __init__(self) -> None:
        self.attempts = 0
        self._count = 0
        self._digest = hashlib.sha256()

    def behind(self, lines: Iterator[tuple[int, Line]]) -> Iterator[tuple[int, Line]]:
        """Yield the lines that have not come yet."""
        skip, again = self._count, hashlib.sha256()
        place = 0
        for place, (number, line) in enumerate(lines, start=1):
            mark = b"\n" + (line if isinstance(line, bytes) else line.category.encode())
            if place > skip:
                self._digest.update(mark)
                self._count, self.attempts = place, 0
                yield number, line
                continue
            again.update(mark)
            if place == skip and again.digest() != self._digest.digest():
                raise _changed()
        if place < skip:
            raise _changed()


class _Reader:
    """Pieces of an answer as a stream with ``read``."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def read(self, size: int) -> bytes:
        """Return the next piece, of whatever size; empty at the end."""
        del size
        return next(self._pieces, b"")


def _changed() -> SourceProtocolError:
    return SourceProtocolError(f"a file of {NAME} changed while it was read", remedy="Run again: a new export is begun.")
