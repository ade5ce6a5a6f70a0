"""What routes and the search page do: search, show a document, a citation, a picture. Each answer is logged before it is given."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import UUID

from pipeline.api.document_view import DocumentView, view_of
from pipeline.api.errors import no_such_thing
from pipeline.api.interleaving import Drawn, interleaved
from pipeline.api.recording import filters_of, record
from pipeline.api.serving import Serving
from pipeline.domain.errors import UsageError
from pipeline.search.access import Principal
from pipeline.search.answer.ask import answer_from
from pipeline.search.answer.model import Answer
from pipeline.search.caches import result_key
from pipeline.search.cite.figures import figure
from pipeline.search.cite.model import Citation, CitationStatus
from pipeline.search.cite.resolve import resolve
from pipeline.search.request import Mode, SearchRequest, SearchResult
from pipeline.search.search import search
from pipeline.storage import feedback, truth_version
from pipeline.wiring import Services


def searched(serving: Serving, wanted: SearchRequest, principal: Principal, *, endpoint: str = "/search") -> SearchResult:
    """Answer a search, from what is remembered where truth is unchanged since."""
    start = time.monotonic()
    with serving.turn() as there:
        drawn: Drawn | None = None
        if serving.settings.interleave and wanted.mode is Mode.FULL:
            drawn = interleaved(there, wanted, principal, names=serving.settings.interleave)
            found = drawn.result
        else:
            found = _remembered(serving, there, wanted, principal)
    search_id = _log_search(serving, principal, endpoint, wanted, found, drawn)
    return found.model_copy(update={"search_id": str(search_id), "seconds": round(time.monotonic() - start, 4)})


def _log_search(
    serving: Serving, principal: Principal, endpoint: str, wanted: SearchRequest, found: SearchResult, drawn: Drawn | None = None
) -> UUID:
    documents = list(dict.fromkeys(UUID(hit.document_id) for hit in found.hits))
    filters = filters_of(wanted, serving.services.secret)
    with serving.services.db.begin() as tx:
        search_id = record(tx, serving.services, principal, endpoint, documents, query=wanted.query, filters=filters, hits=len(found.hits))
        if drawn is not None:
            feedback.keep_interleaving(tx, drawn.kept(search_id))
    serving.metrics.shown(endpoint, len(found.hits))
    return search_id


def _remembered(serving: Serving, there: Services, wanted: SearchRequest, principal: Principal) -> SearchResult:
    today = datetime.now(UTC).date()
    if serving.stores.results is None:
        return search(there, wanted, today=today, principal=principal)
    with there.db.read() as tx:
        version = truth_version.read(tx)  # before the search: what is written meanwhile ends this result too
    key = result_key(
        wanted, visible=principal.visible, collection=there.collection, version=version, today=today, secret=serving.services.secret
    )
    known = serving.stores.results.get(key)
    serving.metrics.looked_up(found=known is not None)
    if known is not None:
        return known
    found = search(there, wanted, today=today, principal=principal)
    serving.stores.results.put(key, found)
    return found


def answered(serving: Serving, wanted: SearchRequest, principal: Principal, *, extractive: bool = False, endpoint: str = "/ask") -> Answer:
    """Answer a question from the hits of a search. What was searched is logged before a model's endpoint, if any, is asked."""
    with serving.turn() as there:
        found = _remembered(serving, there, wanted, principal)
    _log_search(serving, principal, endpoint, wanted, found)
    return answer_from(there, found, extractive=extractive)  # without a slot: a model's endpoint takes its time


def document(serving: Serving, document_id: str, principal: Principal, *, endpoint: str = "/documents") -> DocumentView:
    """Return a document with its live passages.

    Raises:
        NotFoundError: There is none, it is not live, or it is not for the one who asks.
    """
    key = uuid_of(document_id)
    with serving.turn() as there:
        found = view_of(there, key, principal)
    _log(serving, principal, endpoint, key)
    return found


def picture(serving: Serving, document_id: str, position: int, principal: Principal, *, endpoint: str = "/figures") -> bytes:
    """Return a figure's picture as PNG.

    Raises:
        NotFoundError: There is none, it is withheld, or its document is not for the one who asks.
    """
    key = uuid_of(document_id)
    with serving.turn() as there:
        try:
            found = figure(there, key, position, principal.visible)
        except UsageError:
            raise no_such_thing() from None
    _log(serving, principal, endpoint, key)
    return found


def cited(serving: Serving, token: str, principal: Principal, *, endpoint: str = "/citations") -> Citation:
    """Return what became of a cited passage; one that is not for the one who asks is gone for them.

    Raises:
        NotFoundError: This site made no such token.
    """
    with serving.turn() as there:
        try:
            found = resolve(there, token, principal.visible)
        except UsageError:
            raise no_such_thing() from None
    shown = [] if found.status is CitationStatus.REMOVED else [UUID(found.document_id)]
    _log(serving, principal, endpoint, *shown)
    return found


def _log(serving: Serving, principal: Principal, endpoint: str, *documents: UUID) -> None:
    with serving.services.db.begin() as tx:
        record(tx, serving.services, principal, endpoint, documents)


def uuid_of(value: str) -> UUID:
    """Return an id as it came.

    Raises:
        NotFoundError: It is none: answered as one of nothing.
    """
    try:
        return UUID(value)
    except ValueError:
        raise no_such_thing() from None
