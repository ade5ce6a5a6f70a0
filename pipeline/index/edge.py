"""The embedded index: Qdrant Edge in this process, taking turns with every other process of the home."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import qdrant_edge as edge

from pipeline.domain.errors import ForeignModelError, WriteVerificationError
from pipeline.domain.points import (
    DENSE,
    CollectionInfo,
    CollectionSpec,
    Payload,
    Point,
    PointFilter,
    ScoredPoint,
    SparseVector,
    StoredPoint,
)
from pipeline.domain.ports import VectorQuery
from pipeline.index.checks import batches_of, check_delete_filter, check_payload, check_points
from pipeline.index.conditions import conditions_of
from pipeline.index.edge_errors import REBUILD, edge_errors
from pipeline.index.edge_filter import to_filter
from pipeline.index.edge_payload import to_edge
from pipeline.index.edge_points import id_of, new_point, query_of, restored_point, stored_point
from pipeline.index.edge_store import missing, require_space, shared_store
from pipeline.index.fused import fused_query
from pipeline.index.fusion import ranked
from pipeline.index.mapped import release_mapped
from pipeline.index.spec import SPARSE, differences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BYTES_PER_NUMBER = 4  # vectors go to Edge and its log as float32
_RELEASE_AFTER_POINTS = 100_000  # a scan of 1,000,000 points left 800 MB of mapped pages behind; of 100,000 about 80 MB
_RELEASE_AFTER_VECTORS = 25_000  # with vectors of 384 numbers 100,000 points leave some 230 MB behind


class EdgeIndex:
    """``VectorIndex`` on Qdrant Edge. Every method may be called outside a session and then opens its own, at the cost of opening.

    Args:
        folder: Where the index lives; ``create`` makes it.
        lock_timeout_seconds: How long to wait for another process or thread before ``StoreBusyError``.
        batch_bytes: Most bytes of one upsert.
        name: The collection's name.
        linger: Keep the shard open between sessions, flushed, until another process wants it or ``close``.
    """

    def __init__(self, folder: Path, *, lock_timeout_seconds: float, batch_bytes: int, name: str = "clindex", linger: bool = False) -> None:
        self._folder = folder
        self._timeout = lock_timeout_seconds
        self._batch_bytes = batch_bytes
        self._name = name
        self._linger = linger
        self._store = shared_store(folder, name)
        self._files = self._store.files

    @contextmanager
    def session(self) -> Iterator[EdgeIndex]:
        """Hold the index; where its folder is missing there is nothing to hold, and every use says so."""
        if not self._folder.is_dir():
            yield self
            return
        with self._store.held(self._timeout, linger=self._linger):
            yield self

    def close(self) -> None:
        """Close the shard if this process lingers."""
        self._store.stop_lingering()

    def create(self, spec: CollectionSpec) -> None:
        """Make the collection, or finish what a killed ``create`` left."""
        if spec.name != self._name or spec.distance != "Cosine":
            raise ValueError("the spec is of another collection or distance")
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        require_space(self._folder)
        with self.session():
            found = self._files.read_spec()
            if self._files.shard.is_dir():
                self._adopt(found, spec)
                return
            if found is not None and (changed := differences(found, spec)):
                raise _foreign(self._name, changed)
            self._files.make_shard(spec)
            self._files.write_spec(spec)

    def _adopt(self, found: CollectionSpec | None, spec: CollectionSpec) -> None:
        if found is not None:
            if changed := differences(found, spec):
                raise _foreign(self._name, changed)
            return
        # Killed between making the shard and writing its metadata: then it is empty. With points in it, it is not ours to take.
        if self._count_without_spec():
            raise ForeignModelError(
                f"the collection {self._name} holds points, but its metadata are missing or not ours",
                remedy="clindex init --rebuild-index makes it anew",
            )
        self._files.remove()
        self._files.make_shard(spec)
        self._files.write_spec(spec)

    def remove(self) -> None:
        """Remove the collection with all its points (also a damaged one). Losing vectors costs a rebuild, never data."""
        if not self._folder.is_dir():
            return
        with self.session():
            self._store.forget_shard()
            self._files.remove()

    def describe(self, *, count: bool = True) -> CollectionInfo | None:
        """Return spec and size; ``None`` where there is neither shard nor metadata."""
        with self.session():
            if not self._files.shard.is_dir():
                return None
            spec = self._files.read_spec()
            points = None if not count else self._count_without_spec() if spec is None else self.count()
            return CollectionInfo(spec=spec, points=points, status="green")

    def _count_without_spec(self) -> int:
        shard = self._files.load_shard()
        with edge_errors("count points"):
            points = int(shard.count(edge.CountRequest(exact=True)))
            shard.close()
        return points

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points, after all of them were checked."""
        with self._open() as (shard, spec):
            sizes = check_points(points, spec, bytes_per_number=_BYTES_PER_NUMBER)
            stored = [to_edge(point.payload) for point in points]
            self._store.written()
            for batch in batches_of(zip(points, stored, strict=True), sizes, self._batch_bytes):
                with edge_errors("write points"):
                    shard.update(edge.UpdateOperation.upsert_points([new_point(*each) for each in batch]))

    def set_payload(self, updates: Sequence[tuple[UUID, Payload]]) -> None:
        """Replace payloads.

        Raises:
            WriteVerificationError: A point does not exist; nothing was written.
        """
        for _, payload in updates:
            check_payload(payload)
        stored = [(point_id, to_edge(payload)) for point_id, payload in updates]
        with self._open() as (shard, _):
            ids = {point_id for point_id, _ in updates}
            with edge_errors("read points"):
                found = len(shard.retrieve(list(ids), False, False)) if ids else 0
            if found < len(ids):
                raise WriteVerificationError(f"{len(ids) - found} of {len(ids)} points are not in the index; no payload was changed")
            self._store.written()
            for point_id, payload in stored:
                with edge_errors("write payloads"):
                    shard.update(edge.UpdateOperation.overwrite_payload([point_id], payload))

    def delete_points(self, ids: Sequence[UUID | int]) -> None:
        """Remove points by id."""
        if not ids:
            return
        with self._open() as (shard, _):
            self._store.written(deleted=True)
            with edge_errors("delete points"):
                shard.update(edge.UpdateOperation.delete_points(list(ids)))

    def delete_matching(self, where: PointFilter) -> None:
        """Remove what matches, then count it."""
        check_delete_filter(where)
        with self._open() as (shard, _):
            self._store.written(deleted=True)
            conditions = to_filter(conditions_of(where))
            if conditions is None:
                raise ValueError("a delete without conditions would remove everything")
            with edge_errors("delete points"):
                shard.update(edge.UpdateOperation.delete_points_by_filter(conditions))
            if left := self.count(where):
                raise WriteVerificationError(f"{left} points are still there after they were deleted")

    def settle(self) -> None:
        """Turn appended segments that are large enough into immutable ones, and drop deleted points."""
        with self._open() as (shard, _), edge_errors("settle the index"):
            shard.optimize()

    def expunge(self) -> None:
        """Rewrite every segment that holds deleted points, and push what was written before out of the log."""
        with self._open() as (_, spec):
            self._store.written()
            self._store.expunge(spec)

    def count(self, where: PointFilter | None = None) -> int:
        """Return the exact number of matching points."""
        with self._open() as (shard, _), edge_errors("count points"):
            return int(shard.count(edge.CountRequest(exact=True, filter=to_filter(conditions_of(where)))))

    def retrieve(self, ids: Sequence[UUID | int], *, vectors: bool = False) -> list[StoredPoint]:
        """Return those of the points that exist."""
        if not ids:
            return []
        with self._open() as (shard, _), edge_errors("read points"):
            return [stored_point(each, vectors=vectors) for each in shard.retrieve(list(ids), True, vectors)]

    def restore(self, points: Sequence[StoredPoint]) -> None:
        """Write points back as they were read."""
        with self._open() as (shard, spec):
            self._store.written()
            sizes = [len(str(point.payload)) + max(one.dimensions for one in spec.dense) * _BYTES_PER_NUMBER for point in points]
            for batch in batches_of(points, sizes, self._batch_bytes):
                with edge_errors("write points back"):
                    shard.update(edge.UpdateOperation.upsert_points([restored_point(point) for point in batch]))

    def lacking(self, *, dense: bool) -> int:
        """Return the number of points without one of the vectors."""
        with self._open() as (shard, spec), edge_errors("count points"):
            names = [one.vector for one in spec.dense] if dense else [SPARSE]
            without = edge.Filter(must_not=[edge.HasVectorCondition(name) for name in names])
            return int(shard.count(edge.CountRequest(exact=True, filter=without)))

    def scan(
        self, where: PointFilter | None = None, *, batch_size: int = 1000, vectors: bool = False, after: UUID | None = None
    ) -> Iterator[StoredPoint]:
        """Yield points by id. The session lasts until the iterator is exhausted or closed."""
        conditions = to_filter(conditions_of(where))
        offset: Any = after
        read = 0
        with self._open() as (shard, _):
            while True:
                request = edge.ScrollRequest(offset=offset, limit=batch_size, filter=conditions, with_payload=True, with_vector=vectors)
                with edge_errors("read points"):
                    records, offset = shard.scroll(request)
                    page = [stored_point(each, vectors=vectors) for each in records]
                yield from page
                read += len(page)
                if read >= (_RELEASE_AFTER_VECTORS if vectors else _RELEASE_AFTER_POINTS):
                    read = 0
                    release_mapped(self._files.shard)
                if offset is None:
                    return

    def query(
        self,
        *,
        dense: NDArray[np.float32] | None,
        sparse: SparseVector | None,
        where: PointFilter,
        limit: int,
        candidates: int,
        rrf_k: int,
        using: str = DENSE,
    ) -> list[ScoredPoint]:
        """Return the best points; see the port."""
        return fused_query(self, dense=dense, sparse=sparse, where=where, limit=limit, candidates=candidates, rrf_k=rrf_k, using=using)

    def rankings(self, queries: Sequence[VectorQuery], *, where: PointFilter, limit: int) -> list[list[tuple[UUID | int, float]]]:
        """Return one ranking a query; see the port."""
        with self._open() as (shard, spec):
            conditions = to_filter(conditions_of(where))
            asked = [query_of(query, spec) for query in queries]
            requests = [
                edge.QueryRequest(limit=limit, query=query, filter=conditions, with_payload=False) for query in asked if query is not None
            ]
            with edge_errors("query the index"):
                answers = iter(shard.query_batch(edge.QueryBatchRequest(requests)) if requests else [])
            return [[] if query is None else ranked((id_of(hit.id), hit.score) for hit in next(answers)) for query in asked]

    @contextmanager
    def _open(self) -> Iterator[tuple[edge.EdgeShard, CollectionSpec]]:
        if not self._folder.is_dir():
            raise missing(self._name)
        with self._store.held(self._timeout, linger=self._linger):
            yield self._store.open()


def _foreign(name: str, changed: list[str]) -> ForeignModelError:
    return ForeignModelError(
        f"the collection {name} was made with another {', '.join(changed)}",
        remedy=f"use the settings it was made with, or make it anew ({REBUILD})",
    )
