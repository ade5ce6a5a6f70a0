"""Limits of the service: requests a minute by who asks, and bytes of a request."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from cachetools import LRUCache

from pipeline.domain.errors import TooManyRequestsError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MINUTE: Final = 60
_ASKERS: Final = 10_000  # kept at a time, the least recent forgotten: a bucket is 100 bytes, and one that is forgotten is full again


class Limiter(Protocol):
    """Counts requests."""

    def take(self, asker: str) -> None:
        """Count one request of a key's id, or of an address.

        Raises:
            TooManyRequestsError: Those of this minute are used up; says when to ask again.
        """
        ...


class LimiterHere:
    """A bucket an asker in this process: it holds a minute's requests and fills evenly."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = float(per_minute)
        self._clock = clock
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(_ASKERS)  # left, and when that was
        self._gate = threading.Lock()

    def take(self, asker: str) -> None:
        """Count one request."""
        with self._gate:
            now = self._clock()
            left, since = self._buckets.get(asker, (self._size, now))
            left = min(self._size, left + (now - since) * self._size / _MINUTE)
            if left < 1:
                self._buckets[asker] = (left, now)
                raise TooManyRequestsError(math.ceil((1 - left) * _MINUTE / self._size))
            self._buckets[asker] = (left - 1, now)


class RedisCounter(Protocol):
    """The part of a Redis client that a limiter needs."""

    def incr(self, name: str) -> Any:
        """Count one up and return the number."""
        ...

    def expire(self, name: str, time: int) -> Any:
        """Forget a key after so many seconds."""
        ...


class LimiterInRedis:
    """A count an asker and clock minute, shared by several processes. Where Redis does not answer, each counts by itself.

    Args:
        client: Of ``redis``.
        errors: What the client raises.
        per_minute: Most requests.
        clock: Seconds since the epoch.
    """

    def __init__(
        self, client: RedisCounter, *, errors: tuple[type[Exception], ...], per_minute: int, clock: Callable[[], float] = time.time
    ) -> None:
        self._client = client
        self._errors = errors
        self._size = per_minute
        self._clock = clock
        self._alone = LimiterHere(per_minute)

    def take(self, asker: str) -> None:
        """Count one request."""
        now = self._clock()
        name = f"clindex:requests:{asker}:{int(now // _MINUTE)}"
        try:
            number = int(self._client.incr(name))
            if number == 1:
                self._client.expire(name, 2 * _MINUTE)
        except self._errors:
            self._alone.take(asker)
            return
        if number > self._size:
            raise TooManyRequestsError(math.ceil(_MINUTE - now % _MINUTE))


class RequestSize:
    """Reads no more of a request than is allowed; what is longer is answered with 413, whatever its header says."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":  # the client has gone
                return
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > self._max:
                await _refuse(send)
                return
            if not message.get("more_body", False):
                break
        body: Message | None = {"type": "http.request", "body": b"".join(chunks), "more_body": False}

        async def replay() -> Message:
            nonlocal body
            if body is None:
                return await receive()
            given, body = body, None
            return given

        await self._app(scope, replay, send)


async def _refuse(send: Send) -> None:
    text = b'{"error":{"type":"RequestTooLargeError","message":"the request has too many bytes","remedy":"CLINDEX_MAX_REQUEST_BYTES"}}'
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text})
