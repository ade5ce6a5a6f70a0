"""Errors as a page a person can read; nothing of what was sent is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import Request, Response

from pipeline.api.page.rendering import render
from pipeline.api.principal import COOKIE
from pipeline.domain.errors import ClindexError

_TITLES: Final = {
    400: "This could not be searched for",
    403: "This is not allowed",
    404: "Not found",
    405: "Not found",
    409: "This is refused",
    422: "This could not be read",
    429: "Too many requests",
    503: "Busy at the moment",
}


def error_page(request: Request, error: ClindexError, code: int, headers: Mapping[str, str]) -> Response:
    """Return an error as a page; where a key is needed, the form for one."""
    if code == 401:
        refused = COOKIE in request.cookies
        answer = render(request, "sign_in", code=401, headers=headers, refused=refused)
        if refused:  # revoked or expired: sent again, it would close open pages, too
            answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer
    title = _TITLES.get(code, "Something went wrong")
    return render(request, "error", code=code, headers=headers, title=title, error=error)
