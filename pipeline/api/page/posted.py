"""What a form of the page sends: read by hand (no upload is ever taken), and only where the page itself has made the form."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final
from urllib.parse import parse_qs

from fastapi import Depends, Request, Response

from pipeline.api.serving import serving_of
from pipeline.domain.errors import ForbiddenError, UsageError
from pipeline.domain.identifiers import keyed_hash

#: Ties a form to the browser that it was made for. ``HttpOnly``, ``SameSite=Strict``, gone with the browser's session.
FORM_COOKIE: Final = "clindex_form"
FIELD: Final = "made_for"  # of the token

_FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 300  # every box of every filter ticked


@dataclass(frozen=True, slots=True)
class Posted:
    """Fields of a form."""

    fields: Mapping[str, list[str]] = field(repr=False)

    def one(self, name: str) -> str:
        """Return a field's first value without blanks around it; empty where there is none."""
        return (self.fields.get(name) or [""])[0].strip()

    def all(self, name: str) -> tuple[str, ...]:
        """Return a field's values that are not empty, each once."""
        return tuple(dict.fromkeys(value.strip() for value in self.fields.get(name, ()) if value.strip()))


async def read_posted(request: Request) -> Posted:
    """Return what the form holds.

    Raises:
        UsageError: It is no form.
        ForbiddenError: The page did not make it for this browser.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise UsageError("this address takes the page's own forms", remedy="Programs ask POST /search; /docs says how.")
    body = (await request.body()).decode("utf-8", "replace")
    try:
        found = Posted(parse_qs(body, keep_blank_values=True, errors="replace", max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise UsageError("the form has too many fields", remedy="Use the page's own form.") from None
    known = request.cookies.get(FORM_COOKIE, "")
    expected = _token(serving_of(request).services.secret, known)
    if not known or not hmac.compare_digest(expected.encode(), found.one(FIELD).encode("utf-8", "replace")):
        raise ForbiddenError("this form was not made by this page for this browser", remedy="Open the page anew; it needs cookies.")
    return found


Form = Annotated[Posted, Depends(read_posted)]


def form_cookie(request: Request) -> str:
    """Return the browser's cookie, or a new one."""
    return request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(24)


def form_token(request: Request, cookie: str) -> str:
    """Return what the forms made for a browser with this cookie carry."""
    return _token(serving_of(request).services.secret, cookie)


def set_cookie(request: Request, answer: Response, name: str, value: str) -> None:
    """Set a cookie that scripts cannot read and other sites' pages cannot send."""
    answer.set_cookie(name, value, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/")


def _token(secret: bytes, cookie: str) -> str:
    return keyed_hash(secret, "page form", cookie)
