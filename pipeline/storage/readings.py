"""Where the reading of a file lies in landing, so that nothing is read twice by one version of the reader."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, delete, select

from pipeline.domain.identifiers import keyed_hash
from pipeline.storage.tables import readings
from pipeline.storage.upsert import insert_or_update

_IN_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """One reading: its artifact in landing, and what it cost. ``content_key``: keyed hash of the file's content (``content_key_of``)."""

    reading_key: str
    artifact_sha256: str
    seconds: float
    peak_bytes: int
    content_key: str | None = None


def content_key_of(secret: bytes, content_sha256: str) -> str:
    """Return by what all readings of one content are found, whatever read it."""
    return keyed_hash(secret, "content", content_sha256)


def find_reading(tx: Connection, reading_key: str) -> ReadingRow | None:
    """Return a reading, or ``None`` where the file was never read so."""
    row = tx.execute(select(readings).where(readings.c.reading_key == reading_key)).one_or_none()
    return None if row is None else _row(row)


def keep_reading(tx: Connection, reading: ReadingRow, now: datetime) -> None:
    """Keep a reading; a second one of the same key takes its place."""
    row = {
        "reading_key": reading.reading_key,
        "artifact_sha256": reading.artifact_sha256,
        "read_at": now,
        "seconds": reading.seconds,
        "peak_bytes": reading.peak_bytes,
        "content_key": reading.content_key,
    }
    insert_or_update(
        tx, readings, [row], keys=["reading_key"], update=("artifact_sha256", "read_at", "seconds", "peak_bytes", "content_key")
    )


def readings_of(tx: Connection, content_keys: Collection[str]) -> list[ReadingRow]:
    """Return every reading of these contents, and those that were kept before contents were: nobody can say any more whose these are."""
    keys = sorted(set(content_keys))
    if not keys:
        return []
    found = list(tx.execute(select(readings).where(readings.c.content_key.is_(None))))
    for start in range(0, len(keys), _IN_BATCH):
        found += tx.execute(select(readings).where(readings.c.content_key.in_(keys[start : start + _IN_BATCH])))
    return [_row(row) for row in found]


def forget_readings(tx: Connection, reading_keys: Sequence[str]) -> int:
    """Forget readings; returns how many there were."""
    count = 0
    for start in range(0, len(reading_keys), _IN_BATCH):
        count += tx.execute(delete(readings).where(readings.c.reading_key.in_(reading_keys[start : start + _IN_BATCH]))).rowcount
    return count


def _row(row: Any) -> ReadingRow:
    return ReadingRow(row.reading_key, row.artifact_sha256, row.seconds, row.peak_bytes, row.content_key)
