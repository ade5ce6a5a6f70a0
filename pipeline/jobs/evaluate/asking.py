"""Asks the search as users do: in this process, or a server over HTTP. Out: what is measured of an answer, and no text of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx

from pipeline.domain.errors import SourceRefusedError, SourceUnavailableError, UsageError
from pipeline.jobs.evaluate.judged import GoldPassage, JudgedQuery
from pipeline.search.request import Mode, SearchRequest, SearchResult, make_request
from pipeline.search.search import search_in
from pipeline.wiring import Services, utc_now

TIMEOUT_SECONDS: Final = 120.0  # a server that loads its model answers its first search after seconds
PATIENCE_SECONDS: Final = 120.0  # a query waits for a server that limits requests; its limits are by the minute
_OK: Final = 200
_TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True)
class Found:
    """One hit."""

    document_id: str
    is_gold_passage: bool  # its passage is one of the gold ones


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a query, best first."""

    found: tuple[Found, ...]
    route: str
    refused: bool  # or nothing was found
    seconds: float


Ask = Callable[[JudgedQuery], Answer]


def request_of(query: JudgedQuery, *, limit: int, mode: Mode) -> SearchRequest:
    """Return the search of a query.

    Raises:
        UsageError: Its text or its filters are no search; names the query, and quotes nothing.
    """
    fields: dict[str, Any] = {**query.filters, "query": query.text, "limit": limit, "mode": mode}
    try:
        return make_request(**fields)
    except UsageError as error:
        raise UsageError(f"query {query.query_id}: {error.message}", remedy=error.remedy) from None


def in_process(there: Services, *, limit: int, mode: Mode) -> Ask:
    """Return what asks the collection of ``there``."""
    today = utc_now().date()

    def ask(query: JudgedQuery) -> Answer:
        start = time.monotonic()
        result = search_in(there, request_of(query, limit=limit, mode=mode), today=today)
        return _answer(result, query.passages, time.monotonic() - start)

    return ask


def over_http(client: httpx.Client, *, limit: int, mode: Mode) -> Ask:
    """Return what asks a server (``POST /search`` of the client's base URL).

    Raises (when asked):
        SourceUnavailableError: It does not answer.
        SourceRefusedError: It answers with an error; says the code.
    """

    def ask(query: JudgedQuery) -> Answer:
        start = time.monotonic()
        answer = _posted(client, request_of(query, limit=limit, mode=mode).model_dump(mode="json"))
        if answer.status_code != _OK:
            raise SourceRefusedError(
                f"the server answered {answer.status_code} to query {query.query_id}", remedy="CLINDEX_API_KEY holds the key of its API."
            )
        return _answer(SearchResult.model_validate_json(answer.content), query.passages, time.monotonic() - start)

    return ask


def _posted(client: httpx.Client, body: Mapping[str, Any]) -> httpx.Response:
    """Return a server's answer; one that asks for patience gets it."""
    waited = 0.0
    while True:
        try:
            answer = client.post("/search", json=body)
        except httpx.HTTPError as error:
            raise SourceUnavailableError(f"the server does not answer ({type(error).__name__})") from None
        after = answer.headers.get("Retry-After", "")
        if answer.status_code != _TOO_MANY or waited >= PATIENCE_SECONDS:
            return answer
        pause = min(float(after) if after.isdigit() else 1.0, PATIENCE_SECONDS)
        time.sleep(pause)
        waited += max(pause, 0.1)


def client_for(url: str, environment: Mapping[str, str]) -> httpx.Client:
    """Return a client of a server; its key is read from ``CLINDEX_API_KEY``."""
    key = environment.get("CLINDEX_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        return httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT_SECONDS)
    except (httpx.InvalidURL, ValueError):
        raise UsageError("not a URL of a server", remedy="As http://127.0.0.1:8321.") from None


def _answer(result: SearchResult, gold: Sequence[GoldPassage], seconds: float) -> Answer:
    found = tuple(Found(hit.document_id, any(passage.fits(hit.section, hit.text) for passage in gold)) for hit in result.hits)
    return Answer(found, result.route, result.refused or not found, seconds)
