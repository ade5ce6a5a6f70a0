"""What a service remembers: vectors of queries, and results under the mark of the truth they were read from.

Neither keeps a query's words: keys are keyed hashes. A result in Redis is encrypted with a key made of the site's secret.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cachetools import TTLCache
from cryptography.fernet import Fernet, InvalidToken
from pydantic import ValidationError

from pipeline.domain.identifiers import canonical_json
from pipeline.domain.ports import DenseEmbedder
from pipeline.search.request import SearchRequest, SearchResult

if TYPE_CHECKING:
    from datetime import date

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.domain.visibility import Visibility


class QueryVectors:
    """A ``DenseEmbedder`` that remembers vectors of queries (LRU, for so many hours). Documents pass through.

    Args:
        embedder: The model.
        secret: The site's, for the keys.
        size: Most vectors.
        hours: How long one is kept.
    """

    def __init__(self, embedder: DenseEmbedder, *, secret: bytes, size: int, hours: float) -> None:
        self._embedder = embedder
        self._secret = secret
        self._known: TTLCache[bytes, NDArray[np.float32]] = TTLCache(size, ttl=hours * 3600)
        self._gate = threading.Lock()
        self.hits = 0
        self.misses = 0

    @property
    def fingerprint(self) -> str:
        """The model's."""
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        """The model's."""
        return self._embedder.dimensions

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the model's vectors; nothing is remembered."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a query's vector of shape (dimensions,), which must not be written to."""
        key = hmac.digest(self._secret, f"query\0{text}".encode("utf-8", "surrogatepass"), "sha256")
        with self._gate:
            known = self._known.get(key)
            self.hits, self.misses = self.hits + (known is not None), self.misses + (known is None)
        if known is not None:
            return known
        vector = self._embedder.embed_query(text)
        vector.flags.writeable = False
        with self._gate:
            self._known[key] = vector
        return vector


class Results(Protocol):
    """Results by key."""

    def get(self, key: str) -> SearchResult | None:
        """Return what is kept; ``None`` where nothing is, or the store does not answer: a search then is done anew."""
        ...

    def put(self, key: str, result: SearchResult) -> None:
        """Keep a result for a while. Where the store does not answer, nothing is kept."""
        ...


def result_key(request: SearchRequest, *, visible: Visibility | None, collection: str, version: str, today: date, secret: bytes) -> str:
    """Return the key of a result: all that it depends on, as a keyed hash.

    Args:
        request: What is asked.
        visible: Who asks: two of unlike visibility share nothing.
        collection: Which one is searched.
        version: ``truth_version.read``, read before the search. Any write to truth that changes an answer changes it, so that the next
            search asks under another key.
        today: Ages of statuses count from it.
        secret: The site's.
    """
    limits = visible.limits if visible else None
    seen: Any = "everything" if visible is None else "open" if limits is None else [limits.labels, limits.departments, limits.patients]
    parts = [request.model_dump(mode="json"), seen, collection, version, today.isoformat()]
    return hmac.new(secret, b"result\0" + canonical_json(parts), hashlib.sha256).hexdigest()


class ResultsHere:
    """Results in this process."""

    def __init__(self, *, size: int, seconds: int) -> None:
        self._kept: TTLCache[str, SearchResult] = TTLCache(size, ttl=seconds)
        self._gate = threading.Lock()

    def get(self, key: str) -> SearchResult | None:
        """Return what is kept."""
        with self._gate:
            return self._kept.get(key)

    def put(self, key: str, result: SearchResult) -> None:
        """Keep a result."""
        with self._gate:
            self._kept[key] = result


class RedisClient(Protocol):
    """The part of a Redis client that results need."""

    def get(self, name: str) -> Any:
        """Return the bytes of a key, or ``None``."""
        ...

    def set(self, name: str, value: bytes, ex: int) -> Any:
        """Keep bytes for so many seconds."""
        ...


class ResultsInRedis:
    """Results that several processes share, encrypted. An unreachable Redis makes searches slower and nothing else.

    Args:
        client: Of ``redis``, giving bytes.
        errors: What the client raises.
        secret: The site's.
        seconds: How long a result is kept.
    """

    def __init__(self, client: RedisClient, *, errors: tuple[type[Exception], ...], secret: bytes, seconds: int) -> None:
        self._client = client
        self._errors: tuple[type[Exception], ...] = (*errors, InvalidToken, ValidationError)
        self._seconds = seconds
        self._box = Fernet(base64.urlsafe_b64encode(hmac.digest(secret, b"clindex results in redis", "sha256")))

    def get(self, key: str) -> SearchResult | None:
        """Return what is kept; what cannot be opened counts as nothing."""
        try:
            stored = self._client.get(_name(key))
            return None if stored is None else SearchResult.model_validate_json(self._box.decrypt(stored))
        except self._errors:
            return None

    def put(self, key: str, result: SearchResult) -> None:
        """Keep a result."""
        sealed = self._box.encrypt(result.model_dump_json().encode())
        try:
            self._client.set(_name(key), sealed, ex=self._seconds)
        except self._errors:
            return


def _name(key: str) -> str:
    return f"clindex:result:{key}"
