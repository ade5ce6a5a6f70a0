"""Every store's catalog of collections passes the same contract."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from qdrant_client import QdrantClient

from pipeline.domain.ports import IndexCatalog
from pipeline.index.edge_catalog import EdgeCatalog
from pipeline.index.server_catalog import ServerCatalog, open_server_catalog
from pipeline.testing.index_catalog import IndexCatalogContract


class TestEdge(IndexCatalogContract):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> IndexCatalog:
        self.folder = tmp_path / "home" / "index"
        return self.again(None)

    def again(self, catalog):
        return EdgeCatalog(self.folder, lock_timeout_seconds=30, batch_bytes=4096)

    def test_a_pointer_that_was_being_written_when_its_process_died_changes_nothing(self, catalog: IndexCatalog):
        catalog.point("clindex", "clindex-2")
        (self.folder / "clindex.live.999.new").write_text("clind")
        assert catalog.pointed("clindex") == "clindex-2"
        assert catalog.names() == []


class TestServerInMemory(IndexCatalogContract):
    @pytest.fixture
    def catalog(self) -> Iterator[IndexCatalog]:
        self.client = QdrantClient(":memory:")
        yield self.again(None)
        self.client.close()

    def again(self, catalog):
        return ServerCatalog(self.client, batch_bytes=4096)


@pytest.mark.service
@pytest.mark.skipif("CLINDEX_QDRANT_URL" not in os.environ, reason="CLINDEX_QDRANT_URL names no server")
class TestServer(IndexCatalogContract):
    @pytest.fixture
    def catalog(self) -> Iterator[IndexCatalog]:
        type(self).prefix = f"clindex-test-{uuid4().hex[:12]}"
        catalog = self.again(None)
        yield catalog
        for name in self.ours(catalog):
            catalog.open(name).remove()

    def again(self, catalog):
        return open_server_catalog(
            os.environ["CLINDEX_QDRANT_URL"], api_key=os.environ.get("CLINDEX_QDRANT_API_KEY"), timeout_seconds=60, batch_bytes=4096
        )
