"""``POST /search``."""

from __future__ import annotations

from fastapi import APIRouter, Request

from pipeline.api.answering import searched
from pipeline.api.principal import Asking
from pipeline.api.serving import serving_of
from pipeline.search.request import SearchRequest, SearchResult

router = APIRouter(tags=["search"])


@router.post("/search", summary="Search")
def post_search(wanted: SearchRequest, request: Request, principal: Asking) -> SearchResult:
    """Search what the key may see. Totals, counts and scores are of that alone."""
    return searched(serving_of(request), wanted, principal)
