"""Figures for Prometheus: counts and durations by endpoint and code, and the home's. No query, no key, no path that a client chose."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest

from pipeline.domain.errors import ClindexError
from pipeline.jobs.metrics import MEDIA_TYPE, HomeCollector, catalog
from pipeline.jobs.metrics.model import Definition, Family

if TYPE_CHECKING:
    from pipeline.search.caches import QueryVectors

__all__ = ["MEDIA_TYPE", "HomeFigures", "Metrics"]

_Made = TypeVar("_Made", Counter, Gauge)


@dataclass
class HomeFigures:
    """The home's figures, read again when they are older than ``max_age_seconds``: several monitors may ask, and truth is not theirs."""

    read: Callable[[], Sequence[Family]]
    max_age_seconds: float

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._families: Sequence[Family] = ()
        self._read_at: float | None = None
        self.readable = True

    def families(self) -> Sequence[Family]:
        """Return them; none where truth cannot be read now."""
        with self._lock:
            now = time.monotonic()
            if self._read_at is None or now - self._read_at >= self.max_age_seconds:
                try:
                    self._families, self.readable = self.read(), True
                except ClindexError:
                    self._families, self.readable = (), False
                self._read_at = now
            return self._families


class Metrics:
    """The figures of one application."""

    def __init__(self, home: HomeFigures) -> None:
        self._registry = CollectorRegistry()
        self._home = home
        self._requests = self._made(Counter, catalog.REQUESTS)
        self._seconds = _histogram(catalog.REQUEST_TIME, self._registry)
        self._searches = self._made(Counter, catalog.SEARCHES)
        self._zero_hits = self._made(Counter, catalog.ZERO_HITS)
        self._hits = self._made(Counter, catalog.HITS)
        self._results = self._made(Counter, catalog.RESULT_CACHE)
        self._vectors = self._made(Counter, catalog.QUERY_CACHE)
        self._refused_keys = self._made(Counter, catalog.REFUSED_KEYS)
        self._home_up = self._made(Gauge, catalog.HOME_UP)
        self._registry.register(HomeCollector(home.families))
        self._seen = (0, 0)

    def _made(self, kind: type[_Made], one: Definition) -> _Made:
        return kind(one.name, one.says, one.labels, registry=self._registry)

    def answered(self, endpoint: str, code: int, seconds: float) -> None:
        """Count an answer. ``endpoint``: a route of ours, or ``other``."""
        self._requests.labels(endpoint, str(code)).inc()
        self._seconds.labels(endpoint).observe(seconds)

    def shown(self, endpoint: str, hits: int) -> None:
        """Count a search and its hits."""
        self._searches.labels(endpoint).inc()
        self._zero_hits.labels(endpoint).inc(0 if hits else 1)
        self._hits.labels(endpoint).inc(hits)

    def looked_up(self, *, found: bool) -> None:
        """Count a look-up of a result."""
        self._results.labels("hit" if found else "miss").inc()

    def refused_key(self, *, limited: bool) -> None:
        """Count a request with a key that opens nothing."""
        self._refused_keys.labels("429" if limited else "401").inc()

    def page(self, vectors: QueryVectors | None) -> bytes:
        """Return all figures in Prometheus' text format."""
        if vectors is not None:
            now = (vectors.hits, vectors.misses)
            for name, count, before in zip(("hit", "miss"), now, self._seen, strict=True):
                self._vectors.labels(name).inc(max(0, count - before))  # another model's cache begins at 0
            self._seen = now
        self._home.families()
        self._home_up.set(self._home.readable)
        return generate_latest(self._registry)


def _histogram(one: Definition, registry: CollectorRegistry) -> Histogram:
    return Histogram(one.name, one.says, one.labels, buckets=one.buckets, registry=registry)
