"""What the page says to one search: the hits, how the question was read, and, where wanted, an answer from them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.api.answering import searched
from pipeline.api.serving import Serving
from pipeline.search.access import Principal
from pipeline.search.answer.ask import answer_from
from pipeline.search.answer.model import Answer
from pipeline.search.cite.matched import Wanted, wanted
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.search.route import route
from pipeline.search.understand import understand
from pipeline.search.understand.model import Mention, Understood, Why
from pipeline.search.understand.vocabulary import IndexVocabulary

ENDPOINT = "/"


@dataclass(frozen=True, slots=True)
class Reading:
    """How a question was read, in its own words.

    Attributes:
        corrections: What was written, and what it was taken for.
        also: Further wordings that were searched with, and why.
        known: Identifiers in it that the index holds.
        absent: Well-formed ones that it does not hold, as far as who asks may know.
    """

    corrections: list[tuple[str, str]] = field(repr=False)
    also: list[tuple[str, str]] = field(repr=False)
    known: list[str] = field(repr=False)
    absent: list[str] = field(repr=False)
    wanted: Wanted = field(repr=False)


@dataclass(frozen=True, slots=True)
class Found:
    """All of it."""

    result: SearchResult
    reading: Reading
    answer: Answer | None


def answered(serving: Serving, request: SearchRequest, principal: Principal, *, with_answer: bool) -> Found:
    """Search as ``POST /search`` does, and say how the question was read. An answer is always the documents' own sentences."""
    result = searched(serving, request, principal, endpoint=ENDPOINT)
    with serving.turn() as there:
        understood = understand(request.query, IndexVocabulary(there, principal.visible))
        with there.db.read() as tx:
            way = route(tx, understood, collection=there.collection, visible=principal.visible)
        answer = answer_from(there, result, extractive=True) if with_answer else None
    return Found(result, _reading(understood, way.known, way.absent), answer)


def _reading(understood: Understood, known: tuple[Mention, ...], absent: tuple[Mention, ...]) -> Reading:
    query = understood.query
    return Reading(
        corrections=[(query[one.start : one.end], one.to) for one in understood.corrections],
        also=[(one.text, one.why.value) for one in understood.variants if one.why is not Why.ORIGINAL and one.text != query],
        known=[one.value for one in known],
        absent=[one.value for one in absent],
        wanted=wanted(understood.variants),
    )
