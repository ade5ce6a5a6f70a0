"""Collections of a Qdrant server, and the alias that names the live one for other programs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final

from qdrant_client import QdrantClient, models

from pipeline.index.server import ServerIndex
from pipeline.index.server_errors import server_errors

# A server keeps aliases and collections in one space of names: the home's first collection has the alias's own name.
_SUFFIX: Final = "-live"


class ServerCatalog:
    """``IndexCatalog`` of one server. An alias ``a`` is known to it as ``a-live``."""

    def __init__(self, client: QdrantClient, *, batch_bytes: int) -> None:
        self._client = client
        self._batch_bytes = batch_bytes
        self._open: dict[str, ServerIndex] = {}

    def open(self, name: str) -> ServerIndex:
        """Return one collection."""
        if name not in self._open:
            self._open[name] = ServerIndex(self._client, name, batch_bytes=self._batch_bytes)
        return self._open[name]

    def names(self) -> list[str]:
        """Return the server's collections."""
        with self._calling("list the collections"):
            return sorted(one.name for one in self._client.get_collections().collections)

    def point(self, alias: str, name: str) -> None:
        """Delete and create the alias in one request, which a server carries out as one step."""
        operations: list[models.AliasOperations] = []
        if self.pointed(alias) is not None:
            operations.append(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias + _SUFFIX)))
        create = models.CreateAlias(collection_name=name, alias_name=alias + _SUFFIX)
        with self._calling("move the alias"):
            self._client.update_collection_aliases([*operations, models.CreateAliasOperation(create_alias=create)])

    def pointed(self, alias: str) -> str | None:
        """Return the collection that the alias names."""
        with self._calling("read the aliases"):
            found = self._client.get_aliases().aliases
        return next((one.collection_name for one in found if one.alias_name == alias + _SUFFIX), None)

    def close(self) -> None:
        """Nothing is kept open for one user alone."""

    def _calling(self, action: str) -> AbstractContextManager[None]:
        return server_errors(action, "the catalog")


def open_server_catalog(url: str, *, api_key: str | None, timeout_seconds: int, batch_bytes: int) -> ServerCatalog:
    """Return the catalog of the server at ``url``; nothing is sent yet."""
    with server_errors("open the client", "the catalog"):
        client = QdrantClient(url=url, api_key=api_key, timeout=timeout_seconds, check_compatibility=False)
    return ServerCatalog(client, batch_bytes=batch_bytes)
