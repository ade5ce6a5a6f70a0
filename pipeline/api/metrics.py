"""Figures for Prometheus: counts and durations by endpoint, role and code. No query, no key, no path that a client chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

if TYPE_CHECKING:
    from pipeline.search.caches import QueryVectors

# Seconds. Aims are 0.06 without and 0.3 with re-ranking; beyond a second it is waiting for a lock.
_SECONDS: Final = (0.005, 0.01, 0.02, 0.03, 0.06, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 10.0)

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST


class Metrics:
    """The figures of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("clindex_requests", "Answered requests", ["endpoint", "code"], registry=self._registry)
        self._seconds = Histogram(
            "clindex_request_seconds", "Seconds to the answer", ["endpoint"], buckets=_SECONDS, registry=self._registry
        )
        self._hits = Counter("clindex_hits", "Hits shown", ["endpoint"], registry=self._registry)
        self._results = Counter("clindex_result_cache", "Look-ups of results", ["outcome"], registry=self._registry)
        self._vectors = Counter("clindex_query_cache", "Look-ups of query vectors", ["outcome"], registry=self._registry)
        self._seen = (0, 0)

    def answered(self, endpoint: str, code: int, seconds: float) -> None:
        """Count an answer. ``endpoint``: a route of ours, or ``other``."""
        self._requests.labels(endpoint, str(code)).inc()
        self._seconds.labels(endpoint).observe(seconds)

    def shown(self, endpoint: str, hits: int) -> None:
        """Count hits."""
        self._hits.labels(endpoint).inc(hits)

    def looked_up(self, *, found: bool) -> None:
        """Count a look-up of a result."""
        self._results.labels("hit" if found else "miss").inc()

    def page(self, vectors: QueryVectors | None) -> bytes:
        """Return all figures in Prometheus' text format."""
        if vectors is not None:
            now = (vectors.hits, vectors.misses)
            for name, count, before in zip(("hit", "miss"), now, self._seen, strict=True):
                self._vectors.labels(name).inc(max(0, count - before))  # another model's cache begins at 0
            self._seen = now
        return generate_latest(self._registry)
