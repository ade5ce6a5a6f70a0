"""A question in, an answer with its citations and checks out, or a refusal that says why.

Without an endpoint in the settings nothing is sent anywhere. With one, only passages of open kinds and labels are sent, unless the site
allows others, and the question goes out de-identified as a clinical text would be.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from pipeline.domain.vocabulary import DocumentKind, Source
from pipeline.observability import log_event
from pipeline.search.access import OPERATOR, Principal
from pipeline.search.answer.conflicts import conflicts
from pipeline.search.answer.evidence import Passage, passages_of, sentences_of, statement
from pipeline.search.answer.extractive import NEAR_ENOUGH, Scored, chosen, scored
from pipeline.search.answer.generated import Generated, generate, open_endpoint
from pipeline.search.answer.model import Answer, AnswerCheck, AnswerMode, Conflict, Reason, Statement, TokenUse
from pipeline.search.answer.prompt import addresses_a_model
from pipeline.search.request import SearchRequest, SearchResult
from pipeline.search.search import search
from pipeline.search.understand import understand
from pipeline.wiring import Services

_CONFLICTS_COST: Final = 0.5  # of the confidence, where passages disagree: a reader must look


def ask(
    services: Services,
    request: SearchRequest,
    *,
    today: date,
    now: datetime | None = None,
    principal: Principal = OPERATOR,
    extractive: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """Search, and answer from what was found.

    Args:
        services: The home.
        request: The question and its filters.
        today: See ``search``.
        now: See ``search``.
        principal: Whom it is answered to: what they may not see is no evidence.
        extractive: Sentences of the passages alone, although an endpoint is set.
        sleep: Waits before the endpoint is asked again; seconds.
    """
    start = time.monotonic()
    result = search(services, request, today=today, now=now, principal=principal)
    answer = answer_from(services, result, extractive=extractive, sleep=sleep)
    answer = answer.model_copy(update={"seconds": round(time.monotonic() - start, 4)})
    log_event(
        "answered",
        mode=answer.mode.value,
        refused=answer.refused,
        reason=answer.reason.value if answer.reason else None,
        fallback=answer.fallback.value if answer.fallback else None,
        statements=len(answer.statements),
        tokens=answer.tokens.total,
        seconds=answer.seconds,
    )
    return answer


def answer_from(
    services: Services, result: SearchResult, *, extractive: bool = False, sleep: Callable[[float], None] = time.sleep
) -> Answer:
    """Answer from the hits of a search, which hold nothing that the asker may not see."""
    settings = services.settings
    passages = passages_of(result.hits, settings.answer_passages)
    if result.refused or not passages:
        why = Reason.SEARCH_REFUSED if result.refused else Reason.NO_HIT
        return _refusal(result, passages, why, [_check("hits", len(passages), 1)])
    ranked = scored(understand(result.query), sentences_of(passages), services.live().embedder)
    near = chosen(ranked, most=settings.answer_sentences)
    evidence = [_check("hits", len(passages), 0), _check("evidence", len(ranked), int(not near))]
    if not near:
        return _refusal(result, passages, Reason.NO_SENTENCE, evidence)
    made = _Evidence(result, passages, [one for one in ranked if one.score >= NEAR_ENOUGH], near, evidence)
    if extractive or not settings.answer_url:
        return _extracted(made)
    return _generated(services, made, sleep)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What an answer may rest on."""

    result: SearchResult
    passages: list[Passage]
    near: list[Scored]  # all sentences that are near enough: where conflicts are looked for
    chosen: list[Scored]
    checks: list[AnswerCheck]


def _generated(services: Services, made: _Evidence, sleep: Callable[[float], None]) -> Answer:
    sent = [one for one in made.passages if (one.is_open or services.settings.answer_clinical) and not addresses_a_model(one)]
    if not sent:
        return _extracted(made, Generated(wrong=Reason.NOT_TO_BE_SENT), sent)
    endpoint = open_endpoint(services.settings, sleep=sleep)
    if endpoint is None:
        return _extracted(made)
    policy = services.policy(DocumentKind.UNKNOWN, Source.DOCUMENTS)
    question = services.scrubber.scrub(made.result.query, policy).text
    with endpoint:
        found = generate(endpoint, question, sent, services.secret)
    model = services.settings.answer_model
    if found.wrong is Reason.MODEL_FOUND_NONE:
        refusal = _refusal(made.result, made.passages, found.wrong, [*made.checks, *found.checks])
        return refusal.model_copy(update={"mode": AnswerMode.GENERATED, "tokens": found.tokens, "endpoint_model": model})
    if found.wrong is not None:
        return _extracted(made, found, sent).model_copy(update={"endpoint_model": model})
    return _answer(made, AnswerMode.GENERATED, found.statements, [*made.checks, *found.checks]).model_copy(
        update={"tokens": found.tokens, "endpoint_model": model, "withheld": len(made.passages) - len(sent)}
    )


def _extracted(made: _Evidence, instead_of: Generated | None = None, sent: Sequence[Passage] = ()) -> Answer:
    """Return the chosen sentences; ``instead_of``: a generated answer that may not be shown."""
    statements = [statement(one.sentence, one.score) for one in made.chosen]
    answer = _answer(made, AnswerMode.EXTRACTIVE, statements, [*made.checks, *(instead_of.checks if instead_of else [])])
    if instead_of is None:
        return answer
    return answer.model_copy(update={"fallback": instead_of.wrong, "tokens": instead_of.tokens, "withheld": len(made.passages) - len(sent)})


def _answer(made: _Evidence, mode: AnswerMode, statements: list[Statement], checks: list[AnswerCheck]) -> Answer:
    scores = {one.sentence.place: one.score for one in made.near}
    disagreeing = [
        Conflict(kind=kind, first=statement(one, scores[one.place]), second=statement(other, scores[other.place]))
        for kind, one, other in conflicts([one.sentence for one in made.near])
    ]
    best = made.chosen[0].score
    sure = best if mode is AnswerMode.EXTRACTIVE else min(best, sum(one.score for one in statements) / len(statements))
    return Answer(
        query=made.result.query,
        refused=False,
        mode=mode,
        statements=statements,
        conflicts=disagreeing,
        confidence=round(min(1.0, sure) * (_CONFLICTS_COST if disagreeing else 1.0), 3),
        checks=[*checks, _check("no_conflict", len(made.near), len(disagreeing))],
        passages=[one.cite for one in made.passages],
        tokens=TokenUse(),
        route=made.result.route,
        seconds=made.result.seconds,
    )


def _refusal(result: SearchResult, passages: Sequence[Passage], why: Reason, checks: list[AnswerCheck]) -> Answer:
    return Answer(
        query=result.query,
        refused=True,
        reason=why,
        mode=AnswerMode.EXTRACTIVE,
        statements=[],
        conflicts=[],
        confidence=0.0,
        checks=checks,
        passages=[one.cite for one in passages],
        tokens=TokenUse(),
        route=result.route,
        seconds=result.seconds,
    )


def _check(name: str, looked_at: int, failed: int) -> AnswerCheck:
    return AnswerCheck(name=name, passed=not failed, looked_at=looked_at, failed=failed)
