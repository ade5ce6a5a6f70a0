"""The embedded index on disk: where its files are, how a shard is made, and its metadata beside it.

<folder>/<name>/              the shard; nothing of ours is inside
<folder>/<name>.json          metadata, written last: with it the collection exists
<folder>/<name>.creating/     a shard in the making; whoever finds one may remove it
<folder>/<name>.removing/     what is left of a shard whose removal was killed; the same holds
<folder>/<name>.lock, .turn.lock, .holder.json     see ``lock``
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import qdrant_edge as edge

from pipeline.domain.points import BOOLEAN_FIELDS, INTEGER_FIELDS, KEYWORD_FIELDS, CollectionSpec
from pipeline.index.edge_errors import edge_errors
from pipeline.index.edge_payload import MIRRORS
from pipeline.index.spec import SPARSE, spec_from_metadata, spec_to_metadata

# Building an HNSW graph of 20,000 points took 33 s and made a query of 1.4 ms no faster than 0.9 ms, and less exact: none is built (m = 0).
_NO_GRAPH: Final = edge.HnswIndexConfig(m=0, ef_construct=10, full_scan_threshold=10**9, payload_m=0, memory=edge.Memory.Cold)
# ``optimize`` turns what was appended into immutable segments once it is this large, and drops deleted points. At 100,000 points, against
# appendable segments, in one run: opening 0.26 s for 0.92 s, anonymous memory 85 MB for 193 MB, a scan 1.3 s for 2.2 s, a query 8 ms for
# 12 ms; it took 12 s. A night's few changes (under 13,000 vectors of 384 numbers) are not worth it.
_SETTLE_ABOVE_KB: Final = 20_000
_VACUUM_SHARE: Final = 0.2  # of a segment deleted before it is rewritten: Qdrant's own default
_VACUUM_MINIMUM: Final = 1000  # points in a segment before it is rewritten: Qdrant's own default
# An operation of 400,000 ids takes 15 MB of the log, whose segments have 32 MB: four pushed everything before them out (six were tried).
_IDS_A_FILLER: Final = 400_000
_FILLERS: Final = 4


CREATING: Final = ".creating"
REMOVING: Final = ".removing"


class EdgeFiles:
    """Paths of one embedded collection, and what is done with files alone. The caller holds the lock."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.shard = folder / name
        self.creating = folder / f"{name}{CREATING}"
        self.removing = folder / f"{name}{REMOVING}"
        self.metadata = folder / f"{name}.json"

    def read_spec(self) -> CollectionSpec | None:
        """Return the collection's spec, or ``None`` where metadata are missing or not ours."""
        try:
            return spec_from_metadata(json.loads(self.metadata.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def write_spec(self, spec: CollectionSpec) -> None:
        """Write the metadata so that a crash leaves either nothing or all of it."""
        beside = self.metadata.with_name(f"{self.metadata.name}.new")
        with beside.open("w", encoding="utf-8") as stream:
            json.dump(spec_to_metadata(spec), stream, indent=2, sort_keys=True)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(self.metadata)
        _sync_folder(self.folder)

    def make_shard(self, spec: CollectionSpec) -> None:
        """Make an empty shard with its payload indexes; it appears under its name only when it is complete."""
        shutil.rmtree(self.creating, ignore_errors=True)
        with edge_errors("create the index"):
            shard = edge.EdgeShard.create(str(self.creating), _config(spec))
            for key, kind in _payload_indexes().items():
                shard.update(edge.UpdateOperation.create_field_index(key, kind))
            shard.close()
        self.creating.rename(self.shard)
        _sync_folder(self.folder)

    def load_shard(self) -> edge.EdgeShard:
        """Open the shard."""
        with edge_errors("open the index"):
            return edge.EdgeShard.load(str(self.shard))

    def expunge(self, spec: CollectionSpec) -> None:
        """Rewrite a closed shard's segments without their deleted points, then roll its log until nothing older is in it.

        Nothing that was written stays behind: the log keeps the last closed segment of 32 MB and the open one, whether flushed or not.
        """
        with edge_errors("drop deleted points"):
            shard = edge.EdgeShard.load(str(self.shard), _config(spec, vacuum_share=0.0, vacuum_minimum=1))
            shard.optimize()
            shard.flush()
            nobody: list[UUID | int | str] = [UUID(int=0)] * _IDS_A_FILLER  # an id that no point has
            for _ in range(_FILLERS):
                shard.update(edge.UpdateOperation.delete_points(nobody))
                shard.flush()
            shard.close()
            edge.EdgeShard.load(str(self.shard), _config(spec)).close()  # what is loaded with stays on disk

    def remove(self) -> None:
        """Remove shard and metadata: metadata first, so that no moment shows a collection without its points, and the shard in one step."""
        self.metadata.unlink(missing_ok=True)
        shutil.rmtree(self.removing, ignore_errors=True)
        if self.shard.is_dir():
            self.shard.rename(self.removing)
        for left in (self.removing, self.creating):
            shutil.rmtree(left, ignore_errors=True)


def _config(spec: CollectionSpec, *, vacuum_share: float = _VACUUM_SHARE, vacuum_minimum: int = _VACUUM_MINIMUM) -> edge.EdgeConfig:
    return edge.EdgeConfig(
        vectors={
            one.vector: edge.EdgeVectorParams(size=one.dimensions, distance=edge.Distance.Cosine, memory=edge.Memory.Cold)
            for one in spec.dense
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=edge.Memory.Cold)},
        hnsw_config=_NO_GRAPH,
        optimizers=edge.EdgeOptimizersConfig(
            deleted_threshold=vacuum_share, vacuum_min_vector_number=vacuum_minimum, indexing_threshold=_SETTLE_ABOVE_KB
        ),
        payload_memory=edge.Memory.Cold,  # Cold: the operating system's page cache holds what is used; the process's own memory stays small
        id_tracker_memory=edge.Memory.Cold,
        wal_enabled=True,  # without it, what was written since the last flush dies with the process
    )


def _payload_indexes() -> dict[str, Any]:
    return {
        **dict.fromkeys(KEYWORD_FIELDS, edge.KeywordIndexParams(memory=edge.Memory.Cold)),
        **dict.fromkeys((*INTEGER_FIELDS, *MIRRORS.values()), edge.IntegerIndexParams(memory=edge.Memory.Cold, lookup=True, range=True)),
        **dict.fromkeys(BOOLEAN_FIELDS, edge.PayloadSchemaType.Bool),
    }


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
