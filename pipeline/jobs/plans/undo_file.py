"""The undo file of a repair: every point as it was before it was deleted, overwritten or replaced, line by line.

``undo-RUN.jsonl.gz`` lies beside ``plan-RUN.json``, readable by its owner only. Each line is ``MAC JSON``: the MAC is HMAC-SHA256 by the site's
secret, so that a line that was edited is refused, while lines may be taken out when a document is erased, and a file that a kill cut short is
good up to its last whole line. Vectors are base64 of little-endian float32, sparse ones lists; nothing is rounded.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import json
import os
import zlib
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from uuid import UUID

from filelock import FileLock

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.points import DENSE, SparseVector, StoredPoint, StoredVectors

_MAC: Final = 32  # hex digits: 128 bits
_LEVEL: Final = 1  # of gzip: 3,000 points of 384 numbers took 0.15 s and 1,579 bytes each, at level 6 0.21 s and 1,542
_PATTERN: Final = "undo-*.jsonl.gz"


def undo_path(folder: Path, plan: str) -> Path:
    """Return where a plan's undo file lies."""
    return folder / f"undo-{plan}.jsonl.gz"


def finished_key(plan: str) -> str:
    """Return the name in ``meta`` under which truth keeps that a repair was finished: its undo file must then have its last line."""
    return f"repair:{plan}"


class UndoWriter:
    """Adds lines; what ``commit`` has returned for is on the disk, and only then may the points be touched."""

    def __init__(self, path: Path, *, secret: bytes, head: dict[str, object]) -> None:
        self._secret = secret
        self._lock = _lock_of(path)
        self._lock.acquire()  # until it is closed, or its process is gone: who takes rows out waits
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            self._lock.release()
            raise GuardRefusedError(
                f"the plan of {path.name} was carried out by another process meanwhile", remedy="Run `clindex reconcile` for a new plan."
            ) from None
        self._raw = os.fdopen(descriptor, "wb")
        self._file = gzip.GzipFile(fileobj=self._raw, mode="wb", compresslevel=_LEVEL, filename="")
        self._line({"head": head})
        self.commit()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        self._raw.close()
        self._lock.release()

    def save(self, points: Iterable[StoredPoint], documents: dict[UUID | int, UUID] | None = None) -> None:
        """Add points with their vectors; ``documents`` says whose they are where their payload does not."""
        for point in points:
            if point.vectors is None:
                raise ValueError("a point to be saved comes with its vectors")
            self._line({"point": _packed(point, (documents or {}).get(point.id))})

    def touch(self, documents: Iterable[UUID]) -> None:
        """Say that these documents are about to be written anew: what they get was not there before."""
        for document in documents:
            self._line({"touched": str(document)})

    def end(self, world: dict[str, object], points: int) -> None:
        """Say that the repair is done, and what the world was like then."""
        self._line({"end": {"world": world, "points": points}})
        self.commit()

    def commit(self) -> None:
        """Bring everything to the disk."""
        self._file.flush()
        self._raw.flush()
        os.fsync(self._raw.fileno())

    def _line(self, entry: dict[str, object]) -> None:
        # The standard library's JSON keeps what others wrote: NaN, huge integers, lone surrogates.
        text = json.dumps(entry, separators=(",", ":")).encode()
        self._file.write(_mac(self._secret, text) + b" " + text + b"\n")


def _mac(secret: bytes, text: bytes) -> bytes:
    return hmac.new(secret, b"clindex undo\0" + text, hashlib.sha256).hexdigest()[:_MAC].encode()


def _packed(point: StoredPoint, document: UUID | None) -> dict[str, object]:
    import numpy as np

    vectors = point.vectors
    assert vectors is not None  # noqa: S101 - asked by the caller
    dense = None if vectors.dense is None else base64.b64encode(np.asarray(vectors.dense, dtype="<f4").tobytes()).decode()
    sparse = None if vectors.sparse is None else [list(vectors.sparse.indices), list(vectors.sparse.values)]
    named = point.payload.get("document_id")
    return {
        "id": point.id if isinstance(point.id, int) else str(point.id),
        "document": str(document) if document else named if isinstance(named, str) else None,
        "payload": dict(point.payload),
        "dense": dense,
        "vector": vectors.vector,
        "sparse": sparse,
    }


