"""A local stand-in for an OpenAI-compatible endpoint: answers what it is told, well or badly, and remembers what it was sent.

with ChatServer(says("0.3 mg IM [P1].")) as server:
    ... Settings(answer_url=server.url, answer_model="parrot") ...
    assert server.prompts[0].count("begins") == 8
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

PROMPT_TOKENS, REPLY_TOKENS = 100, 20


@dataclass(frozen=True, slots=True)
class Said:
    """What is sent for one request. ``hangs``: nothing is, until the server ends."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False


Says = Callable[[str], Said]  # of the user's message


def says(text: object, *, usage: object = None) -> Says:
    """Answer with this text, whatever is asked; a function of the prompt is called with it."""

    def answer(prompt: str) -> Said:
        content = text(prompt) if callable(text) else text
        counted = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": REPLY_TOKENS, "total_tokens": PROMPT_TOKENS + REPLY_TOKENS}
        message = {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": counted if usage is None else usage}
        return Said(body=json.dumps(message).encode())

    return answer


def sends(body: bytes = b"", *, status: int = 200, **headers: str) -> Says:
    """Answer with these bytes."""
    return lambda _: Said(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def hangs() -> Says:
    """Never answer."""
    return lambda _: Said(hangs=True)


class ChatServer:
    """Serves on a free port of this machine. Its answers are given one after the other, the last again and again.

    Attributes:
        bodies: Requests as they came.
        keys: Their ``Authorization`` headers.
    """

    def __init__(self, *answers: Says) -> None:
        self._answers = answers
        self._ended = threading.Event()
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def prompts(self) -> list[str]:
        """The users' messages, in the order they came."""
        return [str(body["messages"][-1]["content"]) for body in self.bodies]

    def __enter__(self) -> ChatServer:
        """Begin to serve."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End, also what hangs."""
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(server) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.bodies.append(body)
                server.keys.append(self.headers.get("Authorization"))
                server.paths.append(self.path)
                answer = server._answers[min(len(server.bodies), len(server._answers)) - 1]
                said = answer(str(body["messages"][-1]["content"]))
                if said.hangs:
                    server._ended.wait(30)
                    return
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(said.body)))
                self.end_headers()
                self.wfile.write(said.body)

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        return Handler
