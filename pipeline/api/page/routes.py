"""The page's addresses. None of them ever holds a word of a question."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from pipeline.api.answering import cited
from pipeline.api.errors import no_such_thing
from pipeline.api.page.answer import Found, answered
from pipeline.api.page.asked import LIMITS, LONGEST_QUERY, Asked, asked_of, parts_for
from pipeline.api.page.choices import choices
from pipeline.api.page.posted import Form, set_cookie
from pipeline.api.page.rendering import ASSETS, asset, render
from pipeline.api.principal import COOKIE, Asking, count_address, count_failed_key
from pipeline.api.routes.feedback import FeedbackRequest, keep
from pipeline.api.serving import Serving, serving_of
from pipeline.domain.errors import UsageError
from pipeline.search.access import Principal, principal_of
from pipeline.storage.feedback import Event

router = APIRouter(include_in_schema=False)

_SAID: Final = {"useful": Event.USEFUL, "not_useful": Event.NOT_USEFUL}
_LONGEST_KEY: Final = 200  # characters; ours have 56


@router.get("/")
def get_page(request: Request, principal: Asking) -> Response:
    """Show the form."""
    return _page(request, serving_of(request), principal, Asked())


@router.post("/")
def post_page(request: Request, principal: Asking, form: Form) -> Response:
    """Search, and show the form as it was sent with what was found."""
    serving, asked = serving_of(request), asked_of(form)
    if not asked.query:
        return _page(request, serving, principal, asked, wrong="Type a question first.")
    if len(asked.query) > LONGEST_QUERY:
        return _page(request, serving, principal, asked, wrong=f"The question has more than {LONGEST_QUERY:,} characters.")
    try:
        wanted = asked.request(choices(serving.live(), principal.visible))
    except UsageError as error:
        return _page(request, serving, principal, asked, wrong=str(error), wrong_at="dates")
    return _page(request, serving, principal, asked, found=answered(serving, wanted, principal, with_answer=asked.answer))


def _page(
    request: Request,
    serving: Serving,
    principal: Principal,
    asked: Asked,
    *,
    wrong: str = "",
    wrong_at: str = "query",
    found: Found | None = None,
) -> Response:
    offered = choices(serving.live(), principal.visible)
    return render(
        request,
        "search",
        code=400 if wrong else 200,
        asked=asked,
        offered=offered,
        parts=parts_for(offered),
        limits=LIMITS,
        longest=LONGEST_QUERY,
        sees_patients=principal.visible is None or principal.visible.limits is not None,
        wrong=wrong,
        wrong_at=wrong_at if wrong else "",
        found=found,
        role=principal.role.value,
    )


@router.get("/c/{token}")
def get_citation(token: str, request: Request, principal: Asking) -> Response:
    """Show what became of a cited passage."""
    return render(request, "citation", citation=cited(serving_of(request), token, principal, endpoint="/c"))


@router.post("/said")
def post_said(request: Request, principal: Asking, form: Form) -> Response:
    """Keep a reader's word on a hit. The answer is empty: a browser without scripts stays where it is."""
    try:
        search_id, document_id = UUID(form.one("search_id")), UUID(form.one("document_id"))
        event = _SAID[form.one("event")]
    except (ValueError, KeyError):
        raise no_such_thing() from None
    keep(serving_of(request), FeedbackRequest(search_id=search_id, event=event, document_id=document_id), principal)
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


@router.get("/sign-in")
def get_sign_in(request: Request) -> Response:
    """Show the form for a key."""
    return render(request, "sign_in", refused=False)


@router.post("/sign-in")
def post_sign_in(request: Request, form: Form) -> Response:
    """Keep a valid key in a cookie of this browser's session. Tries are counted by address; see ``CLINDEX_FAILED_KEYS_PER_MINUTE``."""
    serving, key = serving_of(request), form.one("key")
    count_address(serving, request)
    with serving.services.db.read() as tx:
        known = principal_of(tx, key, datetime.now(UTC), secret=serving.services.secret) if len(key) <= _LONGEST_KEY else None
    if known is None:
        count_failed_key(serving, request)
        return render(request, "sign_in", code=401, refused=True)
    answer = RedirectResponse("/", status_code=303, headers={"Cache-Control": "no-store"})
    set_cookie(request, answer, COOKIE, key)
    return answer


@router.post("/sign-out")
def post_sign_out(form: Form) -> Response:
    """Forget the key."""
    answer = RedirectResponse("/", status_code=303, headers={"Cache-Control": "no-store"})
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


@router.get("/assets/{name}")
async def get_asset(name: str) -> Response:
    """Return style or script: of the program, not of any document; no key is asked."""
    if name not in ASSETS:
        raise no_such_thing()
    return asset(name)
