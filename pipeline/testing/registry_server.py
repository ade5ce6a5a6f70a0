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
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from pipeline.testing.http_faults import (
    TEXT,
    Answer,
    Fault,
    LocalServer,
    RecordedRequest,
    fails,
    malformed_json,
    slow,
    too_many_requests,
    truncated_body,
)
from pipeline.testing.registry_queries import BadRequestError, matching, page_size_of, refuse_unknown

_PREFIX: Final = "/api/v2"
_ID: Final = re.compile(r"/studies/((?:NCT|nct)\d{8})\Z", re.ASCII)

__all__ = [
    "Answer",
    "Fault",
    "RecordedRequest",
    "RegistryServer",
    "fails",
    "malformed_json",
    "slow",
    "too_many_requests",
    "truncated_body",
]


class RegistryServer(LocalServer):
    """Serves studies. Its attributes may be changed between requests.

    Attributes:
        studies: What is served, by id.
        aliases: Obsolete ids, each with the id that replaced it.
        data_timestamp: What ``/version`` says; ``None`` leaves it out.
        promised_total: Sent as ``totalCount`` in place of the true one.
        redirect_to: Where an alias is redirected to in place of its study (another host, a loop).
    """

    def __init__(self, studies: Iterable[dict[str, Any]] = (), *, aliases: Mapping[str, str] | None = None) -> None:
        super().__init__(_PREFIX)
        self.studies = {study["protocolSection"]["identificationModule"]["nctId"]: study for study in studies}
        self.aliases = dict(aliases or {})
        self.data_timestamp: str | None = "2024-06-01T09:00:05"
        self.promised_total: int | None = None
        self.redirect_to: str | None = None
        self._epoch = 0  # tokens of another epoch have expired

    def fail_next(self, *faults: Fault, path: str = "/studies") -> None:
        """See ``LocalServer``."""
        super().fail_next(*faults, path=path)

    def expire_tokens(self) -> None:
        """From now on, page tokens that were handed out before are refused."""
        self._epoch += 1

    def _route(self, request: RecordedRequest) -> Answer:
        try:
            return self._found(request)
        except BadRequestError as error:
            return Answer(400, str(error).encode(), TEXT)

    def _found(self, request: RecordedRequest) -> Answer:
        path = request.path.removeprefix(_PREFIX)
        if path == "/version":
            version = {"apiVersion": "2.0.3", "dataTimestamp": self.data_timestamp}
            return _json({key: value for key, value in version.items() if value is not None})
        if path == "/studies":
            return self._page(_once(request))
        if (match := _ID.match(path)) is not None:
            return self._study(match[1].upper())
        return Answer(404, b"Not found", TEXT)

    def _study(self, nct_id: str) -> Answer:
        if nct_id in self.aliases:
            target = self.redirect_to or f"{_PREFIX}/studies/{self.aliases[nct_id]}"
            return Answer(301, b"", TEXT, {"Location": target})
        if nct_id not in self.studies:
            return Answer(404, f"NCT number {nct_id} not found".encode(), TEXT)
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


def _once(request: RecordedRequest) -> Mapping[str, str]:
    """Return the parameters; one that came twice adds a parameter that does not exist, so that it is refused."""
    repeated = len(parse_qsl(request.query, keep_blank_values=True)) != len(request.params)
    return {**request.params, "repeated": "true"} if repeated else request.params


def _json(value: Any) -> Answer:
    return Answer(200, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _digest(params: Mapping[str, str]) -> str:
    """Return a hash of the parameters that every page of one listing must share."""
    fixed = sorted((name, value) for name, value in params.items() if name not in {"pageToken", "pageSize", "countTotal"})
    return hashlib.sha256(repr(fixed).encode()).hexdigest()[:8]
