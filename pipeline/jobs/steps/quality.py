"""The tasks of the DAG ``data_quality``: check, judge. Plain JSON in and out; ids of expectations, figures and counts only."""

from __future__ import annotations

from pipeline.domain.errors import IncompleteRunError
from pipeline.jobs.quality.job import broken_in, run_quality
from pipeline.jobs.steps.task import Json, task_home


def check(*, everything: bool) -> Json:
    """Hold the home against its suites."""
    with task_home() as services:
        summary = run_quality(services, everything=everything)
    return {
        "run_id": summary.run_id,
        "documents": summary.documents,
        "blocked": {line.id: line.broken for line in broken_in(summary.data_sets) if line.severity == "block"},
        "warned": {line.id: line.broken for line in broken_in(summary.data_sets) if line.severity == "warn"},
        "docs": summary.docs,
    }


def judge(found: Json) -> None:
    """Let the run end red where a blocking expectation is broken; warnings are for the report.

    Raises:
        IncompleteRunError: Says which, and by how many rows.
    """
    if found["blocked"]:
        raise IncompleteRunError(
            f"data quality run {found['run_id']}: blocking expectations are broken (rows): {found['blocked']}",
            remedy="The report and its Data Docs name the rows; docs/data-quality.md says what to do.",
        )
