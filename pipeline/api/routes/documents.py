"""``GET /documents/{document_id}`` and ``GET /figures/{document_id}/{position}``."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from pipeline.api.answering import document, picture
from pipeline.api.document_view import DocumentView
from pipeline.api.principal import Asking
from pipeline.api.serving import serving_of

router = APIRouter(tags=["documents"])

# A picture may stay in the reader's own browser for a while, and in no cache between: those ask no key.
_PRIVATE = {"Cache-Control": "private, max-age=300", "X-Content-Type-Options": "nosniff"}


@router.get("/documents/{document_id}", summary="A document with its passages")
def get_document(document_id: str, request: Request, principal: Asking) -> DocumentView:
    """Return a document; 404 also where it is not for this key."""
    return document(serving_of(request), document_id, principal)


@router.get(
    "/figures/{document_id}/{position}",
    summary="A figure's picture",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def get_figure(document_id: str, position: int, request: Request, principal: Asking) -> Response:
    """Return the picture as PNG; 404 also where it is withheld or not for this key. ``position`` counts the document's pictures from 1."""
    return Response(picture(serving_of(request), document_id, position, principal), media_type="image/png", headers=_PRIVATE)
