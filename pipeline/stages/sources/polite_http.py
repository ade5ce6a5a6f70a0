"""Requests to a source over HTTP: spaced, bounded in size and time, passing faults bridged, others raised as ours.

Errors and log events hold a status and what a caller says of an answer, never a URL (it holds tokens) and never a body.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from pipeline.domain.errors import ConfigurationError, SourceProtocolError, SourceRefusedError, SourceUnavailableError, TransientError
from pipeline.observability import log_event
from pipeline.stages.sources.politeness import Pacer, Sleep, retry_after_seconds

#: Waits of 4, 8, 16, 32 and 64 seconds bridge two minutes with the default six attempts; up to 4 s of jitter part many clients.
_FIRST_WAIT_SECONDS: Final = 4.0
_JITTER_SECONDS: Final = 4.0
#: An answer that is read whole and drips in for longer than so many time-outs is given up.
_TIMEOUTS_AN_ANSWER: Final = 10
#: An alias leads to its target in one hop; more than a few are a loop.
_MAX_REDIRECTS: Final = 3
_PASSING: Final = frozenset({408, 425, 429})  # and every 5xx

_T = TypeVar("_T")


class PassingFaultError(Exception):
    """Worth another attempt: what to raise when attempts are used up, and how long the source asks to wait (seconds)."""

    def __init__(self, error: TransientError, retry_after: float | None = None) -> None:
        super().__init__()
        self.error = error
        self.retry_after = retry_after


class RefusedStatusError(SourceRefusedError):
    """A source refused a request for good.

    Attributes:
        status: The HTTP status.
    """

    def __init__(self, name: str, status: int, reason: str, *, remedy: str | None = None) -> None:
        super().__init__(f"{name} answered {status}{f': {reason}' if reason else ''}", remedy=remedy)
        self.status = status


@dataclass(frozen=True, slots=True)
class Limits:
    """How a source is asked.

    Attributes:
        per_minute: Requests a minute at most.
        timeout_seconds: For a connection, and between two pieces of an answer.
        attempts: At one request, the first one counted.
        max_wait_seconds: The longest wait between two attempts; a source that asks for more is unavailable.
        max_bytes: Of an answer that is read whole.
    """

    per_minute: float
    timeout_seconds: float
    attempts: int
    max_wait_seconds: float
    max_bytes: int


@dataclass(frozen=True, slots=True)
class Request:
    """One request. ``params`` replace a query that the URL has; none leave it."""

    url: str = field(repr=False)
    params: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    form: Mapping[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was read whole."""

    status: int
    headers: httpx.Headers
    body: bytes = field(repr=False)


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


