"""Local HTTP servers that play a service and misbehave on demand: what they record, what they send, and what goes wrong with it."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlsplit

JSON: Final = "application/json"
TEXT: Final = "text/plain"


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it came."""

    path: str
    query: str  # still percent-encoded
    params: Mapping[str, str]  # of a name that is repeated, the last value
    headers: Mapping[str, str]
    method: str = "GET"
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return a header's value, empty where there is none; names have no case."""
        return next((value for own, value in self.headers.items() if own.casefold() == name.casefold()), "")

    def values(self, name: str) -> list[str]:
        """Return every value of a parameter, in order."""
        return [value for own, value in parse_qsl(self.query, keep_blank_values=True) if own == name]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent. ``cut`` bytes are left out of the body although ``Content-Length`` counts them."""

    status: int
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int = 0
    delay_seconds: float = 0.0


Fault = Callable[[Answer], Answer]  # changes the answer that would have been sent


def fails(status: int, reason: str = "", **headers: str) -> Fault:
    """Answer with an error status and a short text."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Answer(status, reason.encode(), TEXT, named)


def too_many_requests(*, retry_after: str | None = None) -> Fault:
    """Answer 429; ``retry_after`` is seconds or an HTTP date."""
    return fails(429, "Too many requests", **({"Retry_After": retry_after} if retry_after is not None else {}))


def truncated_body(answer: Answer) -> Answer:
    """Send half of the body and close the connection."""
    return replace(answer, cut=max(1, len(answer.body) // 2))


def malformed_json(answer: Answer) -> Answer:
    """Send a body that is complete by its length and no JSON."""
    return replace(answer, body=answer.body[: len(answer.body) // 2])


def slow(seconds: float) -> Fault:
    """Answer late."""
    return lambda answer: replace(answer, delay_seconds=seconds)


class LocalServer(ABC):
    """Serves on a free port of 127.0.0.1 while it is open, one request at a time.

    Args:
        prefix: Path of the service's root, beginning with ``/``.

    Attributes:
        requests: Every request so far, in order.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.requests: list[RecordedRequest] = []
        self._faults: list[tuple[str, Fault]] = []
        self._lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The service's base URL."""
        return f"http://127.0.0.1:{self._server.server_port}{self.prefix}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail_next(self, *faults: Fault, path: str = "") -> None:
        """Let the next requests whose path below the root begins with ``path`` fail, one fault each, in this order.

        Such a request is carried out all the same: it is its answer that gets lost.
        """
        with self._lock:
            self._faults.extend((f"{self.prefix}{path}", fault) for fault in faults)

    def answer(self, request: RecordedRequest) -> Answer:
        """Return what is sent for a request, faults included."""
        with self._lock:
            self.requests.append(request)
            place = next((place for place, (path, _) in enumerate(self._faults) if request.path.startswith(path)), None)
            fault = None if place is None else self._faults.pop(place)[1]
            answer = self._route(request)
        return fault(answer) if fault else answer

    @abstractmethod
    def _route(self, request: RecordedRequest) -> Answer:
        """Return what the service answers."""


def _handler_of(server: LocalServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536  # headers and body leave together; apart they wait 40 ms for each other

        def _take(self) -> None:
            parts = urlsplit(self.path)
            params = dict(parse_qsl(parts.query, keep_blank_values=True))
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = server.answer(RecordedRequest(parts.path, parts.query, params, dict(self.headers), self.command, body))
            time.sleep(answer.delay_seconds)
            self._send(answer)

        do_GET = do_POST = do_DELETE = _take

        def _send(self, answer: Answer) -> None:
            try:
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                self.send_header("Content-Length", str(len(answer.body)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body[: len(answer.body) - answer.cut])
                self.close_connection = self.close_connection or answer.cut > 0
            except OSError:  # the client gave up waiting
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Stay silent."""

    return Handler
