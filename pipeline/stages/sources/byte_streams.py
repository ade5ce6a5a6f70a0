"""Files as bounded chunks of decompressed bytes. Whether a file is gzipped is told by its first bytes, not by its name."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final, Protocol

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory

#: Bytes read at once: large enough to keep Python's share small, small beside one page of records.
CHUNK_BYTES: Final = 1024 * 1024
#: Bytes decompressed at once: bounds memory, and what is lost before the damage in a damaged gzip.
_INFLATED_BYTES: Final = 64 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_LAYERS: Final = 2  # a file that was gzipped and sent by a server that gzips what it sends
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS  # zlib's way to ask for a gzip header and its checksum
_BOM: Final = b"\xef\xbb\xbf"


class _Inflater(Protocol):
    """What ``zlib.decompressobj`` returns."""

    @property
    def eof(self) -> bool: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def read_chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file without gzip and byte-order mark. All that could be read comes before the error.

    Raises:
        RecordError: ``truncated``, or ``unreadable_file`` (damaged gzip, input/output error).
    """
    chunks = _raw_chunks(stream)
    head = _at_least(len(_BOM), chunks)
    for _ in range(_GZIP_LAYERS):
        if head.startswith(_GZIP_MAGIC):
            chunks = _inflated(_chain(head, chunks))
            head = _at_least(len(_BOM), chunks)
    yield from _chain(head.removeprefix(_BOM), chunks)


def _raw_chunks(stream: BinaryIO) -> Iterator[bytes]:
    while True:
        try:
            chunk = stream.read(CHUNK_BYTES)
        except OSError:
            raise RecordError(FailureCategory.UNREADABLE_FILE, "cannot be read") from None
        if not chunk:
            return
        yield chunk


def _at_least(size: int, chunks: Iterator[bytes]) -> bytes:
    """Return the first chunks joined until they hold ``size`` bytes, or all there is."""
    head = b""
    while len(head) < size and (chunk := next(chunks, b"")):
        head += chunk
    return head


def _chain(head: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from chunks


def _inflated(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress gzip members one after another; the size of each piece is bounded, so that a small file cannot fill memory."""
    member: _Inflater | None = None
    for chunk in chunks:
        data = chunk
        while data:
            if member is None:
                data = data.lstrip(b"\0")  # members may be padded with zeros
                if not data:
                    break
                member = zlib.decompressobj(_GZIP_WINDOW)
            try:
                yield from _pieces(member, data)
            except zlib.error:
                raise RecordError(FailureCategory.UNREADABLE_FILE, "damaged gzip") from None
            data = member.unused_data if member.eof else b""
            member = None if member.eof else member
    if member is not None:
        raise RecordError(FailureCategory.TRUNCATED, "gzip ends early")


def _pieces(member: _Inflater, data: bytes) -> Iterator[bytes]:
    while True:
        piece = member.decompress(data, _INFLATED_BYTES)
        if piece:
            yield piece
        data = member.unconsumed_tail
        if member.eof or (not data and len(piece) < _INFLATED_BYTES):
            return
