"""What every route works with: the opened home, a turn in it, what is remembered and counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from fastapi import Request

from pipeline.api.metrics import Metrics
from pipeline.api.stores import Stores
from pipeline.domain.errors import StoreBusyError
from pipeline.domain.ports import DenseEmbedder
from pipeline.jobs.summaries import StartCheck
from pipeline.search.caches import QueryVectors
from pipeline.settings import Settings
from pipeline.wiring import Services


@dataclass
class Serving:
    """A home while it is served. Routes reach it by ``serving_of``.

    ``CLINDEX_SERVE_SLOTS`` requests work at a time. A request waits for its slot in the thread that will serve it: were the slot taken by
    one thread for another, as many waiting requests as the server has threads would wait for ever.
    """

    settings: Settings
    services: Services
    stores: Stores
    metrics: Metrics
    check: StartCheck
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        self._slots = threading.BoundedSemaphore(self.settings.serve_slots)
        self._opening = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[Services]:
        """Wait for a slot, and have the home as seen from the collection that is live now.

        Raises:
            StoreBusyError: Too many others were waiting as well.
        """
        if not self._slots.acquire(timeout=self.settings.lock_timeout_seconds):
            raise StoreBusyError("too many searches are waiting", remedy="try again, or serve more than one process")
        try:
            yield self.live()
        finally:
            self._slots.release()

    def live(self) -> Services:
        """Return the home as seen from the live collection, with a model that remembers queries."""
        with self._opening:  # of two requests after a promotion, one opens the new model
            there = self.services.live()
            if not isinstance(there.embedder, QueryVectors):
                there.embedder = self._remembering(there.embedder)
                there.kind_embedders = {kind: self._remembering(one) for kind, one in there.kind_embedders.items()}
            return there

    def _remembering(self, embedder: DenseEmbedder) -> QueryVectors:
        settings = self.settings
        return QueryVectors(embedder, secret=self.services.secret, size=settings.query_cache_size, hours=settings.query_cache_hours)


def serving_of(request: Request) -> Serving:
    """Return what a request is served with."""
    serving: Serving = request.app.state.serving
    return serving
