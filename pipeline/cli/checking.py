"""``clindex quality``: hold what is in the home against the suites of expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.quality.model import ExpectationResult, QualitySummary

_SHOWN = 5  # rows named on the screen; the file has a hundred


def quality(
    everything: Annotated[bool, typer.Option("--all", help="Read every document, not a sample of CLINDEX_QUALITY_DOCUMENTS.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Check studies, documents, pages, chunks, points, FHIR resources and runs; exit 1 where a blocking expectation is broken."""
    from pipeline.jobs.quality.job import run_quality
    from pipeline.wiring import open_services

    def run() -> QualitySummary:
        with open_services(Settings()) as services:
            return run_quality(services, everything=everything)

    execute(run, as_json=as_json, render=_render, failed=lambda summary: summary.blocked > 0, verbose=verbose)


def _render(summary: QualitySummary) -> None:
    from pipeline.jobs.quality.job import broken_in

    read = f"{summary.documents:,} of {summary.of_documents:,} documents read, compared with {summary.earlier} earlier checks"
    rows: list[tuple[str, object]] = [(one.name, one.rows) for one in summary.data_sets]
    table(f"Data quality: {'clean' if summary.clean else f'{summary.blocked} BLOCKING, {summary.warned} warnings'} ({read})", rows)
    for line in broken_in(summary.data_sets):
        say(
            f"{line.severity.upper()} {line.id}: of {line.broken:,} of {line.rows:,} {line.data_set} it does not hold that {line.says}{_range(line)}."
        )
        say(f"  {', '.join(line.named[:_SHOWN])}{' …' if line.broken > _SHOWN else ''}")
    for one in summary.held_back:
        say(f"HELD BACK {one.document_id}: {one.broken}")
    if summary.docs:
        say(f"Data Docs: {Settings().reports_folder / summary.docs}")


def _range(line: ExpectationResult) -> str:
    return "" if line.lowest is None else f" (observed: {line.lowest:g} to {line.highest:g})"
