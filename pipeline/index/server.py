"""The vector index on a Qdrant server (1.16 or later), over HTTP.

Known of servers: a delete by filter can swallow an upsert sent right after it (qdrant 6556), deletes can leave copies visible (7147), a
time-out says nothing about whether the write was done (3654). So every write waits, asks for strong ordering, and is read back; ids are
deterministic, so that doing it again is always safe.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from qdrant_client import QdrantClient, models
from qdrant_client.local.qdrant_local import QdrantLocal

from pipeline.domain.errors import CollectionMissingError, ConfigurationError, ForeignModelError, WriteVerificationError
from pipeline.domain.points import (
    BOOLEAN_FIELDS,
    DENSE,
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
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
from pipeline.index.fused import fused_query
from pipeline.index.fusion import ranked
from pipeline.index.server_errors import AlreadyExistsError, server_errors
from pipeline.index.server_filter import to_filter
from pipeline.index.server_points import id_of, new_point, query_of, restored_point, stored_point, wire_id
from pipeline.index.spec import SPARSE, differences, spec_from_metadata, spec_to_metadata

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BYTES_PER_NUMBER: Final = 22  # vectors travel as JSON: a float32 takes up to 21 characters and a comma
_STRONG: Final = models.WriteOrdering.STRONG


class ServerIndex:
    """``VectorIndex`` through a qdrant-client; also its local mode (``QdrantClient(":memory:")``), for tests.

    Args:
        client: Who talks to the server.
        name: The collection's name.
        batch_bytes: Most bytes of one request's points.
    """

    def __init__(self, client: QdrantClient, name: str, *, batch_bytes: int) -> None:
        self._client = client
        self._name = name
        self._batch_bytes = batch_bytes
        self._spec: CollectionSpec | None = None
        self._is_local = isinstance(client._client, QdrantLocal)
        # Local mode corrupts itself when two threads write; a server needs no lock of ours.
        self._serial: AbstractContextManager[Any] = threading.RLock() if self._is_local else nullcontext()

    @contextmanager
    def session(self) -> Iterator[ServerIndex]:
        """Hold nothing (a server serves many at once), but look at the collection's spec anew."""
        self._spec = None
        yield self

    def close(self) -> None:
        """Nothing is kept open for one user alone."""

    def create(self, spec: CollectionSpec) -> None:
        """Make the collection, or complete the payload indexes of one that a killed ``create`` left."""
        if spec.name != self._name or spec.distance != "Cosine":
            raise ValueError("the spec is of another collection or distance")
        self._spec = None
        if self.describe() is None:
            with suppress(AlreadyExistsError):  # somebody was faster: only the check below tells whether that is well
                self._create(spec)
        info = self.describe()
        if info is None or info.spec is None:
            raise self._not_ours()
        if changed := differences(info.spec, spec):
            raise ForeignModelError(
                f"the collection {self._name} was made with another {', '.join(changed)}",
                remedy="use the settings it was made with, or another CLINDEX_COLLECTION",
            )
        if not self._is_local:  # local mode has no payload indexes
            self._create_payload_indexes()

    def _create(self, spec: CollectionSpec) -> None:
        with self._calling("create the collection"):
            self._client.create_collection(
                self._name,
                vectors_config={
                    one.vector: models.VectorParams(size=one.dimensions, distance=models.Distance.COSINE) for one in spec.dense
                },
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                metadata=spec_to_metadata(spec),
            )
        if (info := self.describe()) is not None and info.spec is None:
            raise ConfigurationError("the Qdrant server does not keep a collection's metadata", remedy="use Qdrant 1.16 or later")

    def _create_payload_indexes(self) -> None:
        kinds = {
            **dict.fromkeys(KEYWORD_FIELDS, models.PayloadSchemaType.KEYWORD),
            **dict.fromkeys(INTEGER_FIELDS, models.PayloadSchemaType.INTEGER),
            **dict.fromkeys(BOOLEAN_FIELDS, models.PayloadSchemaType.BOOL),
        }
        for field, kind in kinds.items():
            with self._calling("create a payload index"):
                self._client.create_payload_index(self._name, field, field_schema=kind, wait=True, ordering=_STRONG)

    def describe(self, *, count: bool = True) -> CollectionInfo | None:
        """Return what the collection says of itself."""
        try:
            with self._calling("read the collection"):
                info = self._client.get_collection(self._name)
                points = self._client.count(self._name, exact=True).count if count else None
        except CollectionMissingError:
            return None
        return CollectionInfo(spec=spec_from_metadata(info.config.metadata), points=points, status=info.status.value)

    def remove(self) -> None:
        """Remove the collection with all its points. Losing vectors costs a rebuild, never data."""
        self._spec = None
        with self._calling("remove the collection"):
            self._client.delete_collection(self._name)

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points after all were checked, and see that they are there.

        Raises:
            WriteVerificationError: Some are not.
        """
        sizes = check_points(points, self._own_spec(), bytes_per_number=_BYTES_PER_NUMBER)
        for batch in batches_of(points, sizes, self._batch_bytes):
            with self._calling("write points"):
                self._client.upsert(self._name, [new_point(point) for point in batch], wait=True, ordering=_STRONG)
            self._require([point.id for point in batch], "after they were written")

    def set_payload(self, updates: Sequence[tuple[UUID, Payload]]) -> None:
        """Replace payloads.

        Raises:
            WriteVerificationError: A point does not exist; nothing was written.
        """
        self._own_spec()
        sizes = [check_payload(payload) for _, payload in updates]
        self._require([point_id for point_id, _ in updates], "and no payload was changed")
        for batch in batches_of(updates, sizes, self._batch_bytes):
            operations: list[models.UpdateOperation] = [
                models.OverwritePayloadOperation(overwrite_payload=models.SetPayload(payload=dict(payload), points=[str(point_id)]))
                for point_id, payload in batch
            ]
            with self._calling("write payloads"):
                self._client.batch_update_points(self._name, operations, wait=True, ordering=_STRONG)

    def _require(self, ids: Sequence[UUID | int], circumstance: str) -> None:
        wanted = [wire_id(each) for each in set(ids)]
        if not wanted:
            return
        with self._calling("count points"):
            found = self._client.count(self._name, models.Filter(must=[models.HasIdCondition(has_id=wanted)]), exact=True).count
        if found != len(wanted):
            raise WriteVerificationError(f"{len(wanted) - found} of {len(wanted)} points are not in the index {circumstance}")

    def delete_points(self, ids: Sequence[UUID | int]) -> None:
        """Remove points by id."""
        self._own_spec()
        if ids:
            selector = models.PointIdsList(points=[wire_id(each) for each in ids])
            with self._calling("delete points"):
                self._client.delete(self._name, selector, wait=True, ordering=_STRONG)

    def delete_matching(self, where: PointFilter) -> None:
        """Remove what matches, then count it."""
        check_delete_filter(where)
        self._own_spec()
        conditions = to_filter(conditions_of(where))
        if conditions is None:
            raise ValueError("a delete without conditions would remove everything")
        with self._calling("delete points"):
            self._client.delete(self._name, models.FilterSelector(filter=conditions), wait=True, ordering=_STRONG)
        if left := self.count(where):
            raise WriteVerificationError(f"{left} points are still there after they were deleted")

    def settle(self) -> None:
        """Do nothing: a server optimises by itself."""

    def expunge(self) -> None:
        """Do nothing: a server rewrites segments and cuts its log by itself, and offers no call for it."""

    def count(self, where: PointFilter | None = None) -> int:
        """Return the exact number of matching points."""
        self._own_spec()
        with self._calling("count points"):
            return int(self._client.count(self._name, to_filter(conditions_of(where)), exact=True).count)

    def retrieve(self, ids: Sequence[UUID | int], *, vectors: bool = False) -> list[StoredPoint]:
        """Return those of the points that exist."""
        self._own_spec()
        if not ids:
            return []
        with self._calling("read points"):
            records = self._client.retrieve(self._name, [wire_id(each) for each in ids], with_payload=True, with_vectors=vectors)
        return [stored_point(each, vectors=vectors) for each in records]

    def restore(self, points: Sequence[StoredPoint]) -> None:
        """Write points back as they were read, and see that they are there."""
        spec = self._own_spec()
        sizes = [len(str(point.payload)) + max(one.dimensions for one in spec.dense) * _BYTES_PER_NUMBER for point in points]
        for batch in batches_of(points, sizes, self._batch_bytes):
            with self._calling("write points back"):
                self._client.upsert(self._name, [restored_point(point) for point in batch], wait=True, ordering=_STRONG)
            self._require([point.id for point in batch], "after they were written back")

    def lacking(self, *, dense: bool) -> int:
        """Return the number of points without one of the vectors."""
        names = [one.vector for one in self._own_spec().dense] if dense else [SPARSE]
        without = models.Filter(must_not=[models.HasVectorCondition(has_vector=name) for name in names])
        with self._calling("count points"):
            return int(self._client.count(self._name, without, exact=True).count)

    def scan(
        self, where: PointFilter | None = None, *, batch_size: int = 1000, vectors: bool = False, after: UUID | None = None
    ) -> Iterator[StoredPoint]:
        """Yield points by id."""
        self._own_spec()
        conditions = to_filter(conditions_of(where))
        offset: Any = None if after is None else str(after)
        while True:
            with self._calling("read points"):
                records, offset = self._client.scroll(
                    self._name, conditions, limit=batch_size, offset=offset, with_payload=True, with_vectors=vectors
                )
            for each in records:
                yield stored_point(each, vectors=vectors)
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
        conditions = to_filter(conditions_of(where))
        asked = [query_of(query, self._own_spec()) for query in queries]
        requests = [
            models.QueryRequest(query=one[1], using=one[0], filter=conditions, limit=limit, with_payload=False)
            for one in asked
            if one is not None
        ]
        with self._calling("query the index"):
            answers = iter(self._client.query_batch_points(self._name, requests) if requests else [])
        return [[] if one is None else ranked((id_of(hit.id), hit.score) for hit in next(answers).points) for one in asked]

    def _own_spec(self) -> CollectionSpec:
        """Return the collection's spec, asked for once a session."""
        if self._spec is None:
            with self._calling("read the collection"):
                self._spec = spec_from_metadata(self._client.get_collection(self._name).config.metadata)
            if self._spec is None:
                raise self._not_ours()
        return self._spec

    def _not_ours(self) -> ForeignModelError:
        return ForeignModelError(
            f"the collection {self._name} was not made by clindex init", remedy="name another one with CLINDEX_COLLECTION, or remove it"
        )

    @contextmanager
    def _calling(self, action: str) -> Iterator[None]:
        with self._serial, server_errors(action, self._name):
            yield
