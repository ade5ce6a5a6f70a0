"""Vectors of deleted points, kept for a short while: a verifier asks the index for what is nearest to them.

A vector says something of its text, so they lie in a file of their owner's alone (0600) in ``erasures`` of the home, and go with the proof.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import orjson

from pipeline.domain.points import DENSE, SparseVector, StoredPoint, StoredVectors
from pipeline.wiring import Services

#: Points of one document in one collection, and of one deletion. A vector is 1.5 KB and a nearest-neighbour question some milliseconds.
SAMPLES_A_DOCUMENT: Final = 5
SAMPLES: Final = 200


def probe_path(services: Services, deletion_id: UUID) -> Path:
    """Return where a deletion's vectors are kept."""
    return services.settings.home / "erasures" / f"{deletion_id}.probe"


def read_probes(services: Services, deletion_id: UUID) -> list[StoredPoint]:
    """Return a deletion's vectors, without payloads; none where the file is gone."""
    try:
        lines = probe_path(services, deletion_id).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    return [_point(orjson.loads(line)) for line in lines]


def keep_probes(services: Services, deletion_id: UUID, points: Sequence[StoredPoint]) -> None:
    """Keep vectors beside those that are kept already, up to ``SAMPLES``; a crash leaves the old file or the new one."""
    known = read_probes(services, deletion_id)
    there = {one.id for one in known}
    more = [one for one in points if one.id not in there and one.vectors is not None]
    if not more or len(known) >= SAMPLES:
        return
    path = probe_path(services, deletion_id)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    beside = path.with_name(f"{path.name}.new")  # one writer at a time: ``carry_out`` holds the folder's lock
    with os.fdopen(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
        for one in [*known, *more][:SAMPLES]:
            file.write(orjson.dumps(_line(one)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def remove_probes(services: Services, deletion_id: UUID) -> None:
    """Remove a deletion's vectors (no error where there are none)."""
    path = probe_path(services, deletion_id)
    path.unlink(missing_ok=True)
    path.with_name(f"{path.name}.new").unlink(missing_ok=True)


def kept_probes(services: Services) -> list[Path]:
    """Return the files of vectors that are there, finished or not."""
    return sorted((services.settings.home / "erasures").glob("*.probe*"))


def _line(point: StoredPoint) -> dict[str, object]:
    vectors = point.vectors or StoredVectors(None, None)
    return {
        "id": point.id if isinstance(point.id, int) else str(point.id),
        "dense": None if vectors.dense is None else list(vectors.dense),
        "vector": vectors.vector,
        "sparse": None if vectors.sparse is None else [list(vectors.sparse.indices), list(vectors.sparse.values)],
    }


def _point(line: dict[str, Any]) -> StoredPoint:
    sparse = line["sparse"]
    vectors = StoredVectors(
        line["dense"], None if sparse is None else SparseVector(tuple(sparse[0]), tuple(sparse[1])), line.get("vector", DENSE)
    )
    return StoredPoint(line["id"] if isinstance(line["id"], int) else UUID(line["id"]), {}, vectors)
