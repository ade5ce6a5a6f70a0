"""What the page says to one search: the hits, and, where wanted, an answer from them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.api.answering import searched
from pipeline.api.serving import Serving
from pipeline.search.access import Principal
from pipeline.search.answer.ask import answer_from
from pipeline.search.answer.model import Answer
from pipeline.search.cite.matched import Wanted, wanted
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.search.understand.model import Variant, Why

ENDPOINT = "/"


@dataclass(frozen=True, slots=True)
class Found:
    """All of it.

    Attributes:
        result: The hits.
        also: Further wordings that were searched with, and why.
        wanted: What to mark in passages beside the hits' own.
        answer: Where one was asked for.
    """

    result: SearchResult
    also: list[tuple[str, str]] = field(repr=False)
    wanted: Wanted = field(repr=False)
    answer: Answer | None


def answered(serving: Serving, request: SearchRequest, principal: Principal, *, with_answer: bool) -> Found:
    """Search as ``POST /search`` does. An answer is always the documents' own sentences."""
    result = searched(serving, request, principal, endpoint=ENDPOINT)
    answer = None
    if with_answer:
        with serving.turn() as there:
            answer = answer_from(there, result, extractive=True)
    variants = [Variant(one.text, Why(one.why)) for one in result.reading.wordings]
    also = [(one.text, one.why.value) for one in variants if one.why is not Why.ORIGINAL and one.text != request.query]
    return Found(result, also, wanted(variants), answer)
