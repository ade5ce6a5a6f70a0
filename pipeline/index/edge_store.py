"""One embedded index in one process: who may use it now, whether it is open, and when it is closed.

All adapters of a folder share one store. Within the process one thread at a time has it; between processes ``lock`` decides. The shard is
opened at first use and closed when the outermost session ends, or, for a process that lingers, when somebody waits; until then what it
wrote is flushed at the end of each session.
"""

from __future__ import annotations

import atexit
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import qdrant_edge as edge

from pipeline.domain.errors import ClindexError, CollectionMissingError, StoreBusyError, StoreUnavailableError
from pipeline.domain.points import CollectionSpec
from pipeline.index.edge_errors import edge_errors
from pipeline.index.edge_files import EdgeFiles
from pipeline.index.lock import IndexLock

# How often a lingering process looks whether somebody waits: small beside the 0.3 s that opening 20,000 points takes.
LINGER_POLL_SECONDS: Final = 0.05

# Two segments of Edge's log (32 MB each, made as holes in a file) and one batch of points.
RESERVE_BYTES: Final = 96 * 2**20


class EdgeStore:
    """The shard of one folder in this process. Get it from ``shared_store``."""

    def __init__(self, folder: Path, name: str) -> None:
        self.files = EdgeFiles(folder, name)
        self._lock = IndexLock(folder, name)
        self._gate = threading.Lock()
        self._owner: int | None = None
        self._depth = 0
        self._shard: edge.EdgeShard | None = None
        self._spec: CollectionSpec | None = None
        self._queue = 0  # threads of this process at the gate
        self._queue_gate = threading.Lock()
        self._lingering = False
        self._keep_open = False
        self._watching = False
        self._written = False
        self._vacuum = False

    @contextmanager
    def held(self, timeout_seconds: float, *, linger: bool = False) -> Iterator[None]:
        """Have the store to oneself; re-entrant within one thread.

        Raises:
            StoreBusyError: Another thread or process held it all the time.
        """
        self._enter(timeout_seconds)
        try:
            yield
        finally:
            self._leave(linger=linger)

    def open(self) -> tuple[edge.EdgeShard, CollectionSpec]:
        """Return the open shard and its spec; only while ``held``.

        Raises:
            CollectionMissingError: There is no collection here.
            StoreCorruptError: The shard cannot be opened.
        """
        if self._shard is None or self._spec is None:
            spec = self.files.read_spec()
            if spec is None or not self.files.shard.is_dir():
                raise missing(self.files.name)
            self._shard, self._spec = self.files.load_shard(), spec
        return self._shard, self._spec

    def written(self, *, deleted: bool = False) -> None:
        """Say that the shard is about to be changed: it is flushed when the session ends, and freed of deleted points if these are many.

        Raises:
            StoreUnavailableError: The disk is nearly full.
        """
        require_space(self.files.folder)
        self._written = True
        self._vacuum |= deleted

    def expunge(self, spec: CollectionSpec) -> None:
        """Leave no byte of deleted points in the shard's files; only while ``held``. Killed half-way it is done again by the next call."""
        self._vacuum = False
        self.close_shard()
        self.files.expunge(spec)

    def close_shard(self) -> None:
        """Close the shard if it is open (closing writes everything to disk); only while ``held``."""
        shard = self._shard
        try:
            self._vacuum_shard()
        finally:
            self._shard, self._spec = None, None
            self._written = False
            if shard is not None:
                with edge_errors("close the index"):
                    shard.close()

    def _vacuum_shard(self) -> None:
        """Drop deleted points where there are many."""
        vacuum, self._vacuum = self._vacuum, False
        if vacuum and self._shard is not None:
            with edge_errors("drop deleted points"):
                self._shard.optimize()

    def _flush(self) -> None:
        """Write to disk what was written since the last flush; the shard stays open."""
        if self._written and self._shard is not None:
            self._vacuum_shard()
            with edge_errors("flush the index"):
                self._shard.flush()
        self._written = False

    def forget_shard(self) -> None:
        """Close the shard, damaged or not; only while ``held`` and before its files are removed."""
        with suppress(ClindexError):
            self.close_shard()

    def _enter(self, timeout_seconds: float) -> None:
        if self._owner == threading.get_ident():
            self._depth += 1
            return
        deadline = time.monotonic() + timeout_seconds
        self._pass_gate(timeout_seconds)
        try:
            if not self._lock.is_held:  # kept after an earlier session
                self._lock.acquire(max(0.0, deadline - time.monotonic()))
        except BaseException:
            self._gate.release()
            raise
        self._lingering = False
        self._owner, self._depth = threading.get_ident(), 1

    def _pass_gate(self, timeout_seconds: float) -> None:
        with self._queue_gate:
            self._queue += 1
        try:
            if not self._gate.acquire(timeout=timeout_seconds):
                raise StoreBusyError(f"the embedded index is in use by another thread of this process; waited {timeout_seconds:g} s")
        finally:
            with self._queue_gate:
                self._queue -= 1

    def _leave(self, *, linger: bool) -> None:
        self._depth -= 1
        if self._depth:
            return
        self._owner = None
        try:
            if (self._queue or linger) and self._shard is not None and not self._lock.somebody_waits():
                if linger:
                    self._flush()
                self._linger(keep_open=linger)
            else:
                self._let_go()
        finally:
            self._gate.release()

    def _let_go(self) -> None:
        try:
            self.close_shard()
        finally:
            if self._lock.is_held:
                self._lock.release()

    def _linger(self, *, keep_open: bool) -> None:
        """Leave the shard open: for the next thread at the gate, or until another process wants it."""
        self._lingering, self._keep_open = True, keep_open
        if not self._watching:
            self._watching = True
            threading.Thread(target=self._watch, name="clindex-linger", daemon=True).start()

    def _watch(self) -> None:
        """Close the shard once somebody waits, or nobody took it over; ends with the lingering."""
        while True:
            time.sleep(LINGER_POLL_SECONDS)
            if not self._gate.acquire(blocking=False):
                continue
            try:
                over = not self._lingering or not self._keep_open or self._lock.somebody_waits()
                if over:
                    lingering, self._lingering, self._watching = self._lingering, False, False
                    if lingering:
                        self._let_go()
                    return
            finally:
                self._gate.release()

    def stop_lingering(self) -> None:
        """Close the shard if it was only kept open in case of another session; one that this thread is in goes on."""
        if self._owner == threading.get_ident():
            return
        with self._gate:
            if self._lingering:
                self._lingering = False
                self._let_go()


