"""What the report says of the last check of data quality: the broken expectations, and the first rows of each by id."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import Field
from sqlalchemy import Connection

from pipeline.domain.vocabulary import RunKind
from pipeline.jobs.quality.model import ExpectationResult
from pipeline.jobs.summaries import Summary
from pipeline.storage import runs

ROWS: Final = 20  # named in the report for each expectation; ``reports/quality/latest.json`` has a hundred


class QualityFacts(Summary):
    """The last check that ended."""

    run_id: str
    finished_at: datetime | None
    documents: int = Field(description="documents that it read")
    blocked: int
    warned: int
    broken: list[ExpectationResult] = Field(description="blocking ones first; the first 20 rows of each")
    docs: str | None = Field(description="Data Docs, as a path from the report's folder; null: none were written")


def quality_facts(tx: Connection) -> QualityFacts | None:
    """Return what the last check found, or ``None`` where none has ended yet."""
    for run in runs.latest_of_kind(tx, RunKind.QUALITY, limit=1):
        lines = [ExpectationResult.model_validate(line) for line in run.counts["broken"]]
        return QualityFacts(
            run_id=str(run.run_id),
            finished_at=run.finished_at,
            documents=run.counts["documents_read"],
            blocked=run.counts["blocked"],
            warned=run.counts["warned"],
            broken=[line.model_copy(update={"named": line.named[:ROWS]}) for line in lines],
            docs=run.counts["docs"],
        )
    return None
