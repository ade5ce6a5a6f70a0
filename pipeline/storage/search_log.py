"""The log of searches: who asked when, for what (a keyed hash), and which documents were shown. Only ever added to.

Each row holds the hash of the one before and a seal that needs the site's secret; the newest row's number and hash stand, sealed, in
``meta`` too. A row that is changed, removed or put in between breaks the chain; one taken from the end is missed by the head. Rows hold
ids, counts, enum values and keyed hashes: a deletion of documents has nothing to remove here.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, func, insert, select

from pipeline.domain.errors import StoreCorruptError
from pipeline.domain.identifiers import canonical_json, sha256_hex
from pipeline.storage import meta
from pipeline.storage.retrieval_tables import search_log
from pipeline.storage.tables import meta as meta_table

#: ``previous`` of the first row.
NO_PREVIOUS: Final = "0" * 64

_HEAD_KEY: Final = "search_log_head"


@dataclass(frozen=True, slots=True)
class Entry:
    """One answered request.

    Attributes:
        search_id: What feedback names it by.
        key_id: Public part of the key; ``None``: without a key.
        query_hash: HMAC-SHA256 of the query by the site's secret; ``None``: the endpoint takes none.
        filters: What was asked besides: closed vocabularies as they are, other values as keyed hashes.
        documents: Ids, in the order shown.
        hits: How many were shown; several may be of one document.
    """

    search_id: UUID
    at: datetime
    key_id: str | None
    role: str
    endpoint: str
    query_hash: str | None
    filters: Mapping[str, Any]
    documents: tuple[UUID, ...]
    hits: int


@dataclass(frozen=True, slots=True)
class LogRow:
    """One row as it is stored."""

    number: int
    entry: Entry
    previous: str
    hash: str
    seal: str


@dataclass(frozen=True, slots=True)
class Head:
    """The newest row, as it was recorded beside the chain."""

    number: int
    hash: str
    seal: str


def append(tx: Connection, entry: Entry, *, secret: bytes) -> int:
    """Add a row and make it the chain's head. Returns its number. Writers go one after the other until they commit.

    Raises:
        StoreCorruptError: The head cannot be read, or is gone although there are rows.
    """
    _wait_for_turn(tx)
    before = head(tx)
    if before is None and count(tx):
        raise StoreCorruptError(
            "the head of the log of searches is gone", remedy="`clindex audit verify`; docs/serving.md says how to go on."
        )
    number, previous = (before.number + 1, before.hash) if before else (1, NO_PREVIOUS)
    digest = hash_of(number, entry, previous)
    values = {name: getattr(entry, name) for name in Entry.__dataclass_fields__}
    stored = {**values, "filters": dict(entry.filters), "documents": [str(one) for one in entry.documents]}
    tx.execute(insert(search_log).values(number=number, previous=previous, hash=digest, seal=seal_of(secret, digest), **stored))
    put_head(tx, Head(number, digest, head_seal_of(secret, number, digest)))
    return number


def _wait_for_turn(tx: Connection) -> None:
    """Lock the head's row until the transaction ends. SQLite has one writer at a time anyway."""
    if tx.dialect.name == "sqlite":
        return
    query = select(meta_table.c.key).where(meta_table.c.key == _HEAD_KEY).with_for_update()
    if tx.execute(query).one_or_none() is None:
        meta.put_once(tx, _HEAD_KEY, "")
        tx.execute(query).one_or_none()


def put_head(tx: Connection, newest: Head) -> None:
    """Record the chain's head."""
    meta.put(tx, _HEAD_KEY, json.dumps({"number": newest.number, "hash": newest.hash, "seal": newest.seal}))


def head(tx: Connection) -> Head | None:
    """Return what was recorded as the head; ``None`` where nothing was ever logged.

    Raises:
        StoreCorruptError: What stands there is none.
    """
    stored = meta.get(tx, _HEAD_KEY)
    if not stored:
        return None
    try:
        values = json.loads(stored)
        return Head(int(values["number"]), str(values["hash"]), str(values["seal"]))
    except (ValueError, KeyError, TypeError):
        raise StoreCorruptError("the head of the log of searches cannot be read", remedy="docs/serving.md says how to go on.") from None


def count(tx: Connection) -> int:
    """Return how many rows there are."""
    rows: int = tx.execute(select(func.count()).select_from(search_log)).scalar_one()
    return rows


def rows_of(tx: Connection) -> Iterator[LogRow]:
    """Yield all rows in the chain's order, in constant memory.

    Raises:
        ValueError: A row holds what no row can (an id that is none). Holds no value.
    """
    for row in tx.execution_options(yield_per=2000).execute(select(search_log).order_by(search_log.c.number)):
        yield _row(row)


def find(tx: Connection, search_id: UUID) -> LogRow | None:
    """Return the row of one search, or ``None``."""
    row = tx.execute(select(search_log).where(search_log.c.search_id == search_id)).one_or_none()
    return None if row is None else _row(row)


def hash_of(number: int, entry: Entry, previous: str) -> str:
    """Return what a row's hash must be."""
    body = {
        "number": number,
        "previous": previous,
        "search_id": str(entry.search_id),
        "at": entry.at.astimezone(UTC).isoformat(),
        "key_id": entry.key_id,
        "role": entry.role,
        "endpoint": entry.endpoint,
        "query_hash": entry.query_hash,
        "filters": dict(entry.filters),
        "documents": [str(one) for one in entry.documents],
        "hits": entry.hits,
    }
    return sha256_hex(canonical_json(body))


def seal_of(secret: bytes, digest: str) -> str:
    """Return the seal of a row's hash."""
    return _hmac(secret, f"clindex search log\0{digest}")


def head_seal_of(secret: bytes, number: int, digest: str) -> str:
    """Return the seal of the head: without the secret nobody can name an earlier row the last."""
    return _hmac(secret, f"clindex search log head\0{number}\0{digest}")


def _hmac(secret: bytes, message: str) -> str:
    return hmac.new(secret, message.encode(), hashlib.sha256).hexdigest()


def _row(row: Any) -> LogRow:
    values = dict(row._mapping)
    own = {name: values.pop(name) for name in ("number", "previous", "hash", "seal")}
    try:
        documents = tuple(UUID(one) for one in values["documents"])
    except (ValueError, TypeError, AttributeError):
        raise ValueError("a row's documents are no ids") from None
    return LogRow(entry=Entry(**{**values, "documents": documents}), **own)
