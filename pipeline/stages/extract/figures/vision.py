"""Optional: a picture in, what a vision model says of it out, over an OpenAI-compatible ``chat/completions`` endpoint.

Nothing is ever sent unless ``ReadOptions.vision_url`` is set. A picture cannot be de-identified, and its kind is not known while a file is
read: who makes the options sets the URL for files that are known to be public, and for no other.
"""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import httpx

from pipeline.chat import ChatEndpoint, Reply
from pipeline.domain.reading import FigureKind, ReadOptions
from pipeline.stages.extract.content import Figure

VISION: Final = "vision"
EMPTY_CAPTION: Final = "empty_caption"  # the model answered with nothing, or that it will not
FAILED_CAPTION: Final = "failed_caption"  # it did not answer, or not in the API's form

_TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)  # seconds; a captioning model on one GPU takes 2 to 10
_WHOLE_ANSWER: Final = 120.0  # seconds, however slowly it drips in
_MOST_FAILURES: Final = 3  # pictures in a row; then the endpoint is down, and the rest of the file does not wait for it
_MOST_TOKENS: Final = 400  # of a caption
_MOST_CHARACTERS: Final = 2_000
_PROMPT: Final = (
    "Describe this figure from a medical document in at most five plain sentences for a reader who cannot see it: what kind of figure it is, "
    "its axes or boxes, and the values, doses and labels that can be read in it. Say nothing that is not in the figure. Name no person."
)
_REFUSAL: Final = re.compile(
    r"(?:i\s?['\u2019]?\s?a?m\s+(?:sorry|unable|not able)|sorry,|i\s+(?:can(?:no|['\u2019])t|can\s+not|am\s+unable|do\s+not|don['\u2019]t)\b"
    r"|as an ai\b|unable to\b|no (?:image|figure)\b|n/?a\.?$|none\.?$|null$)",
    re.IGNORECASE,
)


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
        self._endpoint = ChatEndpoint(
            options.vision_url,
            model=options.vision_model,
            key=options.vision_key,
            timeout=timeout,
            whole_seconds=_WHOLE_ANSWER,
            sleep=sleep,
        )
        self._failures = 0

    def __enter__(self) -> VisionCaptioner:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._endpoint.close()

    def caption(self, image: bytes) -> Caption:
        """Return the caption of a PNG. Never raises for what the endpoint does: a figure without a caption keeps its print and OCR."""
        if self._failures >= _MOST_FAILURES:
            return Caption(notice=FAILED_CAPTION)
        url = f"data:image/png;base64,{b64encode(image).decode('ascii')}"
        content = [{"type": "text", "text": _PROMPT}, {"type": "image_url", "image_url": {"url": url}}]
        answer = _caption(self._endpoint.ask([{"role": "user", "content": content}], max_tokens=_MOST_TOKENS))
        self._failures = self._failures + 1 if answer.notice == FAILED_CAPTION else 0
        return answer


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


def _caption(reply: Reply) -> Caption:
    if reply.failure is not None:
        return Caption(notice=FAILED_CAPTION)
    plain = " ".join(reply.text.split())[:_MOST_CHARACTERS]
    if not any(sign.isalnum() for sign in plain) or _REFUSAL.match(plain):
        return Caption(tokens=reply.total_tokens, notice=EMPTY_CAPTION)
    return Caption(plain, reply.total_tokens)
