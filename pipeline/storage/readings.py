"""Where the reading of a file lies in landing, so that nothing is read twice by one version of the reader."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from pipeline.storage.tables import readings
from pipeline.storage.upsert import insert_or_update


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """One reading: its artifact in landing, and what it cost."""

    reading_key: str
    artifact_sha256: str
    seconds: float
    peak_bytes: int


def find_reading(tx: Connection, reading_key: str) -> ReadingRow | None:
    """Return a reading, or ``None`` where the file was never read so."""
    row = tx.execute(select(readings).where(readings.c.reading_key == reading_key)).one_or_none()
    return None if row is None else ReadingRow(row.reading_key, row.artifact_sha256, row.seconds, row.peak_bytes)


def keep_reading(tx: Connection, reading: ReadingRow, now: datetime) -> None:
    """Keep a reading; a second one of the same key takes its place."""
    row = {
        "reading_key": reading.reading_key,
        "artifact_sha256": reading.artifact_sha256,
        "read_at": now,
        "seconds": reading.seconds,
        "peak_bytes": reading.peak_bytes,
    }
    insert_or_update(tx, readings, [row], keys=["reading_key"], update=("artifact_sha256", "read_at", "seconds", "peak_bytes"))
