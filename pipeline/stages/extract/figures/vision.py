"""Optional: a picture in, what a vision model says of it out, over an OpenAI-compatible ``chat/completions`` endpoint.

Nothing is ever sent unless ``ReadOptions.vision_url`` is set. A picture cannot be de-identified, and its kind is not known while a file is
read: who makes the options sets the URL for files that are known to be public, and for no other.
"""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from pipeline.domain.reading import FigureKind, ReadOptions
from pipeline.stages.extract.content import Figure

VISION: Final = "vision"
EMPTY_CAPTION: Final = "empty_caption"  # the model answered with nothing, or that it will not
FAILED_CAPTION: Final = "failed_caption"  # it did not answer, or not in the API's form

_TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)  # seconds; a captioning model on one GPU takes 2 to 10
_WHOLE_ANSWER: Final = 120.0  # seconds, however slowly it drips in
_ATTEMPTS: Final = 3
_MOST_FAILURES: Final = 3  # pictures in a row; then the endpoint is down, and the rest of the file does not wait for it
_FIRST_WAIT: Final = 1.0  # seconds before the second attempt; doubled before the third
_MOST_BYTES: Final = 1_000_000  # of an answer: 600 tokens are 4 kB
_MOST_TOKENS: Final = 400  # of a caption
_MOST_CHARACTERS: Final = 2_000
_RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
_PROMPT: Final = (
    "Describe this figure from a medical document in at most five plain sentences for a reader who cannot see it: what kind of figure it is, "
    "its axes or boxes, and the values, doses and labels that can be read in it. Say nothing that is not in the figure. Name no person."
)
_REFUSAL: Final = re.compile(
    r"(?:i\s?['\u2019]?\s?a?m\s+(?:sorry|unable|not able)|sorry,|i\s+(?:can(?:no|['\u2019])t|can\s+not|am\s+unable|do\s+not|don['\u2019]t)\b"
    r"|as an ai\b|unable to\b|no (?:image|figure)\b|n/?a\.?$|none\.?$|null$)",
    re.IGNORECASE,
)


class _Later(Exception):
    """The endpoint asks to come again, or did not answer. Holds nothing of the answer."""


@dataclass(frozen=True, slots=True)
class Caption:
    """What an endpoint answered. ``notice``: why there is no text; ``tokens``: what it counted, also for an answer of no use."""

    text: str = field(default="", repr=False)
    tokens: int = 0
    notice: str = ""


class VisionCaptioner:
    """Asks one endpoint for captions. Use as a context manager.

    Args:
        options: Its ``vision_*``.
        sleep: Waits between attempts; seconds.
    """

    def __init__(self, options: ReadOptions, *, timeout: httpx.Timeout = _TIMEOUT, sleep: Callable[[float], None] = time.sleep) -> None:
        if not options.vision_url:
            raise ValueError("no endpoint is set")
        self._url = options.vision_url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
        self._model = options.vision_model
        headers = {"Authorization": f"Bearer {options.vision_key}"} if options.vision_key else {}
        self._client = httpx.Client(timeout=timeout, follow_redirects=False, headers=headers, trust_env=False)
        self._sleep = sleep
        self._failures = 0

    def __enter__(self) -> VisionCaptioner:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def caption(self, image: bytes) -> Caption:
        """Return the caption of a PNG. Never raises for what the endpoint does: a figure without a caption keeps its print and OCR."""
        if self._failures >= _MOST_FAILURES:
            return Caption(notice=FAILED_CAPTION)
        attempts = Retrying(
            retry=retry_if_exception_type(_Later),
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_exponential(multiplier=_FIRST_WAIT),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            answer = _caption(attempts(self._ask, image))
        except _Later:
            answer = Caption(notice=FAILED_CAPTION)
        self._failures = self._failures + 1 if answer.notice == FAILED_CAPTION else 0
        return answer

    def _ask(self, image: bytes) -> bytes | None:
        """Return the body of an answer, or nothing where asking again is of no use."""
        url = f"data:image/png;base64,{b64encode(image).decode('ascii')}"
        content = [{"type": "text", "text": _PROMPT}, {"type": "image_url", "image_url": {"url": url}}]
        body = {"model": self._model, "max_tokens": _MOST_TOKENS, "temperature": 0, "messages": [{"role": "user", "content": content}]}
        try:
            with self._client.stream("POST", self._url, json=body) as response:
                if response.status_code in _RETRIED:
                    raise _Later
                if response.status_code != httpx.codes.OK:  # a redirect too: the picture goes nowhere but where the site said
                    return None
                return _limited(response)
        except (httpx.HTTPError, httpx.InvalidURL):
            raise _Later from None


def captioned(figure: Figure, captioner: VisionCaptioner) -> tuple[Figure, str]:
    """Return a figure with a vision model's caption, or as it was with the notice of why there is none.

    A printed caption stays, the model's text follows it; text that was printed over the picture stays, too. Only text by OCR gives way.
    """
    if figure.kind is not FigureKind.FIGURE or not figure.image:
        return figure, ""
    answer = captioner.caption(figure.image)
    if not answer.text:
        return replace(figure, vision_tokens=answer.tokens), answer.notice
    printed = " ".join(line.text for line in figure.lines)
    over = figure.text if figure.text and figure.text in printed else ""
    text = " ".join(part for part in (over, answer.text) if part)
    return replace(figure, text=text, captioned_by=VISION, vision_tokens=answer.tokens), ""


def _limited(response: httpx.Response) -> bytes | None:
    body, deadline = b"", time.monotonic() + _WHOLE_ANSWER
    for part in response.iter_bytes():
        body += part
        if len(body) > _MOST_BYTES or time.monotonic() > deadline:
            return None
    return body


def _caption(body: bytes | None) -> Caption:
    try:
        answer: Any = json.loads(body) if body is not None else None
        text = answer["choices"][0]["message"]["content"]
        usage = answer.get("usage") or {}
        tokens = usage.get("total_tokens") or 0
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return Caption(notice=FAILED_CAPTION)
    tokens = tokens if isinstance(tokens, int) and tokens > 0 else 0
    plain = " ".join(text.split())[:_MOST_CHARACTERS] if isinstance(text, str) else ""
    if not any(sign.isalnum() for sign in plain) or _REFUSAL.match(plain):
        return Caption(tokens=tokens, notice=EMPTY_CAPTION)
    return Caption(plain, tokens)