def require_space(folder: Path) -> None:
    """Refuse to write onto a disk that is nearly full: Edge maps its files into memory, and a page that finds no room kills the process.

    Raises:
        StoreUnavailableError: Less than ``RESERVE_BYTES`` are left.
    """
    if shutil.disk_usage(folder).free < RESERVE_BYTES:
        raise StoreUnavailableError(
            f"the index's disk is nearly full: less than {RESERVE_BYTES // 2**20} MB are left", remedy="free some space, then run again"
        )


def missing(name: str) -> CollectionMissingError:
    """Return the error for a collection that is not there."""
    return CollectionMissingError(f"there is no collection {name}", remedy="run clindex init")


_STORES: dict[tuple[Path, str], EdgeStore] = {}
_STORES_GATE = threading.Lock()


def shared_store(folder: Path, name: str) -> EdgeStore:
    """Return this process's one store of a folder: two would wait for each other."""
    key = (folder.absolute().resolve(), name)
    with _STORES_GATE:
        if key not in _STORES:
            _STORES[key] = EdgeStore(*key)
        return _STORES[key]


_left_to_the_parent: list[EdgeStore] = []


def _after_fork() -> None:
    """A forked child owns neither the lock nor the open shard: it forgets both, closing nothing, and starts anew."""
    global _STORES_GATE
    _STORES_GATE = threading.Lock()
    _left_to_the_parent.extend(_STORES.values())
    _STORES.clear()


def _at_exit() -> None:
    for store in list(_STORES.values()):
        store.stop_lingering()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
