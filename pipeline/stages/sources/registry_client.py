"""One polite HTTP client for the registry's API: a path in, checked JSON out, passing faults bridged, others raised as ours.

Errors and log events hold the status and the API's own short text, never a URL (it holds page tokens).
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from pipeline.domain.errors import (
    ConfigurationError,
    RecordError,
    SourceProtocolError,
    SourceRefusedError,
    SourceUnavailableError,
    TransientError,
)
from pipeline.json_bytes import read_json
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.stages.sources.politeness import Pacer, Sleep, retry_after_seconds

#: Waits of 4, 8, 16, 32 and 64 seconds bridge two minutes with the default six attempts; up to 4 s of jitter part many clients.
_FIRST_WAIT_SECONDS: Final = 4.0
_JITTER_SECONDS: Final = 4.0
#: Ten times the largest page thinkable: 1,000 studies of the 25 kB that a study with results has on average.
MAX_RESPONSE_BYTES: Final = 256 * 1024 * 1024
#: An answer that drips in for longer than so many time-outs is given up.
_TIMEOUTS_AN_ANSWER: Final = 10
#: An alias leads to a study in one hop; more than a few are a loop.
_MAX_REDIRECTS: Final = 3
_MAX_REASON: Final = 200  # characters of the API's own text that are shown
_PASSING: Final = frozenset({408, 425, 429})  # and every 5xx
_CHECK_URL: Final = "Check CLINDEX_REGISTRY_URL."
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")


class RefusedStatusError(SourceRefusedError):
    """The registry refused a request for good.

    Attributes:
        status: The HTTP status.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the registry answered {status}{f': {reason}' if reason else ''}")
        self.status = status


class _PassingFaultError(Exception):
    """Worth another attempt: what to raise when attempts are used up, and how long the registry asks to wait (seconds)."""

    def __init__(self, error: TransientError, retry_after: float | None = None) -> None:
        super().__init__()
        self.error = error
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: httpx.Headers
    body: bytes


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


