"""Citation tokens: which passage of which version was shown, in some 130 URL-safe characters, sealed by the site. No text is in them.

``c1.`` and base64url (RFC 4648, no padding) of: document id, generation, keyed hash of the text's version, keyed hash of the passage's
text, span, ordinal, piece, page, section and part, and 64 bits of HMAC-SHA256 over all of it. The hashes are keyed: a short passage cannot
be guessed from its token.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pipeline.domain.chunks import Chunk, Span, TextVersion
from pipeline.domain.errors import UsageError
from pipeline.domain.identifiers import keyed_hash
from pipeline.storage.citation_archive import text_key

_PREFIX: Final = "c1."  # the form's version
_HEAD: Final = struct.Struct(">16sI8s12sIIIHI")
_CHECK_BYTES: Final = 8  # a forger's one guess in 2^64
_LONGEST: Final = 400  # characters: the longest section and part are 64 bytes each
_REMEDY: Final = "Take the token of a hit as it is; `clindex search --json` shows it."

_NO_VERSION: Final = bytes(8)


@dataclass(frozen=True, slots=True)
class Cited:
    """What a token says.

    Attributes:
        version: Keyed hash of the text's version, 16 hex digits; empty: it was shown from a generation that was written before versions.
        text: Keyed hash of the passage's text, its parents' included (a lead-in may turn what it means), 24 hex digits.
        span: Half-open, characters of the de-identified part.
    """

    document_id: UUID
    generation: int
    version: str
    text: str
    span: Span
    ordinal: int
    piece: int
    page: int | None
    section: str
    part: str


def version_mark(secret: bytes, version: TextVersion | None) -> str:
    """Return the keyed hash by which tokens know a text's version; empty for none."""
    return keyed_hash(secret, "cited version", version.text)[:16] if version else ""


def text_mark(secret: bytes, key: str) -> str:
    """Return the keyed hash by which tokens know a passage; ``key``: of ``citation_archive.text_key``."""
    return keyed_hash(secret, "cited text", key)[:24]


def token_of(secret: bytes, document_id: UUID, generation: int, chunk: Chunk, version: TextVersion | None) -> str:
    """Return the token of a passage."""
    text = text_mark(secret, text_key(chunk.text))
    mark = version_mark(secret, version)
    return write_token(
        secret,
        Cited(document_id, generation, mark, text, chunk.span, chunk.ordinal, chunk.piece, chunk.page, chunk.section.value, chunk.part),
    )


def write_token(secret: bytes, cited: Cited) -> str:
    """Return the token that says this."""
    head = _HEAD.pack(
        cited.document_id.bytes,
        cited.generation,
        bytes.fromhex(cited.version) or _NO_VERSION,
        bytes.fromhex(cited.text),
        cited.span.start,
        cited.span.end,
        cited.ordinal,
        cited.piece,
        cited.page or 0,
    )
    body = head + f"{cited.section}\0{cited.part}".encode()
    return _PREFIX + urlsafe_b64encode(body + _check(secret, body)).decode("ascii").rstrip("=")


def read_token(secret: bytes, token: str) -> Cited:
    """Return what a token says.

    Raises:
        UsageError: It is none, or none that this site made. The message does not quote it.
    """
    packed = _bytes(token)
    body, check = packed[:-_CHECK_BYTES], packed[-_CHECK_BYTES:]
    if not hmac.compare_digest(check, _check(secret, body)):
        raise UsageError("this citation was not made by this site, or was altered", remedy=_REMEDY)
    document, generation, version, text, start, end, ordinal, piece, page = _HEAD.unpack_from(body)
    section, _, part = body[_HEAD.size :].decode().partition("\0")
    return Cited(
        UUID(bytes=document),
        generation,
        "" if version == _NO_VERSION else version.hex(),
        text.hex(),
        Span(start, end),
        ordinal,
        piece,
        page or None,
        section,
        part,
    )


def _bytes(token: str) -> bytes:
    """Return a token's bytes. One spelling alone is read: base64 has others of the same bytes."""
    digits = token.removeprefix(_PREFIX)
    try:
        packed = urlsafe_b64decode(digits + "=" * (-len(digits) % 4)) if token.startswith(_PREFIX) and len(token) <= _LONGEST else b""
    except (binascii.Error, ValueError):
        packed = b""
    if len(packed) < _HEAD.size + _CHECK_BYTES or urlsafe_b64encode(packed).decode("ascii").rstrip("=") != digits:
        raise UsageError("this is no citation token", remedy=_REMEDY)
    return packed


def _check(secret: bytes, body: bytes) -> bytes:
    return hmac.new(secret, b"citation token 1\0" + body, hashlib.sha256).digest()[:_CHECK_BYTES]
