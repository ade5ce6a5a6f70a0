"""What readers did with hits, in figures; and which of two interleaved ways of searching they take."""

from __future__ import annotations

from datetime import datetime
from math import comb

from pydantic import Field
from sqlalchemy import Connection

from pipeline.jobs.summaries import Summary
from pipeline.storage import feedback
from pipeline.wiring import Services


class Comparison(Summary):
    """Two ways of searching on the same searches. A search whose credited hits are as many of one as of the other is a tie."""

    first: str
    second: str
    first_wins: int
    second_wins: int
    ties: int
    p_value: float = Field(description="two-sided exact sign test over wins: how likely at least so uneven a count is if neither is better")


class FeedbackSummary(Summary):
    """Events by name, and comparisons."""

    events: dict[str, int]
    searches: int = Field(description="searches of which something was said")
    comparisons: list[Comparison] = Field(description="over all time; a search counts once a hit was opened, useful or exported")


def summarise_feedback(services: Services, *, since: datetime | None = None) -> FeedbackSummary:
    """Return what was said, since a moment or ever."""
    with services.db.read() as tx:
        return feedback_facts(tx, since=since)


def feedback_facts(tx: Connection, *, since: datetime | None = None) -> FeedbackSummary:
    """Return what was said as one reading snapshot has it."""
    credited = feedback.credits(tx)
    return FeedbackSummary(
        events=feedback.counts(tx, since),
        searches=feedback.searches_with_feedback(tx, since),
        comparisons=[_comparison(first, second, counts) for (first, second), counts in sorted(credited.items())],
    )


def _comparison(first: str, second: str, counts: list[tuple[int, int]]) -> Comparison:
    wins = sum(one > other for one, other in counts)
    losses = sum(one < other for one, other in counts)
    return Comparison(
        first=first, second=second, first_wins=wins, second_wins=losses, ties=len(counts) - wins - losses, p_value=sign_test(wins, losses)
    )


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided exact p-value of a sign test; ties are left out by the caller (Dixon and Mood, JASA 1946)."""
    number, larger = wins + losses, max(wins, losses)
    if not number:
        return 1.0
    tail: float = sum(comb(number, count) for count in range(larger, number + 1)) / 2.0**number
    return min(1.0, 2 * tail)
