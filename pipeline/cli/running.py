"""``clindex nightly``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.home import freshness_lines
from pipeline.cli.indexing import render_index
from pipeline.cli.ingesting import render_fhir, render_ingest
from pipeline.cli.output import Json, Verbose, execute, say
from pipeline.cli.reconciling import render_reconcile
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.nightly import NightlySummary


def nightly(
    from_: Annotated[list[str] | None, typer.Option("--from", help="File or folder in place of the registry. Repeatable.")] = None,
    query: Annotated[str | None, typer.Option(help="Only studies that the registry finds for these words.")] = None,
    documents: Annotated[
        list[str] | None, typer.Option(help="Folder or URL of the site's documents; else those of CLINDEX_DOCUMENTS_PATHS. Repeatable.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="List everything, and load all of FHIR, not only what changed since the last run.")
    ] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Carry out the repair plan if there is drift.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Ingest trials, the site's documents and FHIR resources, index, reconcile and report once, without Airflow."""
    from pipeline.jobs.nightly import document_source, run_nightly, trial_source
    from pipeline.wiring import open_services

    def run() -> NightlySummary:
        with open_services(Settings()) as services:
            trials = trial_source(services, from_paths=from_, query=query, full=full)
            files = document_source(services, documents) if documents or services.settings.documents_paths else None
            return run_nightly(services, trials, documents=files, full=full, repair=repair)

    def render(summary: NightlySummary) -> None:
        render_ingest(summary.ingest)
        if summary.documents is not None:
            render_ingest(summary.documents)
        for one in summary.fhir:
            render_fhir(one)
        render_index(summary.index)
        render_reconcile(summary.reconcile)
        for line in freshness_lines(summary.freshness):
            say(line)
        say(f"Report: {summary.report}")

    execute(run, as_json=as_json, render=render, failed=lambda s: s.incomplete, verbose=verbose)
