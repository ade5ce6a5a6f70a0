"""Facts about the whole home, by name."""

from __future__ import annotations

from sqlalchemy import Connection, select

from pipeline.storage.tables import meta
from pipeline.storage.upsert import insert_or_ignore, insert_or_update


def get(tx: Connection, key: str) -> str | None:
    """Return a value, or ``None`` where it was never set."""
    value: str | None = tx.execute(select(meta.c.value).where(meta.c.key == key)).scalar_one_or_none()
    return value


def put(tx: Connection, key: str, value: str) -> None:
    """Set a value."""
    insert_or_update(tx, meta, [{"key": key, "value": value}], keys=["key"], update=["value"])


def put_once(tx: Connection, key: str, value: str) -> str:
    """Set a value unless there is one already, and return the one that holds (also where another process was first)."""
    insert_or_ignore(tx, meta, [{"key": key, "value": value}], keys=["key"])
    return get(tx, key) or value
