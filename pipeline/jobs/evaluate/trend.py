"""The last evaluations of one set of queries, from the runs that truth keeps: how the search has fared over weeks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import Field
from sqlalchemy import Connection

from pipeline.domain.vocabulary import RunKind
from pipeline.jobs.summaries import Summary
from pipeline.storage import runs

LAST: Final = 12  # a quarter of a year of weeks
SHOWN: Final = ("ndcg@10", "recall@10")


class TrendPoint(Summary):
    """One evaluation: value, low and high by measure."""

    at: datetime
    queries: int
    index_digest: str | None
    metrics: dict[str, tuple[float, float, float]]
    below: list[str] = Field(description="measures below their floor")


class EvaluationTrend(Summary):
    """The last evaluations that asked what the newest one asked, oldest first."""

    points: list[TrendPoint] = Field([], description="oldest first")
    others: int = Field(0, description="evaluations among the last that asked other queries, and are not comparable")


def evaluation_trend(tx: Connection) -> EvaluationTrend:
    """Return the trend of the whole search; evaluations of a part of it (``mode``) do not count."""
    ended = [run for run in runs.latest_of_kind(tx, RunKind.EVALUATE, limit=2 * LAST) if run.counts.get("mode") == "full"][:LAST]
    if not ended:
        return EvaluationTrend()
    asked = ended[0].counts["queries_sha256"]
    same = [run for run in ended if run.counts["queries_sha256"] == asked]
    return EvaluationTrend(points=[_point(run.started_at, run.counts) for run in reversed(same)], others=len(ended) - len(same))


def _point(at: datetime, counts: Mapping[str, Any]) -> TrendPoint:
    metrics = {name: (one["value"], one["low"], one["high"]) for name, one in counts["metrics"].items() if name in SHOWN}
    return TrendPoint(at=at, queries=counts["queries"], index_digest=counts["index_digest"], metrics=metrics, below=counts["below"])