def unpacked(entry: dict[str, Any]) -> StoredPoint:
    """Return the point that a line holds."""
    import numpy as np

    dense = None if entry["dense"] is None else np.frombuffer(base64.b64decode(entry["dense"]), dtype="<f4").tolist()
    sparse = None if entry["sparse"] is None else SparseVector(tuple(entry["sparse"][0]), tuple(entry["sparse"][1]))
    return StoredPoint(point_id_of(entry), entry["payload"], StoredVectors(dense, sparse, entry.get("vector", DENSE)))


def point_id_of(entry: dict[str, Any]) -> UUID | int:
    """Return the id of the point that a line holds."""
    return entry["id"] if isinstance(entry["id"], int) else UUID(entry["id"])


def read_undo(path: Path, *, secret: bytes) -> Iterator[dict[str, Any]]:
    """Yield the entries of an undo file, each with one key: ``head``, ``point``, ``touched`` or ``end``.

    Raises:
        UsageError: There is none at ``path``.
        GuardRefusedError: A line was changed, or written for another home.
    """
    for number, line in enumerate(_lines(path)):
        mac, _, text = line.partition(b" ")
        if not hmac.compare_digest(mac, _mac(secret, text)):
            raise GuardRefusedError(
                f"line {number + 1} of undo file {path.name} was changed since it was written, or is another home's",
                remedy="Nothing was restored; index the documents anew with `clindex reconcile --repair`.",
            )
        yield json.loads(text)


def _lines(path: Path) -> Iterator[bytes]:
    """Yield whole lines without their ends; a file that a kill cut short ends earlier."""
    try:
        with gzip.open(path, "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    return
                yield line[:-1]
    except (EOFError, zlib.error):
        return
    except OSError:
        raise UsageError(
            f"no undo file at {path}", remedy="A repair writes one beside its plan and names it; it is kept for undo_days."
        ) from None


def forget_documents(folder: Path, ids: Collection[UUID], *, points: Collection[UUID | int] = ()) -> int:
    """Take every row of these documents, and of these points, out of the undo files of a folder; files are replaced as a whole.

    A file that a repair is writing is waited for: rows that it adds later would be missed.

    Returns:
        How many rows there were.
    """
    gone = {str(key) for key in ids}
    those = {key if isinstance(key, int) else str(key) for key in points}
    return sum(_rewrite(path, gone, those) for path in sorted(folder.glob(_PATTERN)))


def _rewrite(path: Path, documents: set[str], points: set[str | int]) -> int:
    with _lock_of(path):
        return _rewrite_held(path, documents, points)


def _lock_of(path: Path) -> FileLock:
    return FileLock(f"{path}.lock", mode=0o600)


def _rewrite_held(path: Path, documents: set[str], points: set[str | int]) -> int:
    waiting = path.with_suffix(".part")
    dropped = 0
    descriptor = os.open(waiting, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as raw:
        with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=_LEVEL, filename="") as file:
            for line in _lines(path):
                entry = json.loads(line.partition(b" ")[2])
                point = entry.get("point")
                if point is not None and (point["document"] in documents or point["id"] in points):
                    dropped += 1
                else:
                    file.write(line + b"\n")
        raw.flush()
        os.fsync(raw.fileno())
    if dropped:
        waiting.replace(path)
    else:
        waiting.unlink()
    return dropped


def remove_expired(folder: Path, now: datetime, *, days: int) -> int:
    """Remove undo files that are older than ``days``; returns how many."""
    limit = (now - timedelta(days=days)).timestamp()
    old = [path for path in folder.glob(_PATTERN) if path.stat().st_mtime < limit]
    for path in old:
        for each in (path, Path(_lock_of(path).lock_file)):
            each.unlink(missing_ok=True)
    return len(old)
