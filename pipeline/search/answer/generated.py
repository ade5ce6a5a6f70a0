"""Passages and an endpoint in, a model's answer out, with its checks: or why there is none that may be shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx

from pipeline.chat import ChatEndpoint, Reply
from pipeline.domain.identifiers import text_hash
from pipeline.search.answer.checks import check_reply, support
from pipeline.search.answer.claims import Claim, claims_of
from pipeline.search.answer.evidence import Passage
from pipeline.search.answer.model import AnswerCheck, Reason, Statement, TokenUse
from pipeline.search.answer.prompt import MOST_TOKENS, NO_EVIDENCE, fence_of, messages
from pipeline.settings import Settings

_CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model's answer came to.

    Attributes:
        statements: Its claims, each with its passages; empty where ``wrong`` says why.
        wrong: Why it is not shown.
    """

    statements: list[Statement] = field(default_factory=list, repr=False)
    checks: list[AnswerCheck] = field(default_factory=list)
    tokens: TokenUse = field(default_factory=TokenUse)
    wrong: Reason | None = None


def open_endpoint(settings: Settings, *, sleep: Callable[[float], None] = time.sleep) -> ChatEndpoint | None:
    """Return the endpoint that the settings name; ``None``: they name none, and nothing is ever sent."""
    if not settings.answer_url:
        return None
    return ChatEndpoint(
        settings.answer_url,
        model=settings.answer_model,
        key=settings.answer_api_key.get_secret_value() if settings.answer_api_key else "",
        timeout=httpx.Timeout(settings.answer_timeout_seconds, connect=min(_CONNECT_SECONDS, settings.answer_timeout_seconds)),
        whole_seconds=settings.answer_timeout_seconds,
        sleep=sleep,
    )


def generate(endpoint: ChatEndpoint, question: str, passages: Sequence[Passage], secret: bytes) -> Generated:
    """Ask a model, and check what it says.

    Args:
        endpoint: Whom to ask.
        question: De-identified.
        passages: All that it is given.
        secret: The site's: makes the fence.
    """
    fence = fence_of(secret, question, passages)
    reply = endpoint.ask(messages(question, passages, fence=fence), max_tokens=MOST_TOKENS)
    tokens = TokenUse(prompt=reply.prompt_tokens, reply=reply.reply_tokens, total=reply.total_tokens)
    answered = AnswerCheck(name="endpoint_answered", passed=reply.failure is None, looked_at=1, failed=int(reply.failure is not None))
    if reply.failure is not None:
        return Generated(checks=[answered], tokens=tokens, wrong=Reason.ENDPOINT_FAILED)
    if _found_none(reply):
        return Generated(checks=[answered], tokens=tokens, wrong=Reason.MODEL_FOUND_NONE)
    claims = claims_of(reply.text)
    checked = check_reply(reply.text, claims, passages, fence=fence)
    statements = [] if checked.wrong else [_statement(claim, passages) for claim in claims]
    return Generated(statements, [answered, *checked.checks], tokens, checked.wrong)


def _found_none(reply: Reply) -> bool:
    return reply.text.strip().strip(".\"'").upper() == NO_EVIDENCE


def _statement(claim: Claim, passages: Sequence[Passage]) -> Statement:
    given = {one.number: one for one in passages}
    return Statement(
        text=claim.text,
        text_hash=text_hash(claim.text),
        cites=[given[number].cite for number in claim.cited],
        score=round(support(claim, given), 4),
    )
