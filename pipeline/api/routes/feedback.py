"""``POST /feedback``: what a reader did with a hit. No text is taken."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from pipeline.api.errors import no_such_thing
from pipeline.api.principal import Asking
from pipeline.api.serving import Serving, serving_of
from pipeline.search.access import Principal
from pipeline.storage import feedback, search_log
from pipeline.storage.feedback import Event

router = APIRouter(tags=["feedback"])


class FeedbackRequest(BaseModel):
    """One event."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    search_id: UUID = Field(description="of the search's result")
    event: Event
    document_id: UUID | None = Field(None, description="of the hit; null: about the search as a whole")


class FeedbackKept(BaseModel):
    """That it was kept."""

    kept: bool = True


@router.post("/feedback", summary="Say what became of a hit", status_code=201)
def post_feedback(said: FeedbackRequest, request: Request, principal: Asking) -> FeedbackKept:
    """Keep one event of a search that this key has made, about a document that the search showed; 404 otherwise."""
    keep(serving_of(request), said, principal)
    return FeedbackKept()


def keep(serving: Serving, said: FeedbackRequest, principal: Principal) -> None:
    """Keep one event.

    Raises:
        NotFoundError: The search was not made with this key, or did not show the document.
    """
    with serving.services.db.begin() as tx:
        row = search_log.find(tx, said.search_id)
        if row is None or row.entry.key_id != principal.key_id:
            raise no_such_thing()
        if said.document_id is not None and said.document_id not in row.entry.documents:
            raise no_such_thing()
        position = None if said.document_id is None else row.entry.documents.index(said.document_id) + 1
        feedback.add(tx, said.search_id, said.event, datetime.now(UTC), document_id=said.document_id, position=position)
