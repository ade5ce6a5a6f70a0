"""Local stand-ins for what a home tells of itself to: any HTTP receiver, and a mail server."""

from __future__ import annotations

import socketserver
import threading
from contextlib import suppress
from types import TracebackType
from typing import Final, Self, cast

from pipeline.testing.http_faults import Answer, LocalServer, RecordedRequest


class Receiver(LocalServer):
    """Takes whatever is posted and answers 200 with nothing: an OTLP receiver, a Slack webhook, a webhook."""

    def __init__(self) -> None:
        super().__init__("")

    def _route(self, request: RecordedRequest) -> Answer:
        return Answer(200, b"", request.header("Content-Type"))


_REPLIES: Final = {"DATA": "354 go on", "QUIT": "221 bye", "EHLO": "250 mail.example"}


class MailServer:
    """Speaks enough SMTP for a client without TLS. ``messages``: what was sent, whole; ``envelopes``: from whom and to whom."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.envelopes: list[list[str]] = []
        self.refuse = False  # every recipient from now on
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _MailHandler)
        self._server.daemon_threads = True
        self._server.mail = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"smtp://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _MailHandler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        with suppress(ConnectionError):  # the client gave up
            self._talk()

    def _talk(self) -> None:
        mail = cast("MailServer", self.server.mail)  # type: ignore[attr-defined]
        envelope: list[str] = []
        self._say("220 mail.example")
        while line := self.rfile.readline().decode("ascii", "replace").strip():
            verb = line[:4].upper()
            if verb in ("MAIL", "RCPT"):
                envelope.append(line[line.index("<") + 1 : line.index(">")])
            if verb == "RCPT" and mail.refuse:
                self._say("550 nobody of that name")
                continue
            self._say(_REPLIES.get(verb, "250 ok"))
            if verb == "DATA":
                mail.messages.append(self._body())
                mail.envelopes.append(envelope)
                self._say("250 taken")
            elif verb == "QUIT":
                return

    def _body(self) -> str:
        lines = []
        while (line := self.rfile.readline().decode("utf-8", "replace").rstrip("\r\n")) != ".":
            lines.append(line)
        return "\n".join(lines)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())
