"""One FHIR server: what it is, its JSON under a URL, the bytes of its files; with a token where it wants one.

Errors hold a status and FHIR's own code of the issue, never a URL (ids of patients stand in them) and never the server's words.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

import httpx

from pipeline.domain.errors import ConfigurationError, RecordError, SourceProtocolError, SourceRefusedError
from pipeline.domain.vocabulary import FhirVersion
from pipeline.fhir.exact_json import read_exact
from pipeline.settings import Settings
from pipeline.stages.sources.fhir.smart import BackendToken, read_key
from pipeline.stages.sources.polite_http import Answer, Limits, PassingFaultError, PoliteClient, RefusedStatusError, Request

NAME: Final = "the FHIR server"
FHIR_JSON: Final = "application/fhir+json"
_ACCEPT: Final = {"Accept": f"{FHIR_JSON}, application/json;q=0.5"}
_FILES: Final = {"Accept": "application/fhir+ndjson, application/ndjson;q=0.9, */*;q=0.1", "Accept-Encoding": "gzip"}
#: A page, a manifest or a Binary is read whole. 200 resources with attachments of some MB fit.
MAX_ANSWER_BYTES: Final = 256 * 1024 * 1024
_UNAUTHORIZED: Final = 401
_RELEASES: Final = {"3.0": FhirVersion.STU3, "4.0": FhirVersion.R4, "4.3": FhirVersion.R4B, "5.0": FhirVersion.R5}
#: Codes of issues (https://hl7.org/fhir/R4/valueset-issue-type.html): the only words of an OperationOutcome that are shown.
ISSUES: Final = frozenset(
    {
        *("invalid", "structure", "required", "value", "invariant", "security", "login", "unknown", "expired", "forbidden", "suppressed"),
        *("processing", "not-supported", "duplicate", "multiple-matches", "not-found", "deleted", "too-long", "code-invalid", "extension"),
        *("too-costly", "business-rule", "conflict", "transient", "lock-error", "no-store", "exception", "timeout", "incomplete"),
        *("throttled", "informational", "success"),
    }
)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Page:
    """A JSON answer.

    Attributes:
        value: JSON values; numbers are ``Printed``.
        headers: Of the answer.
        status: Of the answer: 200 or 202.
    """

    value: Any = field(repr=False)
    headers: httpx.Headers = field(repr=False)
    status: int = 200


class FhirServer:
    """Asks one server.

    Args:
        settings: The ``fhir_*`` settings.
        http: Sends the requests; by default one made of the settings.

    Raises:
        ConfigurationError: There is no URL, it is none, it is not TLS, or the key cannot be used.
    """

    def __init__(self, settings: Settings, *, http: PoliteClient | None = None) -> None:
        if not settings.fhir_url:
            raise ConfigurationError("no FHIR server is known", remedy="Set CLINDEX_FHIR_URL to its base URL.")
        self.url = settings.fhir_url.rstrip("/")
        self._settings = settings
        self._origin = _origin(self.url, allow_http=settings.fhir_allow_http)
        limits = Limits(
            settings.fhir_requests_per_minute,
            settings.fhir_timeout_seconds,
            settings.fhir_max_attempts,
            settings.fhir_max_wait_seconds,
            MAX_ANSWER_BYTES,
        )
        self.http = http or PoliteClient(NAME, limits, setting="CLINDEX_FHIR_URL")
        self._backend = self._backend_token()

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    @cached_property
    def capabilities(self) -> Mapping[str, Any]:
        """The server's CapabilityStatement; empty where it shows none."""
        try:
            value = self.get(f"{self.url}/metadata").value
        except SourceRefusedError:
            return {}
        return value if isinstance(value, Mapping) else {}

    @property
    def version(self) -> FhirVersion | None:
        """The release of FHIR that the server says it speaks."""
        said = self.capabilities.get("fhirVersion")
        return _RELEASES.get(".".join(said.split(".")[:2])) if isinstance(said, str) else None

    def has(self, interaction: str) -> frozenset[str] | None:
        """Return the types for which the server says it has an interaction (``search-type``, ``history-type``); ``None``: it does not say."""
        listed = [
            one
            for rest in _dicts(self.capabilities.get("rest"))
            if rest.get("mode") != "client"
            for one in _dicts(rest.get("resource"))
            if any(code.get("code") == interaction for code in _dicts(one.get("interaction")))
        ]
        return frozenset(str(one.get("type")) for one in listed) if listed else None

    def get(
        self,
        url: str,
        params: Mapping[str, str] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        accept: frozenset[int] = frozenset({200}),
    ) -> Page:
        """Return the JSON under a URL of this server.

        Args:
            url: Absolute, or relative to the base.
            params: Of the query.
            headers: Beside ``Accept`` and the token.
            method: HTTP's.
            accept: Statuses that are no failure; of another than 200 the body may be empty.

        Raises:
            SourceRefusedError: The URL leads to another host, or see ``RefusedStatusError``.
            SourceUnavailableError, SourceProtocolError: See ``PoliteClient.ask``.
        """
        request = Request(self._own(url), params or {}, {**_ACCEPT, **(headers or {})}, method)
        return self._ask(request, lambda answer: self._page(answer, accept))

    def content(self, url: str) -> tuple[str, bytes]:
        """Return media type and bytes of what is under a URL of this server, as JSON where the server has a choice.

        Raises:
            RefusedStatusError: It is not there, or not for us.
        """

        def read(answer: Answer) -> tuple[str, bytes]:
            self._refuse(answer)
            return answer.headers.get("Content-Type", "").partition(";")[0].strip().lower(), answer.body

        return self._ask(Request(self._own(url), headers=_ACCEPT), read)

    @contextmanager
    def open(self, url: str, *, with_token: bool) -> Iterator[Iterator[bytes]]:
        """Open a file of an export, perhaps on another host: its bytes as sent, compressed ones too.

        Args:
            url: Where it is.
            with_token: Whether it is asked for with the access token, as its manifest says.

        Raises:
            RefusedStatusError: The link is over, or not for us.
            PassingFaultError: Another attempt may help; also while its bytes are read.
            ConfigurationError: A file, or a token, would go over the network in the clear.
        """
        _origin(url, allow_http=self._settings.fhir_allow_http)
        for anew in (False, True):
            headers = {**_FILES, **(self._authorization(anew=anew) if with_token else {})}
            with self.http.stream(Request(url, headers=headers)) as response:
                if response.status_code == _UNAUTHORIZED and with_token and self._backend is not None and not anew:
                    continue
                self._refuse(Answer(response.status_code, response.headers, b""))
                yield response.iter_raw()
                return

    def _ask(self, request: Request, read: Callable[[Answer], _T]) -> _T:
        """Ask with a token, once more with a new one where it is not accepted."""
        if self._backend is None:
            return self._http_ask(request, read, anew=False)
        try:
            return self._http_ask(request, read, anew=False)
        except RefusedStatusError as error:
            if error.status != _UNAUTHORIZED:
                raise
            return self._http_ask(request, read, anew=True)

    def _http_ask(self, request: Request, read: Callable[[Answer], _T], *, anew: bool) -> _T:
        headers = {**request.headers, **self._authorization(anew=anew)}
        return self.http.ask(Request(request.url, request.params, headers, request.method), read)

    def _page(self, answer: Answer, accept: frozenset[int]) -> Page:
        if answer.status not in accept:
            self._refuse(answer)
            raise SourceProtocolError(f"{NAME} answered {answer.status}")
        if answer.status != httpx.codes.OK:
            return Page(None, answer.headers, answer.status)
        try:
            return Page(read_exact(answer.body), answer.headers)
        except RecordError:
            raise PassingFaultError(SourceProtocolError(f"an answer of {NAME} is not JSON")) from None

    def _refuse(self, answer: Answer) -> None:
        if (fault := self.http.fault(answer)) is not None:
            raise fault
        if answer.status >= 300:
            remedy = "Check the client's rights at the server." if answer.status in {401, 403} else None
            raise RefusedStatusError(NAME, answer.status, issue_of(answer.body), remedy=remedy)

    def _own(self, url: str) -> str:
        """Return an absolute URL of this server.

        Raises:
            SourceRefusedError: It is of another host: neither token nor questions go there.
        """
        try:
            target = httpx.URL(f"{self.url}/").join(url)
        except httpx.InvalidURL:
            raise SourceRefusedError(f"{NAME} named what is no URL") from None
        if (target.scheme, target.host, target.port) != self._origin:
            raise SourceRefusedError(
                f"{NAME} named another host", remedy="Its own base URL is set wrongly, or CLINDEX_FHIR_URL is not the one it uses."
            )
        return str(target)

    def _authorization(self, *, anew: bool = False) -> dict[str, str]:
        if self._backend is not None:
            return {"Authorization": f"Bearer {self._backend.get(anew=anew)}"}
        given = self._settings.fhir_token
        return {"Authorization": f"Bearer {given.get_secret_value()}"} if given is not None else {}

    def _backend_token(self) -> BackendToken | None:
        settings = self._settings
        if settings.fhir_client_id is None and settings.fhir_private_key_file is None:
            return None
        if settings.fhir_client_id is None or settings.fhir_private_key_file is None:
            raise ConfigurationError(
                "half of what a token is asked for with is set", remedy="Set both CLINDEX_FHIR_CLIENT_ID and CLINDEX_FHIR_PRIVATE_KEY_FILE."
            )
        key = read_key(settings.fhir_private_key_file, key_id=settings.fhir_key_id)
        return BackendToken(self.http, self._token_url, client_id=settings.fhir_client_id, key=key, scope=settings.fhir_scope)

    def _token_url(self) -> str:
        """Return the token endpoint: the setting's, else the one that the server names. TLS, as the server itself."""
        url = self._settings.fhir_auth_url
        if url is None:
            request = Request(f"{self.url}/.well-known/smart-configuration", headers={"Accept": "application/json"})
            try:
                page = self.http.ask(request, lambda answer: self._page(answer, frozenset({200})))
                said = page.value.get("token_endpoint") if isinstance(page.value, Mapping) else None
            except SourceRefusedError:
                said = None
            if not isinstance(said, str):
                raise SourceRefusedError(f"{NAME} names no token endpoint", remedy="Set CLINDEX_FHIR_AUTH_URL to it.")
            url = said
        _origin(url, allow_http=self._settings.fhir_allow_http)
        return url


def issue_of(body: bytes) -> str:
    """Return the code of an OperationOutcome's first issue, or nothing."""
    try:
        value = read_exact(body) if body else None
    except RecordError:
        return ""
    issues = _dicts(value.get("issue")) if isinstance(value, Mapping) else []
    code = issues[0].get("code") if issues else None
    return code if isinstance(code, str) and code in ISSUES else ""


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _origin(url: str, *, allow_http: bool) -> tuple[str, str, int | None]:
    """Return scheme, host and port.

    Raises:
        ConfigurationError: It is no URL, or its traffic could be read on the way.
    """
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL("")
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise ConfigurationError(
            "an address of the FHIR server is no http or https URL", remedy="Check CLINDEX_FHIR_URL and CLINDEX_FHIR_AUTH_URL."
        )
    if parsed.scheme == "http" and not allow_http and not _is_loopback(parsed.host):
        raise ConfigurationError(
            "the FHIR server would be asked without TLS",
            remedy="Use its https URL; CLINDEX_FHIR_ALLOW_HTTP=true within a network that you trust.",
        )
    return parsed.scheme, parsed.host, parsed.port


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
