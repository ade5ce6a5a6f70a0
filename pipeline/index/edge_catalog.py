"""Collections of the embedded index: folders side by side, and a file that names the live one for other programs."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from pipeline.index.edge import EdgeIndex
from pipeline.index.edge_files import CREATING, REMOVING

_POINTER: Final = ".live"  # beside the collections: <folder>/<alias>.live holds the name of one


class EdgeCatalog:
    """``IndexCatalog`` of one folder.

    Args:
        folder: Where the collections are; ``create`` of a collection makes it.
        lock_timeout_seconds: How long a session waits for another process.
        batch_bytes: Most bytes of one upsert.
        linger: See ``EdgeIndex``.
    """

    def __init__(self, folder: Path, *, lock_timeout_seconds: float, batch_bytes: int, linger: bool = False) -> None:
        self._folder = folder
        self._timeout = lock_timeout_seconds
        self._batch_bytes = batch_bytes
        self._linger = linger
        self._open: dict[str, EdgeIndex] = {}

    def open(self, name: str) -> EdgeIndex:
        """Return one collection."""
        if name not in self._open:
            self._open[name] = EdgeIndex(
                self._folder, name=name, lock_timeout_seconds=self._timeout, batch_bytes=self._batch_bytes, linger=self._linger
            )
        return self._open[name]

    def names(self) -> list[str]:
        """Return the collections that have a shard."""
        if not self._folder.is_dir():
            return []
        return sorted(path.name for path in self._folder.iterdir() if path.is_dir() and not path.name.endswith((CREATING, REMOVING)))

    def point(self, alias: str, name: str) -> None:
        """Write the pointer beside itself and put it in place: a reader finds the old one or the new one."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = self._folder / f"{alias}{_POINTER}"
        beside = target.with_name(f"{target.name}.{os.getpid()}.new")
        with beside.open("w", encoding="utf-8") as stream:
            stream.write(name + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(target)

    def pointed(self, alias: str) -> str | None:
        """Return what the pointer names."""
        try:
            return (self._folder / f"{alias}{_POINTER}").read_text(encoding="utf-8").strip() or None
        except FileNotFoundError:
            return None

    def close(self) -> None:
        """Close every shard that this process keeps open."""
        with ExitStack() as opened:
            for index in self._open.values():
                opened.callback(index.close)
