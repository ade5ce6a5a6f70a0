"""Vectors that were computed before, in a database of their own. It can be lost at any time: it only saves work."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from sqlalchemy import Column, LargeBinary, MetaData, Table, delete, select
from sqlalchemy.dialects import mysql
from sqlalchemy.schema import CreateTable

from pipeline.domain.errors import StoreCorruptError, StoreRejectedError
from pipeline.domain.identifiers import fingerprint as fingerprint_of
from pipeline.observability import log_event
from pipeline.storage.types import FINGERPRINT, SHA256, UtcDateTime
from pipeline.storage.upsert import insert_or_ignore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipeline.storage.engine import Database

_Result = TypeVar("_Result")
_Item = TypeVar("_Item")

# Hashes in one IN list: 20,000 vectors of 384 numbers were read in 0.2 s with 1,000; SQLite allows 32,766 variables.
_IN_BATCH: Final = 1000

# With a rowid: SQLite moves rows of this size out of a WITHOUT ROWID tree, which took twice the disk and three times the time.
embeddings: Final = Table(
    "embeddings",
    MetaData(),
    Column("fingerprint", FINGERPRINT, primary_key=True),  # of the embedder's own fingerprint, which may be long
    Column("text_hash", SHA256, primary_key=True),
    Column("vector", LargeBinary().with_variant(mysql.MEDIUMBLOB(), "mysql", "mariadb"), nullable=False),  # float32, little-endian
    Column("created_at", UtcDateTime, nullable=False),
)


class SqlEmbeddingCache:
    """An ``EmbeddingCache`` in a relational database.

    A damaged SQLite file is moved aside (``….damaged-<time>``), reported as ``cache_damaged``, and a new one begun.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._unless_damaged(self._make)

    def get_many(self, text_hashes: Iterable[str], *, fingerprint: str) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that are known, read-only, shape (dimensions,)."""
        wanted = list(dict.fromkeys(text_hashes))
        return self._unless_damaged(lambda: self._get(wanted, fingerprint_of(fingerprint)))

    def put_many(self, vectors: dict[str, NDArray[np.float32]], *, fingerprint: str) -> None:
        """Keep vectors; one that is there already stays."""
        now = datetime.now(UTC)
        key = fingerprint_of(fingerprint)
        rows = [
            {"text_hash": text_hash, "fingerprint": key, "vector": np.asarray(vector, dtype="<f4").tobytes(), "created_at": now}
            for text_hash, vector in sorted(vectors.items())  # in one order, so that two writers cannot deadlock
        ]
        self._unless_damaged(lambda: self._put(rows))

    def delete_many(self, text_hashes: Iterable[str]) -> int:
        """Forget the vectors of these texts by every model; returns how many there were."""
        return self._unless_damaged(lambda: self._delete(list(text_hashes)))

    def text_hashes(self) -> Iterator[str]:
        """Yield the hash of every text that has a vector, once for each model, in constant memory."""
        with self._db.read() as tx:
            yield from tx.execution_options(yield_per=_IN_BATCH).execute(select(embeddings.c.text_hash)).scalars()

    def scour(self) -> None:
        """Rewrite the file so that forgotten vectors cannot be read from it; see ``Database.scour``."""
        self._unless_damaged(self._db.scour)

    def _make(self) -> None:
        self._db.prepare()
        for last in (False, True):
            try:
                with self._db.begin() as tx:
                    tx.execute(CreateTable(embeddings, if_not_exists=True))
            except StoreRejectedError:  # PostgreSQL, when another process makes it at the same moment
                if last:
                    raise
            else:
                return

    def _get(self, wanted: list[str], key: str) -> dict[str, NDArray[np.float32]]:
        found: dict[str, NDArray[np.float32]] = {}
        query = select(embeddings.c.text_hash, embeddings.c.vector).where(embeddings.c.fingerprint == key)
        with self._db.read() as tx:
            for batch in _batches(wanted):
                for text_hash, vector in tx.execute(query.where(embeddings.c.text_hash.in_(batch))):
                    found[text_hash] = np.frombuffer(vector[: len(vector) // 4 * 4], dtype="<f4")
        return found

    def _put(self, rows: list[dict[str, Any]]) -> None:
        if rows:
            with self._db.begin() as tx:
                insert_or_ignore(tx, embeddings, rows, keys=["fingerprint", "text_hash"])

    def _delete(self, text_hashes: list[str]) -> int:
        count = 0
        with self._db.begin() as tx:
            for batch in _batches(text_hashes):
                count += tx.execute(delete(embeddings).where(embeddings.c.text_hash.in_(batch))).rowcount
        return count

    def _unless_damaged(self, work: Callable[[], _Result]) -> _Result:
        try:
            return work()
        except StoreCorruptError:
            path = self._db.path
            if path is None:
                raise
        self._db.dispose()
        aside = f"{path}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        os.replace(path, aside)
        for suffix in ("-wal", "-shm"):
            if os.path.exists(f"{path}{suffix}"):
                os.replace(f"{path}{suffix}", f"{aside}{suffix}")
        log_event("cache_damaged", level=logging.WARNING)
        self._make()
        return work()


def _batches(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _IN_BATCH)):
        yield batch
