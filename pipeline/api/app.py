"""The HTTP application: search and the latest report. Mounted alone by ``clindex serve``."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse

from pipeline.domain.errors import ClindexError, GuardRefusedError, StoreBusyError, TransientError, UsageError
from pipeline.jobs.status import status
from pipeline.jobs.summaries import StatusSummary
from pipeline.observability import log_event
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.unexpected import as_ours
from pipeline.wiring import Services, open_services

Result = TypeVar("Result")


def create_app(settings: Settings) -> FastAPI:
    """Return the application for one home. Home and model are opened when the server starts, not at the first search.

    The embedded index stays open between searches, until another process (an indexing run) wants it; searches then wait for its turns.
    """
    turn = threading.Lock()  # services, their index and their model serve one request at a time

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with open_services(settings) as services:
            services.require_collection()
            services.embedder.embed_query("warm up")
            app.state.services = services
            yield

    app = FastAPI(title="Clindex", version="1", lifespan=lifespan)
    _answer_errors(app)

    # A request waits for its turn in the thread that will serve it: were the turn taken by one thread for another, as many waiting
    # requests as the server has threads would wait for ever.
    def in_turn(request: Request, job: Callable[[Services], Result]) -> Result:
        if not turn.acquire(timeout=settings.lock_timeout_seconds):
            raise StoreBusyError("too many searches are waiting", remedy="try again, or serve more than one process")
        try:
            return job(request.app.state.services)
        finally:
            turn.release()

    @app.post("/search")
    def _search(wanted: SearchRequest, request: Request) -> SearchResult:
        return in_turn(request, lambda services: search(services, wanted, today=datetime.now(UTC).date()))

    @app.get("/status")
    def _status(request: Request) -> StatusSummary:
        return in_turn(request, status)

    @app.get("/health")
    async def _health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/report", response_class=FileResponse)
    def _report() -> FileResponse:
        page = settings.reports_folder / "latest.html"
        if not page.is_file():
            raise UsageError("there is no report yet", remedy="`clindex report` writes one.")
        return FileResponse(page, media_type="text/html")

    return app


def _answer_errors(app: FastAPI) -> None:
    """Answer every error as ``{"error": {type, message, remedy}}``; nothing that was sent or stored is quoted, here or in the log."""

    @app.exception_handler(ClindexError)
    async def _ours(_: Request, error: ClindexError) -> JSONResponse:
        return _answer(error)

    @app.exception_handler(RequestValidationError)
    async def _malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        fields = sorted({str(one["loc"][1]) for one in error.errors() if len(one["loc"]) > 1 and one["type"] != "extra_forbidden"})
        return _answer(UsageError(f"not a valid search: {', '.join(fields) or 'body'}", remedy="/docs says what a search holds."), 422)

    @app.middleware("http")
    async def _unexpected(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        try:
            return await call_next(request)
        except Exception as error:  # noqa: BLE001 - the server's own log would print the message, which may quote a document
            ours = as_ours(error)
            log_event("request_failed", level=logging.ERROR, error=ours.message)
            return _answer(ours)


def _answer(error: ClindexError, code: int | None = None) -> JSONResponse:
    code = code or next((number for kind, number in _CODES if isinstance(error, kind)), 500)
    return JSONResponse({"error": {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}}, status_code=code)


_CODES: Final = ((TransientError, 503), (UsageError, 400), (GuardRefusedError, 409))
