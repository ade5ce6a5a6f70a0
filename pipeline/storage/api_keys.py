"""Keys of the HTTP API: made, found by their public part, revoked. The key itself is stored nowhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from pipeline.storage.retrieval_tables import api_keys


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key. ``labels``, ``departments``, ``patients``: what it is limited to; ``None``: not limited by it."""

    key_id: str
    name: str
    role: str
    digest: str = field(repr=False)  # keyed hash of the whole key
    created_at: datetime
    labels: tuple[str, ...] | None = None
    departments: tuple[str, ...] | None = None
    patients: tuple[str, ...] | None = None  # pseudonyms
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Whether it opens anything at a moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def add(tx: Connection, key: ApiKey) -> None:
    """Keep a new key."""
    values = {name: getattr(key, name) for name in ApiKey.__dataclass_fields__}
    limits = {name: None if values[name] is None else list(values[name]) for name in ("labels", "departments", "patients")}
    tx.execute(insert(api_keys).values({**values, **limits}))


def get(tx: Connection, key_id: str) -> ApiKey | None:
    """Return a key, revoked and expired ones too, or ``None``."""
    row = tx.execute(select(api_keys).where(api_keys.c.key_id == key_id)).one_or_none()
    return None if row is None else _key(row)


def listed(tx: Connection) -> list[ApiKey]:
    """Return every key there ever was, the newest first."""
    return [_key(row) for row in tx.execute(select(api_keys).order_by(api_keys.c.created_at.desc(), api_keys.c.key_id))]


def any_made(tx: Connection) -> bool:
    """Whether a key was ever made: that the last one was revoked must not open what it closed."""
    return tx.execute(select(api_keys.c.key_id).limit(1)).one_or_none() is not None


def revoke(tx: Connection, key_id: str, now: datetime) -> bool:
    """Let a key open nothing from this commit on. Returns whether it opened something until now."""
    active = api_keys.c.key_id == key_id, api_keys.c.revoked_at.is_(None)
    return tx.execute(update(api_keys).where(*active).values(revoked_at=now)).rowcount == 1


def _key(row: Any) -> ApiKey:
    values = dict(row._mapping)
    limits = {name: None if values[name] is None else tuple(values[name]) for name in ("labels", "departments", "patients")}
    return ApiKey(**{**values, **limits})
