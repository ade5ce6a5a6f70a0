"""Every error is answered as ``{"error": {type, message, remedy}}``, to browsers as a page; nothing that was sent or stored is quoted, here or in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from pipeline.api.serving import serving_of
from pipeline.domain.errors import (
    ClindexError,
    ForbiddenError,
    GuardRefusedError,
    NotFoundError,
    TooManyRequestsError,
    TransientError,
    UnauthenticatedError,
    UsageError,
)
from pipeline.observability import log_event
from pipeline.unexpected import as_ours

#: Says an error to a browser: request, error, status, headers. The search page sets it as ``app.state.error_page``.
ErrorPage = Callable[[Request, ClindexError, int, Mapping[str, str]], Response]

_CODES: Final = (
    (UnauthenticatedError, 401),
    (ForbiddenError, 403),
    (NotFoundError, 404),
    (TooManyRequestsError, 429),
    (TransientError, 503),
    (UsageError, 400),
    (GuardRefusedError, 409),
)


def no_such_thing() -> NotFoundError:
    """Return the one answer for what is not there and for what is not for the one who asks."""
    return NotFoundError("there is no such thing", remedy="Ids and tokens come with the hits of a search.")


def answer_errors(app: FastAPI) -> None:
    """Install the handlers and what counts every answer."""

    @app.exception_handler(ClindexError)
    async def _ours(request: Request, error: ClindexError) -> Response:
        return _answer(request, error)

    @app.exception_handler(HTTPException)
    async def _of_the_framework(request: Request, error: HTTPException) -> Response:
        ours = no_such_thing() if error.status_code == 404 else UsageError("not a request of this service", remedy="/docs says what is.")
        return _answer(request, ours, error.status_code)

    @app.exception_handler(RequestValidationError)
    async def _malformed(request: Request, error: RequestValidationError) -> Response:
        fields = sorted({str(one["loc"][1]) for one in error.errors() if len(one["loc"]) > 1 and one["type"] != "extra_forbidden"})
        return _answer(request, UsageError(f"not a valid request: {', '.join(fields) or 'body'}", remedy="/docs says what it holds."), 422)

    @app.middleware("http")
    async def _unexpected(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        start = time.monotonic()
        try:
            answer = await call_next(request)
        except Exception as error:  # noqa: BLE001 - the server's own log would print the message, which may quote a document
            ours = as_ours(error)
            log_event("request_failed", level=logging.ERROR, error=ours.message)
            answer = _answer(request, ours)
        serving_of(request).metrics.answered(_endpoint(request), answer.status_code, time.monotonic() - start)
        return answer


def _endpoint(request: Request) -> str:
    """Return the route's own path, never the client's: a token or a word of a query may stand in that."""
    route = request.scope.get("route")
    return str(getattr(route, "path", "other"))


def _answer(request: Request, error: ClindexError, code: int | None = None) -> Response:
    code = code or next((number for kind, number in _CODES if isinstance(error, kind)), 500)
    headers: dict[str, str] = {}
    if isinstance(error, TooManyRequestsError):
        headers["Retry-After"] = str(error.retry_after_seconds)
    if code == 401:
        headers["WWW-Authenticate"] = "Bearer"
    page: ErrorPage | None = getattr(request.app.state, "error_page", None)
    if page is not None and "text/html" in request.headers.get("accept", ""):
        return page(request, error, code, headers)
    body = {"error": {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}}
    return JSONResponse(body, status_code=code, headers=headers)
