"""A local stand-in for ClinicalTrials.gov's API v2: follows its OpenAPI file, and misbehaves on demand.

with RegistryServer(study_records(5)) as registry:
    registry.fail_next(too_many_requests(retry_after="2"))
    ... Settings(registry_url=registry.url) ...
    assert registry.requests[0].path == "/api/v2/studies"
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from pipeline.testing.registry_queries import BadRequestError, matching, page_size_of, refuse_unknown

_PREFIX: Final = "/api/v2"
_ID: Final = re.compile(r"/studies/((?:NCT|nct)\d{8})\Z", re.ASCII)
_JSON: Final = "application/json"
_TEXT: Final = "text/plain"


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it came."""

    path: str
    query: str  # still percent-encoded
    params: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is sent. ``cut`` bytes are left out of the body although ``Content-Length`` counts them."""

    status: int
    body: bytes
    content_type: str = _JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int = 0
    delay_seconds: float = 0.0


Fault = Callable[[Answer], Answer]  # changes the answer that would have been sent


def fails(status: int, reason: str = "", **headers: str) -> Fault:
    """Answer with an error status and the API's kind of short text."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Answer(status, reason.encode(), _TEXT, named)


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


class RegistryServer:
    """Serves studies on 127.0.0.1. Its attributes may be changed between requests.

    Attributes:
        studies: What is served, by id.
        aliases: Obsolete ids, each with the id that replaced it.
        data_timestamp: What ``/version`` says; ``None`` leaves it out.
        promised_total: Sent as ``totalCount`` in place of the true one.
        redirect_to: Where an alias is redirected to in place of its study (another host, a loop).
        requests: Every request so far, in order.
    """

    def __init__(self, studies: Iterable[dict[str, Any]] = (), *, aliases: Mapping[str, str] | None = None) -> None:
        self.studies = {study["protocolSection"]["identificationModule"]["nctId"]: study for study in studies}
        self.aliases = dict(aliases or {})
        self.data_timestamp: str | None = "2024-06-01T09:00:05"
        self.promised_total: int | None = None
        self.redirect_to: str | None = None
        self.requests: list[RecordedRequest] = []
        self._faults: deque[tuple[str, Fault]] = deque()
        self._epoch = 0  # tokens of another epoch have expired
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The API's base URL, for ``Settings.registry_url``."""
        return f"http://127.0.0.1:{self._server.server_port}{_PREFIX}"

    def __enter__(self) -> RegistryServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail_next(self, *faults: Fault, path: str = "/studies") -> None:
        """Let the next requests whose path begins with ``path`` fail, one fault each, in this order."""
        with self._lock:
            self._faults.extend((f"{_PREFIX}{path}", fault) for fault in faults)

    def expire_tokens(self) -> None:
        """From now on, page tokens that were handed out before are refused."""
        self._epoch += 1

    def answer(self, request: RecordedRequest) -> Answer:
        """Return what is sent for a request, faults included."""
        with self._lock:
            self.requests.append(request)
            fault = self._faults.popleft()[1] if self._faults and request.path.startswith(self._faults[0][0]) else None
        try:
            answer = self._route(request)
        except BadRequestError as error:
            answer = Answer(400, str(error).encode(), _TEXT)
        return fault(answer) if fault else answer

    def _route(self, request: RecordedRequest) -> Answer:
        path = request.path.removeprefix(_PREFIX)
        if path == "/version":
            version = {"apiVersion": "2.0.3", "dataTimestamp": self.data_timestamp}
            return _json({key: value for key, value in version.items() if value is not None})
        if path == "/studies":
            return self._page(request.params)
        if (match := _ID.match(path)) is not None:
            return self._study(match[1].upper())
        return Answer(404, b"Not found", _TEXT)

    def _study(self, nct_id: str) -> Answer:
        if nct_id in self.aliases:
            target = self.redirect_to or f"{_PREFIX}/studies/{self.aliases[nct_id]}"
            return Answer(301, b"", _TEXT, {"Location": target})
        if nct_id not in self.studies:
            return Answer(404, f"NCT number {nct_id} not found".encode(), _TEXT)
        return _json(self.studies[nct_id])

    def _page(self, params: Mapping[str, str]) -> Answer:
        refuse_unknown(params)
        found = matching(self.studies.values(), params)
        token = params.get("pageToken")
        start = self._offset(token, params) if token is not None else 0
        end = start + page_size_of(params)
        page: dict[str, Any] = {"studies": found[start:end]}
        if token is None and params.get("countTotal") == "true":
            page["totalCount"] = self.promised_total if self.promised_total is not None else len(found)
        if len(page["studies"]) == page_size_of(params):  # as the registry does: the page after may be empty
            page["nextPageToken"] = self._token(end, params)
        return _json(page)

    def _token(self, offset: int, params: Mapping[str, str]) -> str:
        """Make a token with the characters that must be percent-encoded, bound to all other parameters."""
        text = f"{self._epoch}:{offset}:{_digest(params)}"
        return "t+/" + base64.b64encode(text.encode()).decode() + "="

    def _offset(self, token: str, params: Mapping[str, str]) -> int:
        try:
            epoch, offset, digest = base64.b64decode(token.removeprefix("t+/")[:-1]).decode().split(":")
        except ValueError:
            raise BadRequestError(f"pageToken is invalid: {token}") from None
        if int(epoch) != self._epoch:
            raise BadRequestError(f"pageToken has expired: {token}")
        if digest != _digest(params):
            raise BadRequestError("parameters differ from those of the first page")
        return int(offset)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # headers and body leave together; apart they wait 40 ms for each other

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                pairs = parse_qsl(parts.query, keep_blank_values=True)
                params = dict(pairs)
                if len(params) != len(pairs):
                    params["repeated"] = "true"  # no parameter may be: it is refused as unknown
                answer = server.answer(RecordedRequest(parts.path, parts.query, params, dict(self.headers)))
                time.sleep(answer.delay_seconds)
                self._send(answer)

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


def _json(value: Any) -> Answer:
    return Answer(200, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _digest(params: Mapping[str, str]) -> str:
    """Return a hash of the parameters that every page of one listing must share."""
    fixed = sorted((name, value) for name, value in params.items() if name not in {"pageToken", "pageSize", "countTotal"})
    return hashlib.sha256(repr(fixed).encode()).hexdigest()[:8]
