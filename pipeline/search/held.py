"""What is read from truth once and kept in this process's memory until truth changes. Never on disk: it may hold words of documents."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine

from pipeline.storage import truth_version

T = TypeVar("T")


class Held(Generic[T]):
    """One value a database and collection, let go of with the first look after any commit that could change an answer."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: WeakKeyDictionary[Engine, dict[str, tuple[str, T]]] = WeakKeyDictionary()

    def get(self, tx: Connection, collection: str, read: Callable[[], T]) -> T:
        """Return the value as of the transaction's view, read anew where truth has changed. Two threads may both read it."""
        version = truth_version.read(tx)
        with self._lock:
            kept = self._kept.get(tx.engine, {}).get(collection)
        if kept is not None and kept[0] == version:
            return kept[1]
        value = read()
        with self._lock:
            self._kept[tx.engine] = {collection: (version, value)}  # those of other collections and older versions go
        return value
