"""The HTTP application: search and the latest report. Mounted alone by ``clindex serve``."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse

from pipeline.domain.errors import ClindexError, GuardRefusedError, TransientError, UsageError
from pipeline.jobs.status import status
from pipeline.jobs.summaries import StatusSummary
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.wiring import Services, open_services


def create_app(settings: Settings) -> FastAPI:
    """Return the application for one home. The model is loaded when the server starts, not at the first search."""
    lock = threading.Lock()  # the embedded index and its lock belong to one thread at a time

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with ExitStack() as stack:
            app.state.services = stack.enter_context(open_services(settings))
            app.state.services.embedder.embed_query("warm up")
            yield

    app = FastAPI(title="Clindex", version="1", lifespan=lifespan)

    def services(request: Request) -> Iterator[Services]:
        with lock:
            yield request.app.state.services

    Home = Annotated[Services, Depends(services)]

    @app.exception_handler(ClindexError)
    async def _our_error(_: Request, error: ClindexError) -> JSONResponse:
        code = (
            503
            if isinstance(error, TransientError)
            else 400
            if isinstance(error, UsageError)
            else 409
            if isinstance(error, GuardRefusedError)
            else 500
        )
        return JSONResponse({"error": {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}}, status_code=code)

    @app.post("/search")
    def _search(request: SearchRequest, home: Home) -> SearchResult:
        return search(home, request, today=datetime.now(UTC).date())

    @app.get("/status")
    def _status(home: Home) -> StatusSummary:
        return status(home)

    @app.get("/health")
    def _health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/report", response_class=FileResponse)
    def _report() -> FileResponse:
        page = settings.reports_folder / "latest.html"
        if not page.is_file():
            raise UsageError("there is no report yet", remedy="`clindex report` writes one.")
        return FileResponse(page, media_type="text/html")

    return app
