"""``POST /ask``."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field

from pipeline.api.answering import answered
from pipeline.api.principal import Asking
from pipeline.api.serving import serving_of
from pipeline.search.answer.model import Answer
from pipeline.search.request import SearchRequest

router = APIRouter(tags=["search"])


class AskRequest(SearchRequest):
    """A question: ``query``, and the filters of a search."""

    extractive: bool = Field(False, description="sentences of the documents alone, although a model's endpoint is set")

    def search_request(self) -> SearchRequest:
        """Return what is searched."""
        return SearchRequest.model_validate(self.model_dump(exclude={"extractive"}))


@router.post("/ask", summary="Ask")
def post_ask(wanted: AskRequest, request: Request, principal: Asking) -> Answer:
    """Answer from what the key may see, with a citation for each statement, or refuse and say why."""
    return answered(serving_of(request), wanted.search_request(), principal, extractive=wanted.extractive)
