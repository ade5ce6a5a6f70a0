"""Builds what the service counts and remembers with, in this process or in Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pipeline.api.limits import Limiter, LimiterHere, LimiterInRedis
from pipeline.domain.errors import ConfigurationError
from pipeline.search.caches import Results, ResultsHere, ResultsInRedis
from pipeline.settings import Settings

if TYPE_CHECKING:
    import redis

# A search takes tens of milliseconds: a Redis that takes longer than this to answer is one without which searches are faster.
_REDIS_TIMEOUT_SECONDS: Final = 0.25


class Stores(NamedTuple):
    """What the service counts and remembers with."""

    requests: Limiter
    failed_keys: Limiter
    results: Results | None


def open_stores(settings: Settings, secret: bytes) -> Stores:
    """Return both limiters and the results' store; no results are kept where ``CLINDEX_RESULT_CACHE_SIZE`` is 0.

    Raises:
        ConfigurationError: The Redis URL cannot be read. Nothing is connected to yet.
    """
    seconds, size = settings.result_cache_seconds, settings.result_cache_size
    if settings.redis_url is None:
        requests, failed = (LimiterHere(most) for most in (settings.requests_per_minute, settings.failed_keys_per_minute))
        return Stores(requests, failed, ResultsHere(size=size, seconds=seconds) if size else None)
    import redis

    client = redis_client(settings.redis_url.get_secret_value())
    errors = (redis.RedisError, OSError)
    shared, shared_failed = (
        LimiterInRedis(client, errors=errors, per_minute=most) for most in (settings.requests_per_minute, settings.failed_keys_per_minute)
    )
    return Stores(shared, shared_failed, ResultsInRedis(client, errors=errors, secret=secret, seconds=seconds) if size else None)


def redis_client(url: str) -> redis.Redis:
    """Return a client that tries once: its own retries would let every search wait for seconds while Redis is away.

    Raises:
        ConfigurationError: The URL cannot be read.
    """
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    try:
        once, timeout = Retry(NoBackoff(), 0), _REDIS_TIMEOUT_SECONDS
        return redis.Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout, retry=once)
    except ValueError:
        raise ConfigurationError("the Redis URL cannot be used", remedy="write it as redis://host:port/0") from None