class PoliteClient:
    """Asks one source, one request after another.

    Args:
        name: Of the source in errors: ``the registry``.
        setting: The setting that holds its address, for remedies.
        limits: How it is asked.
        client: Sends the requests; by default one of its own, which ``close`` closes.
        sleep: Waits; tests replace it.
        clock: The time now in UTC, for ``Retry-After`` dates.
        monotonic: Seconds that never run backwards, for the spacing of requests.
    """

    def __init__(
        self,
        name: str,
        limits: Limits,
        *,
        setting: str,
        client: httpx.Client | None = None,
        sleep: Sleep = time.sleep,
        clock: Callable[[], datetime] = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.limits = name, limits
        self.clock, self.sleep = clock, sleep
        self._remedy = f"Check {setting}."
        self._owned = httpx.Client(timeout=limits.timeout_seconds) if client is None else None
        self._http = client or self._owned or httpx.Client()
        self._monotonic = monotonic
        self._pacer = Pacer(limits.per_minute, sleep=sleep, monotonic=monotonic)
        self._backoff = wait_exponential_jitter(initial=_FIRST_WAIT_SECONDS, max=limits.max_wait_seconds, jitter=_JITTER_SECONDS)

    def close(self) -> None:
        """Close the connections of a client of its own."""
        if self._owned is not None:
            self._owned.close()

    def ask(self, request: Request, read: Callable[[Answer], _T]) -> _T:
        """Return what ``read`` makes of the answer to a request. Redirects on the same host are followed.

        Args:
            request: Sent again after each passing fault.
            read: Raises ``PassingFaultError`` for what another attempt may mend, and any error of ours for what it cannot.

        Raises:
            SourceUnavailableError: No answer after all attempts.
            SourceProtocolError: Answers were truncated, also after all attempts, or too large.
            SourceRefusedError: It redirects elsewhere, or in circles.
            ConfigurationError: The address is none.
        """
        return self.attempts(lambda: read(self.once(request)))

    def attempts(self, do: Callable[[], _T]) -> _T:
        """Do something until it raises no ``PassingFaultError``, with waits between.

        Raises:
            TransientError: The last fault's error, once attempts are used up.
        """
        retrying = Retrying(
            retry=retry_if_exception_type(PassingFaultError),
            stop=stop_after_attempt(self.limits.attempts),
            wait=self._wait_seconds,
            sleep=self.sleep,
            before_sleep=_log_retry,
            reraise=True,
        )
        try:
            return retrying(do)
        except PassingFaultError as fault:
            raise fault.error from None

    def fault(self, answer: Answer) -> Exception | None:
        """Return what to raise for a status that another attempt may mend; ``None``: it cannot, or it is no fault."""
        if answer.status not in _PASSING and answer.status < 500:
            return None
        seconds = retry_after_seconds(answer.headers.get("Retry-After"), now=self.clock())
        if seconds is not None and seconds > self.limits.max_wait_seconds:
            until = (self.clock() + timedelta(seconds=seconds)).isoformat(timespec="seconds")
            return SourceUnavailableError(
                f"{self.name} answered {answer.status} and asks to wait until {until}",
                remedy="Run again then: a listing goes on where it stopped.",
            )
        return PassingFaultError(SourceUnavailableError(f"{self.name} answered {answer.status}"), seconds)

    @contextmanager
    def stream(self, request: Request) -> Iterator[httpx.Response]:
        """Open an answer to be read piece by piece; a fault while it is read is a ``PassingFaultError``. Redirects are not followed."""
        self._pacer.wait()
        given = self._http.stream(
            request.method,
            request.url,
            params=dict(request.params) or None,  # given ones replace the URL's own; none leave it
            headers={"User-Agent": "clindex", **request.headers},
            data=request.form,
            follow_redirects=False,
        )
        with self._faults(), given as response:
            yield response

    def once(self, request: Request) -> Answer:
        """Send a request once, and follow redirects, a few and on the same host only.

        Raises:
            PassingFaultError: Another attempt may help.
        """
        try:
            target, sent = httpx.URL(request.url), request
        except httpx.InvalidURL:
            raise ConfigurationError(f"the address of {self.name} is no URL", remedy=self._remedy) from None
        for _ in range(_MAX_REDIRECTS + 1):
            answer = self._send(sent)
            location = answer.headers.get("Location")
            if not 300 <= answer.status < 400 or location is None:
                return answer
            target = self._same_host(target, location)
            sent = Request(str(target), {}, request.headers)
        raise SourceRefusedError(f"{self.name} redirected more than {_MAX_REDIRECTS} times")

    def _send(self, request: Request) -> Answer:
        """Send one request and read its answer, bounded in size and time."""
        deadline = self._monotonic() + _TIMEOUTS_AN_ANSWER * self.limits.timeout_seconds
        body = bytearray()
        with self.stream(request) as response:
            for piece in response.iter_bytes():
                body += piece
                if len(body) > self.limits.max_bytes:
                    raise SourceProtocolError(
                        f"an answer of {self.name} exceeds {self.limits.max_bytes} bytes", remedy="Ask for smaller pages."
                    )
                if self._monotonic() > deadline:
                    raise PassingFaultError(SourceUnavailableError(f"an answer of {self.name} took too long"))
            return Answer(response.status_code, response.headers, bytes(body))

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Say in our own words what the library says."""
        try:
            yield
        except httpx.UnsupportedProtocol:
            raise ConfigurationError(f"the address of {self.name} is no http or https URL", remedy=self._remedy) from None
        except (httpx.RemoteProtocolError, httpx.DecodingError):
            raise PassingFaultError(SourceProtocolError(f"an answer of {self.name} ended early or is damaged")) from None
        except httpx.TimeoutException:
            raise PassingFaultError(SourceUnavailableError(f"{self.name} did not answer in time")) from None
        except httpx.TransportError as error:
            raise PassingFaultError(SourceUnavailableError(f"{self.name} cannot be reached ({type(error).__name__})")) from None

    def _same_host(self, url: httpx.URL, location: str) -> httpx.URL:
        """Return where a redirect leads, on the same scheme, host and port.

        Raises:
            SourceRefusedError: It leads elsewhere.
        """
        try:
            target = url.join(location)
        except httpx.InvalidURL:
            raise SourceRefusedError(f"{self.name} redirected to what is no URL") from None
        if (url.scheme, url.host, url.port) != (target.scheme, target.host, target.port):
            raise SourceRefusedError(f"{self.name} redirected to another host", remedy=self._remedy)
        return target

    def pause(self, attempt: int, fault: PassingFaultError) -> None:
        """Wait after a fault, as ``attempts`` does; for what is read piece by piece. ``attempt`` counts from 1."""
        state = RetryCallState(Retrying(), None, (), {})
        state.attempt_number = attempt
        state.set_exception((type(fault), fault, None))
        log_event("source_retry", level=logging.WARNING, attempt=attempt, error=type(fault.error).__name__)
        self.sleep(self._wait_seconds(state))

    def _wait_seconds(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome is not None else None
        asked = fault.retry_after if isinstance(fault, PassingFaultError) else None
        return asked if asked is not None else self._backoff(state)


def _log_retry(state: RetryCallState) -> None:
    fault = state.outcome.exception() if state.outcome is not None else None
    error = type(fault.error).__name__ if isinstance(fault, PassingFaultError) else None
    wait_seconds = round(state.next_action.sleep, 1) if state.next_action is not None else None
    log_event("source_retry", level=logging.WARNING, attempt=state.attempt_number, wait_seconds=wait_seconds, error=error)
