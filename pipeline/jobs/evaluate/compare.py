"""Compares two evaluations of the same queries, query by query."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from pipeline.domain.errors import UsageError
from pipeline.jobs.evaluate.intervals import paired
from pipeline.jobs.evaluate.keeping import read_artifact
from pipeline.jobs.evaluate.model import Change, Comparison, EvaluationSummary


def compare_files(before: Path, after: Path) -> Comparison:
    """Compare two artifacts.

    Raises:
        UsageError: One is no evaluation, or they share no query.
    """
    return compare(read_artifact(before), read_artifact(after), names=(before.name, after.name))


def compare(before: EvaluationSummary, after: EvaluationSummary, *, names: tuple[str, str] = ("before", "after")) -> Comparison:
    """Compare two evaluations: means of the differences by query, resampled by query.

    Raises:
        UsageError: They share no query.
    """
    ours = {query: row.metrics for query, row in before.per_query.items() if row.metrics}
    theirs = {query: row.metrics for query, row in after.per_query.items() if row.metrics}
    shared = ours.keys() & theirs.keys()
    if not shared:
        raise UsageError("the two evaluations share no query")
    changed = {
        query: {name: round(theirs[query][name] - value, 6) for name, value in ours[query].items() if name in theirs[query]}
        for query in shared
    }
    first, second = before.basis.model_dump(), after.basis.model_dump()
    return Comparison(
        before=names[0],
        after=names[1],
        queries=len(shared),
        only_before=len(ours.keys() - shared),
        only_after=len(theirs.keys() - shared),
        differs=[*(name for name in first if first[name] != second[name]), *(["mode"] if before.mode != after.mode else [])],
        metrics={name: Change(**asdict(change)) for name, change in paired(ours, theirs).items()},
        per_query={query: row for query in sorted(shared) if (row := {name: value for name, value in changed[query].items() if value})},
    )
