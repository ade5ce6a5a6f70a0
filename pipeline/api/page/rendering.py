"""Templates in, answers out: everything escaped, nothing kept by anybody, nothing loaded from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from fastapi import Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipeline.api.page import passage, words
from pipeline.api.page.posted import FIELD, FORM_COOKIE, form_cookie, form_token, set_cookie
from pipeline.api.principal import COOKIE

#: Files of the page, and what they are.
ASSETS: Final = {"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_FOR_AN_HOUR: Final = {"Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff"}


def render(request: Request, template: str, *, code: int = 200, headers: Mapping[str, str] | None = None, **values: Any) -> Response:
    """Return a page with a form token for this browser.

    Args:
        request: For its cookies.
        template: Name without its ending.
        code: HTTP status.
        headers: Besides the page's own.
        values: For the template.
    """
    cookie = form_cookie(request)
    text = (
        environment()
        .get_template(f"{template}.html.j2")
        .render(values, token=_hidden(FIELD, form_token(request, cookie)), has_key=COOKIE in request.cookies)
    )
    answer = HTMLResponse(text, status_code=code, headers={**_HEADERS, **(headers or {})})
    if FORM_COOKIE not in request.cookies:
        set_cookie(request, answer, FORM_COOKIE, cookie)
    return answer


def _hidden(name: str, value: str) -> Markup:
    return Markup('<input type="hidden" name="{}" value="{}">').format(name, value)


def asset(name: str) -> Response:
    """Return one of ``ASSETS``."""
    return Response(_content(name), media_type=ASSETS[name], headers=_FOR_AN_HOUR)


@cache
def _content(name: str) -> bytes:
    return resources.files(__package__).joinpath("assets", name).read_bytes()


@cache
def _address(name: str) -> str:
    """Return an asset's address, another one after each change."""
    return f"/assets/{name}?v={hashlib.sha256(_content(name)).hexdigest()[:12]}"


@cache
def environment() -> Environment:
    """Return the templates, with what they call."""
    made = Environment(
        loader=PackageLoader("pipeline.api.page", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(asset=_address, words=words, passage=passage)
    return made
