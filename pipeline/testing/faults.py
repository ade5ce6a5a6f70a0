"""Faults of the stores, the clock and the ids, put between a job and what it uses: the job's own code runs unchanged.

A reader that asked its index before a fault began is not struck by it: it sees what the fault does to others.
"""

from __future__ import annotations

import errno
import itertools
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, cast
from unittest.mock import patch
from uuid import UUID

from sqlalchemy import event

from pipeline import wiring
from pipeline.domain import identifiers
from pipeline.domain.errors import StoreUnavailableError
from pipeline.domain.points import Point
from pipeline.domain.ports import IndexCatalog, VectorIndex
from pipeline.settings import Settings
from pipeline.storage import landing
from pipeline.storage.engine import Database

WRITES: Final = ("upsert", "set_payload", "delete_points", "delete_matching", "restore")
DELETES: Final = ("delete_points", "delete_matching")


class IndexFault(StrEnum):
    """What goes wrong between a job and the index."""

    NONE = "none: writes are counted and kept"
    LOST_ANSWER = "time-out, write applied"
    NEVER_SENT = "time-out, write not applied"
    TWICE = "every write delivered twice"
    DOWN = "index down from a write on"
    DOWN_AT_DELETE = "index down at every delete"


@dataclass
class Breaker:
    """How an index fails, and what it did.

    Attributes:
        fault: How.
        at: At which write, counted from 0 over all collections; faults that name none strike always.
        writes: The writes that jobs asked for, by name.
        struck: How often the fault struck.
        upserts: What was written, for a copy that comes late.
    """

    fault: IndexFault
    at: int = 0
    writes: list[str] = field(default_factory=list)
    struck: int = 0
    upserts: list[tuple[VectorIndex, list[Point]]] = field(default_factory=list, repr=False)

    def deliver_late(self) -> int:
        """Deliver every upsert once more, as a queue does that lost an acknowledgement. Returns how many points that were."""
        for index, points in self.upserts:
            index.upsert(points)
        return sum(len(points) for _, points in self.upserts)

    def write(self, name: str, index: VectorIndex, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Apply a write once, twice or not at all, and answer or not."""
        number = len(self.writes)
        self.writes.append(name)
        if name == "upsert":
            self.upserts.append((index, list(arguments[0])))
        method = getattr(index, name)
        match self.fault:
            case IndexFault.LOST_ANSWER if number == self.at:
                method(*arguments, **named)
            case IndexFault.NEVER_SENT if number == self.at:
                pass
            case IndexFault.DOWN if number >= self.at:
                pass
            case IndexFault.DOWN_AT_DELETE if name in DELETES:
                pass
            case IndexFault.TWICE:
                self.struck += 1
                method(*arguments, **named)
                return method(*arguments, **named)
            case _:
                return method(*arguments, **named)
        self.struck += 1
        raise StoreUnavailableError(f"the index did not answer ({name})")


class _FaultyCatalog:
    def __init__(self, inner: IndexCatalog, breaker: Breaker) -> None:
        self._inner = inner
        self._breaker = breaker

    def open(self, name: str) -> VectorIndex:
        return cast("VectorIndex", _FaultyIndex(self._inner.open(name), self._breaker))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _FaultyIndex:
    def __init__(self, inner: VectorIndex, breaker: Breaker) -> None:
        self._inner = inner
        self._breaker = breaker

    @contextmanager
    def session(self) -> Iterator[_FaultyIndex]:
        with self._inner.session():
            yield self

    def __getattr__(self, name: str) -> Any:
        if name in WRITES:
            return lambda *arguments, **named: self._breaker.write(name, self._inner, arguments, named)
        if self._breaker.fault is IndexFault.DOWN and len(self._breaker.writes) > self._breaker.at:
            raise StoreUnavailableError(f"the index did not answer ({name})")
        return getattr(self._inner, name)


@contextmanager
def broken_index(fault: IndexFault, at: int = 0) -> Iterator[Breaker]:
    """Put a fault between the index and every home that is opened within the block; one that has asked its index already is left alone."""
    breaker = Breaker(fault, at)
    real = wiring.open_catalog

    def faulty(settings: Settings) -> IndexCatalog:
        return cast("IndexCatalog", _FaultyCatalog(real(settings), breaker))

    with patch.object(wiring, "open_catalog", faulty):
        yield breaker


@contextmanager
def moved_clock(by: timedelta) -> Iterator[None]:
    """Let every job read a clock that is wrong by so much."""
    right = wiring.utc_now

    def wrong() -> datetime:
        return right() + by

    _replace_clock(right, wrong)
    try:
        yield
    finally:
        _replace_clock(wrong, right)


def _replace_clock(old: Callable[[], datetime], new: Callable[[], datetime]) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("pipeline.") and vars(module).get("utc_now") is old:
            vars(module)["utc_now"] = new


@contextmanager
def other_ids() -> Iterator[None]:
    """Let ids be made in another namespace, as a changed id scheme would."""
    with patch.object(identifiers, "NAMESPACE", UUID(int=identifiers.NAMESPACE.int ^ 1)):
        yield


@contextmanager
def other_model(version: str = "2") -> Iterator[None]:
    """Let every home that is opened within the block run another model of the same dimension, as after a wrong setting."""
    from pipeline.testing import night_jobs
    from pipeline.testing.embedder import HashEmbedder

    other = HashEmbedder(version=version)
    with (
        patch.object(wiring, "embedder_fingerprint", lambda _: other.fingerprint),
        patch.object(wiring, "open_embedder", lambda _: other),
        patch.object(night_jobs, "HashEmbedder", lambda: other),
    ):
        yield


@contextmanager
def full_index_disk() -> Iterator[None]:
    """Let the embedded index find less room on its disk than it keeps in reserve."""
    with patch("pipeline.index.edge_store.RESERVE_BYTES", 1 << 62):
        yield


@contextmanager
def full_database_disk(*, spare_pages: int) -> Iterator[None]:
    """Let SQLite databases that are opened within the block grow by so many pages (4 KiB) and no more: to SQLite, a full disk."""
    real = Database.open
    sizes: dict[str, int] = {}  # pages by database when it was first opened

    def limited(url: str) -> Database:
        db = real(url)

        @event.listens_for(db._engine, "connect")
        def limit(connection: Any, _: object) -> None:
            pages = sizes.setdefault(url, connection.execute("PRAGMA page_count").fetchone()[0])
            connection.execute(f"PRAGMA max_page_count={pages + spare_pages}")

        return db

    with patch.object(Database, "open", limited):
        yield


@contextmanager
def full_landing_disk(*, room_for: int = 0) -> Iterator[None]:
    """Let the landing's disk take so many more objects and then no more."""
    real = landing._write_local
    written = itertools.count()

    def write(*arguments: Any) -> None:
        if next(written) >= room_for:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(*arguments)

    with patch.object(landing, "_write_local", write):
        yield


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite database as a backup does, or a backup over the present one. Nobody writes meanwhile."""
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as other:
        one.backup(other)
