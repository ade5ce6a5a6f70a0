"""One OpenAI-compatible ``chat/completions`` endpoint: messages in, a reply out, or the class of what went wrong. It never raises for a server.

What it is sent and what it answers is in no log and no error. A redirect is not followed: what is sent goes where the site said, and nowhere
else. Proxies of the environment are not used.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import httpx

ATTEMPTS: Final = 3
FIRST_WAIT: Final = 1.0  # seconds before the second attempt; doubled before the third
LONGEST_WAIT: Final = 20.0  # seconds: a longer Retry-After is an outage for somebody who waits for an answer
_MOST_BYTES: Final = 1_000_000  # of a reply: 600 tokens are 4 kB
_LATER: Final = frozenset({408, 425, 429, 500, 502, 503, 504})

Message = Mapping[str, Any]


class ChatFailure(StrEnum):
    """Why there is no reply."""

    UNREACHABLE = "unreachable"  # no answer in time, however often it was asked
    BUSY = "busy"  # 429 or 503, however often it was asked
    REFUSED = "refused"  # an HTTP status that asking again does not change
    NOT_THE_PROTOCOL = "not_the_protocol"
    TOO_LONG = "too_long"  # more bytes than a reply has


@dataclass(frozen=True, slots=True)
class Reply:
    """What the endpoint said. Of a failure ``text`` is empty.

    Attributes:
        prompt_tokens: As the endpoint counted them; 0: it did not say.
        reply_tokens: Likewise.
    """

    text: str = field(default="", repr=False)
    prompt_tokens: int = 0
    reply_tokens: int = 0
    total_tokens: int = 0
    failure: ChatFailure | None = None


class _AgainError(Exception):
    """Asking again may help. Holds nothing of the answer."""

    def __init__(self, failure: ChatFailure, wait_seconds: float | None = None) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.wait_seconds = wait_seconds


class ChatEndpoint:
    """Asks one endpoint. Use as a context manager.

    Args:
        url: Its base (``https://host/v1``), or that of ``chat/completions`` itself.
        model: What it calls the model.
        key: For ``Authorization: Bearer``; empty: none is sent.
        timeout: Of one attempt's connection and silence.
        whole_seconds: Of one answer with all its attempts, however slowly it drips in.
        sleep: Waits between attempts; seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str,
        key: str = "",
        timeout: httpx.Timeout,
        whole_seconds: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        self._model = model
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=timeout, follow_redirects=False, headers=headers, trust_env=False)
        self._timeout = timeout
        self._whole_seconds = whole_seconds
        self._sleep = sleep

    def __enter__(self) -> ChatEndpoint:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def ask(self, messages: Sequence[Message], *, max_tokens: int) -> Reply:
        """Return the reply to messages, at temperature 0."""
        body = {"model": self._model, "max_tokens": max_tokens, "temperature": 0, "messages": list(messages)}
        deadline = time.monotonic() + self._whole_seconds
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._once(body, deadline)
            except _AgainError as later:
                wait = FIRST_WAIT * 2 ** (attempt - 1) if later.wait_seconds is None else later.wait_seconds
                if attempt == ATTEMPTS or wait > LONGEST_WAIT or time.monotonic() + wait > deadline:
                    return Reply(failure=later.failure)
            self._sleep(wait)
        raise AssertionError("the last attempt returns")

    def _once(self, body: Mapping[str, Any], deadline: float) -> Reply:
        left = max(deadline - time.monotonic(), 0.1)
        timeout = httpx.Timeout(**{name: left if part is None else min(part, left) for name, part in self._timeout.as_dict().items()})
        try:
            with self._client.stream("POST", self._url, json=body, timeout=timeout) as response:
                if response.status_code in _LATER:
                    busy = response.status_code in (429, 503)
                    raise _AgainError(ChatFailure.BUSY if busy else ChatFailure.UNREACHABLE, _retry_after(response))
                if response.status_code != httpx.codes.OK:
                    return Reply(failure=ChatFailure.REFUSED)
                content = b""
                for part in response.iter_bytes():
                    content += part
                    if len(content) > _MOST_BYTES:
                        return Reply(failure=ChatFailure.TOO_LONG)
                    if time.monotonic() > deadline:
                        return Reply(failure=ChatFailure.UNREACHABLE)
        except (httpx.HTTPError, httpx.InvalidURL):
            raise _AgainError(ChatFailure.UNREACHABLE) from None
        return _reply(content)


def _retry_after(response: httpx.Response) -> float | None:
    """Return the seconds that a server asks to wait (RFC 9110, 10.2.3); a date is not read: our clock may not be the server's."""
    said = response.headers.get("Retry-After", "")
    return float(said) if said.isdecimal() else None


def _reply(content: bytes) -> Reply:
    try:
        answer: Any = json.loads(content)
        text = answer["choices"][0]["message"]["content"]
        usage = answer.get("usage") or {}
        prompt, reply, total = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens", "total_tokens"))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return Reply(failure=ChatFailure.NOT_THE_PROTOCOL)
    return Reply(text if isinstance(text, str) else "", prompt, reply, total or prompt + reply)


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
