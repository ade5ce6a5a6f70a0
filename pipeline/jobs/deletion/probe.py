"""Vectors of deleted documents, kept for a short while: a verifier asks the index for what is nearest to them.

A vector says something of its text, so they lie in a file of their owner's alone (0600) in ``erasures`` of the home, and go with the proof.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

import orjson

from pipeline.domain.points import SparseVector
from pipeline.settings import Settings

#: Points of one document in one collection, and of one deletion. A vector is 1.5 KB and a nearest-neighbour question some milliseconds.
SAMPLES_A_DOCUMENT: Final = 5
SAMPLES: Final = 200


@dataclass(frozen=True, slots=True)
class ProbeVector:
    """One deleted point with its vectors, as the index held them."""

    document_id: UUID
    collection: str
    point_id: UUID
    dense: tuple[float, ...] | None = field(repr=False)
    sparse: SparseVector | None = field(repr=False)


def probe_path(settings: Settings, deletion_id: UUID) -> Path:
    """Return where a deletion's vectors are kept."""
    return settings.home / "erasures" / f"{deletion_id}.probe"


def read_probe(settings: Settings, deletion_id: UUID) -> list[ProbeVector]:
    """Return a deletion's vectors; none where the file is gone."""
    try:
        lines = probe_path(settings, deletion_id).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    return [_vector(orjson.loads(line)) for line in lines]


def write_probe(settings: Settings, deletion_id: UUID, vectors: Sequence[ProbeVector]) -> None:
    """Keep vectors beside those that are kept already, up to ``SAMPLES``; a crash leaves the old file or the new one."""
    known = read_probe(settings, deletion_id)
    there = {(one.collection, one.point_id) for one in known}
    more = [one for one in vectors if (one.collection, one.point_id) not in there]
    if not more or len(known) >= SAMPLES:
        return
    path = probe_path(settings, deletion_id)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    beside = path.with_name(f"{path.name}.new")
    handle = os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        for one in [*known, *more][:SAMPLES]:
            file.write(orjson.dumps(_line(one)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def remove_probe(settings: Settings, deletion_id: UUID) -> None:
    """Remove a deletion's vectors (no error where there are none)."""
    path = probe_path(settings, deletion_id)
    path.unlink(missing_ok=True)
    path.with_name(f"{path.name}.new").unlink(missing_ok=True)


def _line(one: ProbeVector) -> dict[str, object]:
    sparse = None if one.sparse is None else [list(one.sparse.indices), list(one.sparse.values)]
    return {
        "document_id": str(one.document_id),
        "collection": one.collection,
        "point_id": str(one.point_id),
        "dense": None if one.dense is None else list(one.dense),
        "sparse": sparse,
    }


def _vector(line: dict[str, object]) -> ProbeVector:
    dense, sparse = line["dense"], line["sparse"]
    return ProbeVector(
        UUID(str(line["document_id"])),
        str(line["collection"]),
        UUID(str(line["point_id"])),
        tuple(dense) if isinstance(dense, list) else None,
        SparseVector(tuple(sparse[0]), tuple(sparse[1])) if isinstance(sparse, list) else None,
    )
