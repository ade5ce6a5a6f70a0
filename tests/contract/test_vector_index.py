"""Every adapter of the vector index passes the same contract."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
import qdrant_edge as edge
from qdrant_client import QdrantClient, models

from pipeline.domain.ports import VectorIndex
from pipeline.index.edge import EdgeIndex
from pipeline.index.edge_store import shared_store
from pipeline.index.server import ServerIndex
from pipeline.index.server_catalog import open_server_catalog
from pipeline.testing.points import along_axis
from pipeline.testing.vector_index import RawPoint, VectorIndexCollectionContract, VectorIndexWriteContract
from pipeline.testing.vector_reading import VectorIndexReadingContract
from pipeline.testing.vector_search import (
    VectorIndexFilterContract,
    VectorIndexQueryContract,
    VectorIndexScanContract,
    VectorIndexVisibilityContract,
)


class Contract(
    VectorIndexCollectionContract,
    VectorIndexWriteContract,
    VectorIndexFilterContract,
    VectorIndexScanContract,
    VectorIndexVisibilityContract,
    VectorIndexReadingContract,
    VectorIndexQueryContract,
):
    """All of it."""

    __test__ = False


class TestEdge(Contract):
    __test__ = True

    @pytest.fixture
    def fresh(self, tmp_path: Path) -> VectorIndex:
        self.folder = tmp_path / "home" / "index"
        return self.reopen(None)

    def reopen(self, index):
        return EdgeIndex(self.folder, lock_timeout_seconds=30, batch_bytes=self.batch_bytes, name=self.name)

    def write_raw(self, index: VectorIndex, points: Sequence[RawPoint]) -> None:
        with index.session():
            shard, _ = shared_store(self.folder, self.name).open()
            rows = [edge.Point(id=each, vector={"dense": along_axis(0).tolist()}, payload=payload) for each, payload in points]
            shard.update(edge.UpdateOperation.upsert_points(rows))


class Server(Contract):
    client: QdrantClient

    def reopen(self, index):
        return ServerIndex(self.client, self.name, batch_bytes=self.batch_bytes)

    def write_raw(self, index: VectorIndex, points: Sequence[RawPoint]) -> None:
        rows = [
            models.PointStruct(id=each if isinstance(each, int) else str(each), vector={"dense": along_axis(0).tolist()}, payload=payload)
            for each, payload in points
        ]
        self.client.upsert(self.name, rows, wait=True)


class TestServerInMemory(Server):
    __test__ = True

    @pytest.fixture
    def fresh(self) -> Iterator[VectorIndex]:
        self.client = QdrantClient(":memory:")
        yield self.reopen(None)
        self.client.close()

    @pytest.mark.skip(reason="local mode has no lock of its own: several objects on one client race inside it")
    def test_two_who_make_it_at_once_both_succeed(self) -> None: ...


@pytest.mark.service
@pytest.mark.skipif("CLINDEX_QDRANT_URL" not in os.environ, reason="CLINDEX_QDRANT_URL names no server")
class TestServer(Server):
    __test__ = True

    @pytest.fixture
    def fresh(self) -> Iterator[VectorIndex]:
        type(self).name = f"clindex-test-{uuid4().hex[:12]}"
        catalog = open_server_catalog(
            os.environ["CLINDEX_QDRANT_URL"],
            api_key=os.environ.get("CLINDEX_QDRANT_API_KEY"),
            timeout_seconds=60,
            batch_bytes=self.batch_bytes,
        )
        index = catalog.open(self.name)
        self.client = index._client
        yield index
        index.remove()
