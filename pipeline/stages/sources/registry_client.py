"""ClinicalTrials.gov's API: a path in, checked JSON out.

Errors hold the status and the API's own short text, never a URL (it holds page tokens).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

import httpx

from pipeline.domain.errors import RecordError, SourceProtocolError
from pipeline.json_bytes import read_json
from pipeline.settings import Settings
from pipeline.stages.sources.polite_http import Answer, Limits, PassingFaultError, PoliteClient, RefusedStatusError, Request, utc_now
from pipeline.stages.sources.politeness import Sleep

#: Ten times the largest page thinkable: 1,000 studies of the 25 kB that a study with results has on average.
MAX_RESPONSE_BYTES: Final = 256 * 1024 * 1024
_MAX_REASON: Final = 200  # characters of the API's own text that are shown
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")


class RegistryClient:
    """Asks the registry, one request after another.

    Args:
        settings: The ``registry_*`` settings.
        client, sleep, clock, monotonic: See ``PoliteClient``.
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
        limits = Limits(
            settings.registry_requests_per_minute,
            settings.registry_timeout_seconds,
            settings.registry_max_attempts,
            settings.registry_max_wait_seconds,
            MAX_RESPONSE_BYTES,
        )
        self._base = settings.registry_url.rstrip("/")
        self._http = PoliteClient(
            "the registry", limits, setting="CLINDEX_REGISTRY_URL", client=client, sleep=sleep, clock=clock, monotonic=monotonic
        )

    def close(self) -> None:
        """Close the connections of a client of its own."""
        self._http.close()

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
        request = Request(f"{self._base}{path}", params, {"Accept": "application/json, text/plain;q=0.5"})
        return self._http.ask(request, lambda answer: self._read(answer, params, accept))

    def _read(self, answer: Answer, params: Mapping[str, str], accept: Callable[[Any], bool]) -> Any:
        if (fault := self._http.fault(answer)) is not None:
            raise fault
        if answer.status >= 400:
            raise RefusedStatusError("the registry", answer.status, _reason(answer, params))
        if answer.status != httpx.codes.OK:
            raise PassingFaultError(SourceProtocolError(f"the registry answered {answer.status}"))
        try:
            value = read_json(answer.body)
        except RecordError:
            raise PassingFaultError(SourceProtocolError("the registry's answer is not JSON")) from None
        if not accept(value):
            raise PassingFaultError(SourceProtocolError("the registry's answer is JSON, but not what its API promises"))
        return value


def _reason(answer: Answer, params: Mapping[str, str]) -> str:
    """Return the API's own short text, on one line, without a page token it may quote."""
    if not answer.headers.get("Content-Type", "").startswith("text/plain"):
        return ""
    text = answer.body.decode("utf-8", "replace")
    if token := params.get("pageToken"):
        text = text.replace(token, "…")
    return _CONTROL.sub(" ", text).strip()[:_MAX_REASON]
