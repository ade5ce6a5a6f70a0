"""``GET /citations/{token}``: what became of a passage that was cited."""

from __future__ import annotations

from fastapi import APIRouter, Request

from pipeline.api.answering import cited
from pipeline.api.principal import Asking
from pipeline.api.serving import serving_of
from pipeline.search.cite.model import Citation

router = APIRouter(tags=["documents"])


@router.get("/citations/{token}", summary="A citation, resolved")
def get_citation(token: str, request: Request, principal: Asking) -> Citation:
    """Resolve a token; 404 where this site made none such. A passage that is not for this key is answered as one that is gone."""
    return cited(serving_of(request), token, principal)
