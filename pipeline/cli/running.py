"""``clindex nightly``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.indexing import render_index, render_reconcile
from pipeline.cli.ingesting import render_ingest
from pipeline.cli.output import Json, Verbose, execute, say
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.nightly import NightlySummary


def nightly(
    from_: Annotated[list[str] | None, typer.Option("--from", help="File or folder in place of the registry. Repeatable.")] = None,
    query: Annotated[str | None, typer.Option(help="Only studies that the registry finds for these words.")] = None,
    full: Annotated[bool, typer.Option("--full", help="List everything, not only what changed since the last run.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Carry out the repair plan if there is drift.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Ingest, index, reconcile and report once, without Airflow."""
    from pipeline.jobs.nightly import run_nightly, trial_source
    from pipeline.wiring import open_services

    def run() -> NightlySummary:
        with open_services(Settings()) as services:
            return run_nightly(services, trial_source(services, from_paths=from_, query=query, full=full), repair=repair)

    def render(summary: NightlySummary) -> None:
        render_ingest(summary.ingest)
        render_index(summary.index)
        render_reconcile(summary.reconcile)
        say(f"Report: {summary.report}")

    execute(run, as_json=as_json, render=render, failed=lambda s: s.incomplete, verbose=verbose)
