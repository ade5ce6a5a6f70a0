"""Order-free digests of points: what a document's points, and a slice of all documents, add up to.

A point's digest is a keyless 128-bit hash of its id and its payload's hash; digests of points are added modulo 2^128. So a document's digest
says which points it must have with which payloads, whatever their order and a point twice is not the same as once; a slice's digest is the
sum of its documents', which truth can add up without looking at a single point (Bellare and Micciancio, 1997, "AdHash"; here against
accidents, not against somebody who searches for collisions).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final
from uuid import UUID

MODULUS: Final = 1 << 128

# Documents are sliced by the first bits of their ids, which are hashes. With 12 bits the sums of one side take 0.25 MB, and one fault makes 6 of
# 25,000 documents be compared (244 of 1,000,000 points). What a fault costs is the second reading, not the comparing: 16 bits would save none of it.
SLICE_BITS: Final = 12
SLICES: Final = 1 << SLICE_BITS

_CANONICAL: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_HEX_DIGITS: Final = SLICE_BITS // 4


def point_digest(point_id: UUID, payload_hash: str) -> int:
    """Return a point's own part of its document's digest. ``payload_hash`` is that of ``pipeline.domain.points``."""
    return int.from_bytes(hashlib.blake2b(point_id.bytes + payload_hash.encode("ascii"), digest_size=16).digest())


def digest_of(points: Iterable[tuple[UUID, str]]) -> str:
    """Return the digest of some points (id, payload's hash) as 32 hex digits."""
    return to_hex(sum(point_digest(point, content) for point, content in points))


def to_hex(total: int) -> str:
    """Return a sum of digests as 32 hex digits."""
    return f"{total % MODULUS:032x}"


def slice_of(document_id: UUID) -> int:
    """Return the slice that a document belongs to, from 0 to ``SLICES`` - 1."""
    return document_id.int >> (128 - SLICE_BITS)


def slice_of_text(document_id: object) -> int | None:
    """Return the slice of a document's id as payloads write it, ``None`` where it is not written so (some six times as fast)."""
    if isinstance(document_id, str) and _CANONICAL.match(document_id):
        return int(document_id[:_HEX_DIGITS], 16)
    return None


def slice_bounds(number: int) -> tuple[UUID, UUID]:
    """Return the first and the last id of a slice, both included."""
    width = 128 - SLICE_BITS
    return UUID(int=number << width), UUID(int=((number + 1) << width) - 1)
