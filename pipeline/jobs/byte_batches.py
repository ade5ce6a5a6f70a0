"""A listing's changed files in, stretches of keys of about equal bytes out: a folder of scans takes as long as its bytes, not its files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pipeline.domain.errors import StoreCorruptError
from pipeline.domain.site_files import LandedFile
from pipeline.jobs.fetch import KeyRange
from pipeline.json_bytes import read_json
from pipeline.storage import crawls
from pipeline.storage.crawls import ListedRecord
from pipeline.wiring import Services

#: What a file costs beside its bytes, in bytes: a process is started for it (0.5 s, about the OCR of a fifth of a page of 100 kB).
_BYTES_A_FILE: Final = 20_000


def byte_ranges(services: Services, crawl_id: UUID, *, max_bytes: int, max_batches: int) -> list[KeyRange]:
    """Cut the changed files of a listing into stretches of at most ``max_bytes`` (a larger file is alone), or more if they were too many.

    Sizes stand in the files' manifests, which the listing has just landed.
    """
    with services.db.read() as tx:
        changed = sorted(crawls.changed(tx, crawl_id), key=lambda record: record.source_key)
    sizes = [(record.source_key, _size(services, record) + _BYTES_A_FILE) for record in changed]
    return balanced(sizes, max_bytes=max_bytes, max_batches=max_batches)


def balanced(sizes: Sequence[tuple[str, int]], *, max_bytes: int, max_batches: int) -> list[KeyRange]:
    """Cut keys in ascending order, each with its bytes, into at most ``max_batches`` stretches.

    Two neighbours together pass the limit, or they were one: with twice the mean as limit there are never too many.
    """
    if not sizes:
        return []
    limit = max(max_bytes, -(-2 * sum(size for _, size in sizes) // max_batches))
    ranges: list[KeyRange] = []
    first, held = sizes[0][0], 0
    last = first
    for key, size in sizes:
        if held and held + size > limit:
            ranges.append(KeyRange(first, last))
            first, held = key, 0
        last, held = key, held + size
    return [*ranges, KeyRange(first, last)]


def _size(services: Services, record: ListedRecord) -> int:
    """Return a file's bytes; of one whose manifest cannot be had, nothing: taking it fails by name."""
    try:
        return LandedFile.of(read_json(services.landing.get(record.payload_sha256))).size
    except (KeyError, StoreCorruptError):
        return 0
