"""A local stand-in for a FHIR server: search, history, bulk export and SMART Backend Services, and it misbehaves on demand.

with FhirServer([{"resourceType": "Patient", "id": "p1"}], page_size=2) as server:
    server.fail_next(too_many_requests(retry_after="2"), path="/$export")
    ... Settings(fhir_url=server.url) ...
    assert server.requests[0].header("Prefer") == "respond-async"
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote, unquote

from pipeline.testing.fhir_bulk import NDJSON, Export, RefusedKickOffError, begin
from pipeline.testing.fhir_resources import Resources, Stored, bundle, outcome, printed
from pipeline.testing.fhir_search import BadSearchError, found, history_since, page_size_of
from pipeline.testing.fhir_tokens import Tokens, configuration
from pipeline.testing.http_faults import Answer, LocalServer, RecordedRequest

FHIR_JSON: Final = "application/fhir+json"
_PREFIX: Final = "/fhir"
_OPEN: Final = frozenset({"/metadata", "/.well-known/smart-configuration", "/token"})  # needed by whoever has no token yet


@dataclass(frozen=True, slots=True)
class _Listing:
    """Pages that follow a first one, as everything was then."""

    kind: str  # of the Bundle
    entries: list[bytes]
    start: int
    size: int
    epoch: int


class FhirServer(LocalServer):
    """Serves resources on 127.0.0.1. Its attributes may be changed between requests.

    Attributes:
        now: The server's time: of what is written, of exports, of tokens. Only the test moves it; what is written at the moment of an
            export belongs to that export, and not to the next ``_since`` it.
        page_size: Entries a page, where ``_count`` does not ask for fewer.
        promised_total: Sent as a search's ``total`` in place of the true one.
        pending_polls: How often an export's status answers 202 before its manifest; for exports that begin from now on.
        retry_after: ``Retry-After`` of those answers: seconds, an HTTP date, or none.
        rows_per_file: Largest number of lines in an export's file, so that a type has several; for exports that begin from now on.
        gzip: Files are sent with ``Content-Encoding: gzip`` to who accepts it.
        require_token: All but ``/metadata`` and the way to a token answers 401 without a valid one; files see ``file_token_required``.
        file_token_required: Files too, and manifests say so.
        expired_status: What links that have expired answer.
        smart: Whether there are a SMART configuration and a token endpoint.
        tokens: Clients that are known, and their tokens.
        outcome_lines: OperationOutcomes in each manifest's ``error`` file.
    """

    def __init__(self, resources: Iterable[Mapping[str, Any] | bytes] = (), *, fhir_version: str = "4.0.1", page_size: int = 20) -> None:
        super().__init__(_PREFIX)
        self.fhir_version = fhir_version
        self.page_size = page_size
        self.now = datetime(2024, 6, 1, 9, 0, 5, tzinfo=UTC)
        self.promised_total: int | None = None
        self.pending_polls = 1
        self.retry_after: str | None = "0"
        self.rows_per_file: int | None = None
        self.gzip = False
        self.require_token = self.file_token_required = False
        self.expired_status = 410
        self.smart = False
        self.tokens = Tokens()
        self.outcome_lines: list[dict[str, Any]] = []
        self._resources = Resources()
        self._exports: dict[str, Export] = {}
        self._listings: dict[str, _Listing] = {}
        self._epoch = 0  # links of another epoch have expired
        for resource in resources:
            self.put(resource)

    @property
    def clients(self) -> dict[str, str | Mapping[str, Any]]:
        """Public key of each client that may ask for a token: PEM, or a JWK."""
        return self.tokens.clients

    @property
    def token_url(self) -> str:
        """The token endpoint."""
        return f"{self.url}/token"

    def put(self, resource: Mapping[str, Any] | bytes) -> None:
        """Write a resource at ``now``; bytes are served as they are. See ``Resources.put`` for what it raises."""
        with self._lock:
            self._resources.put(resource, self.now)

    def remove(self, kind: str, own_id: str) -> None:
        """Delete a resource at ``now``.

        Raises:
            KeyError: There is none.
        """
        with self._lock:
            self._resources.remove(kind, own_id, self.now)

    def expire_links(self) -> None:
        """From now on, files' URLs and links to next pages that were handed out before are refused; a new poll hands out new ones."""
        with self._lock:
            self._epoch += 1

    def answer(self, request: RecordedRequest) -> Answer:
        """See ``LocalServer``; files are compressed once their fault is in them."""
        sent = super().answer(request)
        if not (self.gzip and sent.status == 200 and sent.content_type == NDJSON and "gzip" in request.header("Accept-Encoding")):
            return sent
        body = gzip.compress(sent.body, mtime=0)
        return replace(sent, body=body, cut=len(body) // 2 if sent.cut else 0, headers={**sent.headers, "Content-Encoding": "gzip"})

    def _route(self, request: RecordedRequest) -> Answer:
        parts = unquote(request.path).removeprefix(_PREFIX).strip("/").split("/")
        needs_token = self.file_token_required if parts[0] == "files" else self.require_token
        if needs_token and f"/{'/'.join(parts)}" not in _OPEN and not self.tokens.is_valid(request, self.now):
            refused = _outcome(401, "login", "a valid access token is needed")
            return replace(refused, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
        if request.method == "POST":
            is_token = parts == ["token"] and self.smart
            return self.tokens.give(request, self.token_url, self.now) if is_token else _outcome(405, "not-supported")
        if parts[0] == "status" and len(parts) == 2:
            return self._status(parts[1], request.method)
        return self._read(parts, request) if request.method == "GET" else _outcome(405, "not-supported")

    def _read(self, parts: list[str], request: RecordedRequest) -> Answer:
        match parts:
            case ["metadata"]:
                return _json(self._capabilities())
            case [".well-known", "smart-configuration"] if self.smart:
                return replace(_json(configuration(self.token_url)), content_type="application/json")
            case ["$export"] | ["Patient", "$export"] | ["Group", _, "$export"]:
                return self._kick_off(request)
            case ["files", epoch, export, name]:
                return self._file(epoch, export, name.removesuffix(".ndjson"))
            case [""] if "_getpages" in request.params:
                return self._next_page(request.params["_getpages"])
            case ["_history"] | [_, "_history"] | [""] | [_]:
                return self._first_page(parts, request)
            case [kind, own_id]:
                return self._one(kind, own_id, request)
        return _outcome(404, "not-found")

    def _capabilities(self) -> dict[str, Any]:
        interactions = [{"code": code} for code in ("read", "search-type", "history-type")]
        kinds = sorted({kind for kind, _ in self._resources.current})
        rest = {"mode": "server", "resource": [{"type": kind, "interaction": interactions} for kind in kinds]}
        said = {"resourceType": "CapabilityStatement", "status": "active", "date": printed(self.now), "kind": "instance"}
        return {**said, "fhirVersion": self.fhir_version, "format": ["json"], "rest": [rest]}

    def _one(self, kind: str, own_id: str, request: RecordedRequest) -> Answer:
        stored = self._resources.current.get((kind, own_id))
        if stored is None:
            return _outcome(410, "deleted") if self._resources.was_removed((kind, own_id)) else _outcome(404, "not-found")
        if kind == "Binary" and "json" not in request.header("Accept"):  # then FHIR has the content itself be sent
            value = json.loads(stored.line)
            return Answer(200, base64.b64decode(value.get("data", "")), value["contentType"])
        return Answer(200, stored.line, FHIR_JSON)

    def _first_page(self, parts: list[str], request: RecordedRequest) -> Answer:
        kinds = {parts[0]} - {"", "_history"}
        try:
            size = page_size_of(request, self.page_size)
            if parts[-1] == "_history":
                entries = [self._event(one) for one in history_since(self._resources.events, kinds, request)]
                return self._page(_Listing("history", entries, 0, size, self._epoch), self._url_of(request))
            entries = [self._match(one) for one in found(self._resources.current.values(), kinds, request)]
        except BadSearchError as error:
            return _outcome(400, "invalid", str(error))
        return self._page(_Listing("searchset", entries, 0, size, self._epoch), self._url_of(request))

    def _next_page(self, token: str) -> Answer:
        listing = self._listings.get(token)
        if listing is None or listing.epoch != self._epoch:
            return _outcome(self.expired_status, "expired", "this search is over")
        return self._page(listing, f"{self.url}?_getpages={quote(token, safe='')}")

    def _page(self, listing: _Listing, own_url: str) -> Answer:
        end = listing.start + listing.size
        links = {"self": own_url}
        if end < len(listing.entries):
            token = f"p+/{secrets.token_hex(8)}="  # signs that must be percent-encoded
            self._listings[token] = replace(listing, start=end)
            links["next"] = f"{self.url}?_getpages={quote(token, safe='')}"
        total = self.promised_total if self.promised_total is not None else len(listing.entries)
        return Answer(200, bundle(listing.kind, listing.entries[listing.start : end], total=total, links=links), FHIR_JSON)

    def _match(self, one: Stored) -> bytes:
        return b'{"fullUrl":%b,"resource":%b,"search":{"mode":"match"}}' % (self._full_url(one), one.line)

    def _event(self, one: Stored) -> bytes:
        request = json.dumps({"method": "DELETE" if one.removed else "PUT", "url": f"{one.kind}/{one.id}"}).encode()
        response = json.dumps({"status": "204" if one.removed else "200", "lastModified": printed(one.written)}).encode()
        resource = b"" if one.removed else b'"resource":%b,' % one.line
        return b'{"fullUrl":%b,%b"request":%b,"response":%b}' % (self._full_url(one), resource, request, response)

    def _full_url(self, one: Stored) -> bytes:
        return json.dumps(f"{self.url}/{one.kind}/{one.id}").encode()

    def _url_of(self, request: RecordedRequest) -> str:
        return f"{self.url}{request.path.removeprefix(_PREFIX)}" + (f"?{request.query}" if request.query else "")

    def _kick_off(self, request: RecordedRequest) -> Answer:
        polls, rows = self.pending_polls, self.rows_per_file
        try:
            export = begin(request, self._url_of(request), self._resources, self.now, polls=polls, rows_per_file=rows)
        except RefusedKickOffError as error:
            return _outcome(400, "invalid", str(error))
        except KeyError:
            return _outcome(404, "not-found", "no such group")
        own_id = secrets.token_hex(8)
        self._exports[own_id] = export
        return Answer(202, b"", headers={"Content-Location": f"{self.url}/status/{own_id}"})

    def _status(self, own_id: str, method: str) -> Answer:
        export = self._exports.get(own_id)
        if export is None:
            return _outcome(404, "not-found", "no such export")
        if method == "DELETE":
            del self._exports[own_id]
            return Answer(202, b"")
        if (pending := export.status(self.retry_after)) is not None:
            return pending
        base = f"{self.url}/files/{self._epoch}/{own_id}"
        manifest = export.manifest(base, errors=bool(self.outcome_lines), token_needed=self.file_token_required)
        return Answer(200, json.dumps(manifest).encode(), headers={"Expires": export.expires()})

    def _file(self, epoch: str, own_id: str, name: str) -> Answer:
        lines = self._exports[own_id].lines_of(name, self.outcome_lines) if own_id in self._exports else None
        if lines is None:
            return _outcome(404, "not-found", "no such file")
        if epoch != str(self._epoch):
            return _outcome(self.expired_status, "expired", "this link is over")
        return Answer(200, b"".join(itertools.chain.from_iterable((line, b"\n") for line in lines)), NDJSON)


def _json(value: Any) -> Answer:
    return Answer(200, json.dumps(value).encode(), FHIR_JSON)


def _outcome(status: int, code: str, text: str = "") -> Answer:
    return Answer(status, json.dumps(outcome(code, text)).encode(), FHIR_JSON)