class RegistryClient:
    """Asks the registry, one request after another.

    Args:
        settings: The ``registry_*`` settings.
        client: Sends the requests; by default one of its own, which ``close`` closes.
        sleep: Waits; tests replace it.
        clock: The time now in UTC, for ``Retry-After`` dates.
        monotonic: Seconds that never run backwards, for the spacing of requests.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        client: httpx.Client | None = None,
        sleep: Sleep = time.sleep,
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._owned = httpx.Client(timeout=settings.registry_timeout_seconds) if client is None else None
        self._http = client or self._owned or httpx.Client()
        self._sleep = sleep
        self._clock = clock
        self._monotonic = monotonic
        self._pacer = Pacer(settings.registry_requests_per_minute, sleep=sleep, monotonic=monotonic)
        self._backoff = wait_exponential_jitter(initial=_FIRST_WAIT_SECONDS, max=settings.registry_max_wait_seconds, jitter=_JITTER_SECONDS)

    def close(self) -> None:
        """Close the connections of a client of its own."""
        if self._owned is not None:
            self._owned.close()

    def get(self, path: str, params: Mapping[str, str], *, accept: Callable[[Any], bool]) -> Any:
        """Return the JSON that stands under ``path``. Redirects on the same host are followed.

        Args:
            path: Below the API's base URL, beginning with a slash.
            params: Sent as they are; a list is one value joined by ``|``.
            accept: Whether a value is what the API's contract promises there; another one counts as a passing fault.

        Raises:
            SourceUnavailableError: No good answer after all attempts, or the registry asks to wait too long.
            SourceProtocolError: Answers were truncated, no JSON, or not what was promised, also after all attempts.
            RefusedStatusError: A 4xx status other than 408, 425 and 429, at once.
        """
        attempts = Retrying(
            retry=retry_if_exception_type(_PassingFaultError),
            stop=stop_after_attempt(self._settings.registry_max_attempts),
            wait=self._wait_seconds,
            sleep=self._sleep,
            before_sleep=_log_retry,
            reraise=True,
        )
        try:
            return attempts(self._attempt, path, dict(params), accept)
        except _PassingFaultError as fault:
            raise fault.error from None

    def _wait_seconds(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome is not None else None
        asked = fault.retry_after if isinstance(fault, _PassingFaultError) else None
        return asked if asked is not None else self._backoff(state)

    def _attempt(self, path: str, params: dict[str, str], accept: Callable[[Any], bool]) -> Any:
        answer = self._follow(f"{self._settings.registry_url.rstrip('/')}{path}", params)
        if answer.status != httpx.codes.OK:
            raise self._fault(answer, params)
        try:
            value = read_json(answer.body)
        except RecordError:
            raise _PassingFaultError(SourceProtocolError("the registry's answer is not JSON")) from None
        if not accept(value):
            raise _PassingFaultError(SourceProtocolError("the registry's answer is JSON, but not what its API promises"))
        return value

    def _follow(self, url: str, params: dict[str, str]) -> _Answer:
        """Send a request and follow redirects, a few and on the same host only."""
        try:
            target, query = httpx.URL(url), params
        except httpx.InvalidURL:
            raise ConfigurationError("registry_url is no URL", remedy=_CHECK_URL) from None
        for _ in range(_MAX_REDIRECTS + 1):
            answer = self._send(target, query)
            location = answer.headers.get("Location")
            if not 300 <= answer.status < 400 or location is None:
                return answer
            target, query = _same_host(target, location), {}
        raise SourceRefusedError(f"the registry redirected more than {_MAX_REDIRECTS} times")

    def _send(self, url: httpx.URL, params: dict[str, str]) -> _Answer:
        """Send one request and read its answer, bounded in size and time."""
        self._pacer.wait()
        deadline = self._monotonic() + _TIMEOUTS_AN_ANSWER * self._settings.registry_timeout_seconds
        headers = {"Accept": "application/json, text/plain;q=0.5", "User-Agent": "clindex"}
        body = bytearray()
        try:
            # A given ``params`` replaces the query that a redirect's URL has; none leaves it.
            with self._http.stream("GET", url, params=params or None, headers=headers, follow_redirects=False) as response:
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MAX_RESPONSE_BYTES:
                        raise SourceProtocolError(
                            f"the registry's answer exceeds {MAX_RESPONSE_BYTES} bytes", remedy="Lower CLINDEX_REGISTRY_PAGE_SIZE."
                        )
                    if self._monotonic() > deadline:
                        raise _PassingFaultError(SourceUnavailableError("the registry's answer took too long"))
                return _Answer(response.status_code, response.headers, bytes(body))
        except httpx.UnsupportedProtocol:
            raise ConfigurationError("registry_url is no http or https URL", remedy=_CHECK_URL) from None
        except (httpx.RemoteProtocolError, httpx.DecodingError):
            raise _PassingFaultError(SourceProtocolError("the registry's answer ended early or is damaged")) from None
        except httpx.TimeoutException:
            raise _PassingFaultError(SourceUnavailableError("the registry did not answer in time")) from None
        except httpx.TransportError as error:
            raise _PassingFaultError(SourceUnavailableError(f"the registry cannot be reached ({type(error).__name__})")) from None

    def _fault(self, answer: _Answer, params: Mapping[str, str]) -> Exception:
        """Return what to raise for an answer that is not 200."""
        if answer.status in _PASSING or answer.status >= 500:
            seconds = retry_after_seconds(answer.headers.get("Retry-After"), now=self._clock())
            if seconds is not None and seconds > self._settings.registry_max_wait_seconds:
                until = (self._clock() + timedelta(seconds=seconds)).isoformat(timespec="seconds")
                return SourceUnavailableError(
                    f"the registry answered {answer.status} and asks to wait until {until}",
                    remedy="Run again then: a listing goes on where it stopped.",
                )
            return _PassingFaultError(SourceUnavailableError(f"the registry answered {answer.status}"), seconds)
        if answer.status >= 400:
            return RefusedStatusError(answer.status, _reason(answer, params))
        return _PassingFaultError(SourceProtocolError(f"the registry answered {answer.status}"))


def _same_host(url: httpx.URL, location: str) -> httpx.URL:
    """Return where a redirect leads, on the same scheme, host and port.

    Raises:
        SourceRefusedError: It leads elsewhere.
    """
    try:
        target = url.join(location)
    except httpx.InvalidURL:
        raise SourceRefusedError("the registry redirected to what is no URL") from None
    if (url.scheme, url.host, url.port) != (target.scheme, target.host, target.port):
        raise SourceRefusedError("the registry redirected to another host", remedy=_CHECK_URL)
    return target


def _reason(answer: _Answer, params: Mapping[str, str]) -> str:
    """Return the API's own short text, on one line, without a page token it may quote."""
    if not answer.headers.get("Content-Type", "").startswith("text/plain"):
        return ""
    text = answer.body.decode("utf-8", "replace")
    if token := params.get("pageToken"):
        text = text.replace(token, "…")
    return _CONTROL.sub(" ", text).strip()[:_MAX_REASON]


def _log_retry(state: RetryCallState) -> None:
    fault = state.outcome.exception() if state.outcome is not None else None
    error = type(fault.error).__name__ if isinstance(fault, _PassingFaultError) else None
    wait_seconds = round(state.next_action.sleep, 1) if state.next_action is not None else None
    log_event("source_retry", level=logging.WARNING, attempt=state.attempt_number, wait_seconds=wait_seconds, error=error)
