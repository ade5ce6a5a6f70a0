"""The HTTP application: search and the latest report. Mounted alone by ``clindex serve``."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final, Literal, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel

from pipeline.domain.errors import ClindexError, GuardRefusedError, StoreBusyError, TransientError, UsageError
from pipeline.jobs.start_check import start_check
from pipeline.jobs.status import status
from pipeline.jobs.summaries import StartCheck, StartFinding, StatusSummary
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
            live = services.live()  # searched by its own model, whatever the settings name for the next collection
            live.require_collection()
            live.embedder.embed_query("warm up")
            app.state.services = services
            app.state.started_at = datetime.now(UTC)
            app.state.check = _checked(services)
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
    async def _health(request: Request) -> Health:
        found: StartCheck = request.app.state.check
        return Health(status="ok", drift_check=found.verdict, findings=found.findings, checked_at=request.app.state.started_at)

    @app.get("/report", response_class=FileResponse)
    def _report() -> FileResponse:
        page = settings.reports_folder / "latest.html"
        if not page.is_file():
            raise UsageError("there is no report yet", remedy="`clindex report` writes one.")
        return FileResponse(page, media_type="text/html")

    return app


class Health(BaseModel):
    """Whether the server answers, and what the check of index against truth found when it started (``/status`` checks again)."""

    status: Literal["ok"]
    drift_check: Literal["clean", "drift", "unknown"]
    findings: list[StartFinding]
    checked_at: datetime


def _checked(services: Services) -> StartCheck:
    """Compare index and truth cheaply, and log what was found. Drift stops no server: every hit is read from truth."""
    live = services.live()
    try:
        found = start_check(live)
    except TransientError:  # another process holds the index: searches will wait for their turn as well
        found = StartCheck(verdict="unknown", collection=live.collection, seconds=0.0)
    level = logging.INFO if found.verdict == "clean" else logging.WARNING
    log_event("start_check", level=level, verdict=found.verdict, findings=",".join(found.findings), seconds=found.seconds)
    return found


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
