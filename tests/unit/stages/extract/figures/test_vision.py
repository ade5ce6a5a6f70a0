"""The captioner against a server that answers well and badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from pipeline.domain.reading import FigureKind, ReadOptions
from pipeline.stages.extract.content import Box, Figure
from pipeline.stages.extract.figures.vision import EMPTY_CAPTION, FAILED_CAPTION, VISION, VisionCaptioner, captioned

PNG = b"\x89PNG of a survival curve"


@dataclass
class Endpoint:
    """What the server is told to answer, one after the other, the last again and again; and what it was sent."""

    answers: list[tuple[int, bytes]]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    hangs: threading.Event = field(default_factory=threading.Event)

    def next(self) -> tuple[int, bytes]:
        return self.answers[min(len(self.bodies), len(self.answers)) - 1]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    played = Endpoint([(200, _answer("A curve."))])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            played.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            played.keys.append(self.headers.get("Authorization"))
            status, body = played.next()
            if status == 0:
                played.hangs.wait(10)
                return
            self.send_response(status)
            if status == 302:
                self.send_header("Location", played.url + "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    played.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield played
    played.hangs.set()
    server.shutdown()
    server.server_close()


def _answer(content: object, tokens: object = 120) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}}], "usage": {"total_tokens": tokens}}).encode()


def _captioner(endpoint: Endpoint, **options: str) -> VisionCaptioner:
    told = ReadOptions(vision_url=endpoint.url, vision_model="seer", **options)  # type: ignore[arg-type]
    return VisionCaptioner(told, timeout=httpx.Timeout(0.3), sleep=lambda _: None)


def test_sends_the_picture_and_returns_caption_and_tokens(endpoint: Endpoint) -> None:
    with _captioner(endpoint, vision_key="k-1") as captioner:
        caption = captioner.caption(PNG)
    assert (caption.text, caption.tokens, caption.notice) == ("A curve.", 120, "")
    assert endpoint.keys == ["Bearer k-1"]
    assert endpoint.bodies[0]["model"] == "seer"
    assert endpoint.bodies[0]["messages"][0]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize(
    "content", ["", "  \n ", "...", None, "I cannot describe this image.", "I\u2019m sorry, but I can't help.", "As an AI model, I", "N/A"]
)
def test_an_empty_or_refusing_answer_is_no_caption_but_its_tokens_count(endpoint: Endpoint, content: object) -> None:
    endpoint.answers = [(200, _answer(content, 33))]
    with _captioner(endpoint) as captioner:
        caption = captioner.caption(PNG)
    assert (caption.text, caption.tokens, caption.notice) == ("", 33, EMPTY_CAPTION)


def test_a_caption_that_begins_like_a_refusal_is_kept(endpoint: Endpoint) -> None:
    endpoint.answers = [(200, _answer("Image of a flow chart; 12 participants could not be treated."))]
    with _captioner(endpoint) as captioner:
        assert captioner.caption(PNG).text.startswith("Image of a flow chart")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_asks_again_when_told_to_come_later(endpoint: Endpoint, status: int) -> None:
    endpoint.answers = [(status, b""), (200, _answer("A curve."))]
    with _captioner(endpoint) as captioner:
        assert captioner.caption(PNG).text == "A curve."
    assert len(endpoint.bodies) == 2


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ((500, b""), 3),
        ((0, b""), 3),  # hangs
        ((401, b"who?"), 1),
        ((302, b""), 1),
        ((200, b"<html>"), 1),
        ((200, b"[]"), 1),
        ((200, b'{"choices": []}'), 1),
        ((200, b"[" * 100_000), 1),
        ((200, b'"' + b"x" * 2_000_000 + b'"'), 1),
    ],
)
def test_a_bad_answer_is_a_notice_and_no_error(endpoint: Endpoint, answer: tuple[int, bytes], asked: int) -> None:
    endpoint.answers = [answer]
    with _captioner(endpoint) as captioner:
        assert captioner.caption(PNG).notice == FAILED_CAPTION
    assert len(endpoint.bodies) == asked


@pytest.mark.parametrize("tokens", [None, "many", -4])
def test_a_count_of_tokens_that_is_none_is_zero(endpoint: Endpoint, tokens: object) -> None:
    endpoint.answers = [(200, _answer("A curve.", tokens))]
    with _captioner(endpoint) as captioner:
        assert captioner.caption(PNG).tokens == 0


def test_an_endpoint_that_is_down_is_not_asked_for_every_picture(endpoint: Endpoint) -> None:
    endpoint.answers = [(400, b"")]
    with _captioner(endpoint) as captioner:
        notices = [captioner.caption(PNG).notice for _ in range(6)]
    assert notices == [FAILED_CAPTION] * 6
    assert len(endpoint.bodies) == 3


def test_without_an_endpoint_there_is_no_captioner() -> None:
    with pytest.raises(ValueError, match="no endpoint"):
        VisionCaptioner(ReadOptions())


def _figure(kind: FigureKind = FigureKind.FIGURE, image: bytes = PNG) -> Figure:
    return Figure(Box(0, 0, 90, 90), kind, 90, 90, image=image, caption="Figure 2. Survival", text="O8 mnths", captioned_by="printed")


def test_the_models_text_takes_the_place_of_ocr_and_the_printed_caption_stays(endpoint: Endpoint) -> None:
    with _captioner(endpoint) as captioner:
        figure, notice = captioned(_figure(), captioner)
    assert (figure.caption, figure.text, figure.captioned_by, figure.vision_tokens, notice) == (
        "Figure 2. Survival",
        "A curve.",
        VISION,
        120,
        "",
    )


def test_without_a_models_text_print_and_ocr_stay(endpoint: Endpoint) -> None:
    endpoint.answers = [(200, _answer("", 7))]
    with _captioner(endpoint) as captioner:
        figure, notice = captioned(_figure(), captioner)
    assert (figure.caption, figure.text, figure.captioned_by, figure.vision_tokens) == ("Figure 2. Survival", "O8 mnths", "printed", 7)
    assert notice == EMPTY_CAPTION


@pytest.mark.parametrize("figure", [_figure(FigureKind.REPEATED), _figure(image=b"")])
def test_what_is_no_figure_is_not_sent(endpoint: Endpoint, figure: Figure) -> None:
    with _captioner(endpoint) as captioner:
        assert captioned(figure, captioner) == (figure, "")
    assert endpoint.bodies == []
