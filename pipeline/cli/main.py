"""The ``clindex`` command."""

from __future__ import annotations

import io
import sys

import typer

from pipeline.cli import (
    asking,
    audit,
    auditing,
    certifying,
    checking,
    citing,
    deleting,
    demo,
    document,
    evaluating,
    fhir_key,
    holding,
    home,
    indexing,
    ingesting,
    inspecting,
    keys,
    monitoring,
    quarantine,
    reconciling,
    reindexing,
    reviewing,
    running,
    scrubbing,
    searching,
)
from pipeline.cli.output import USAGE, print_usage_json

app = typer.Typer(
    name="clindex",
    help="A vector index of clinical documents that provably agrees with a relational database.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)

app.command("init")(home.init)
app.command("status")(home.status)
app.add_typer(ingesting.app, name="ingest")
app.command("index")(indexing.index)
app.command("reconcile")(reconciling.reconcile)
app.command("reindex")(reindexing.reindex)
app.command("collections")(reindexing.collections)
app.command("search")(searching.search)
app.command("cite")(citing.cite)
app.command("ask")(asking.ask)
app.command("serve")(searching.serve)
app.command("chunk")(inspecting.chunk)
app.command("scrub")(scrubbing.scrub)
app.add_typer(document.app, name="document")
app.add_typer(quarantine.app, name="quarantine")
app.command("review")(reviewing.review)
app.add_typer(reviewing.app, name="decisions")
app.command("delete")(deleting.delete)
app.add_typer(holding.app, name="hold")
app.add_typer(certifying.app, name="certificate")
audit.app.command("verify")(auditing.verify)
app.add_typer(audit.app, name="audit")
app.command("fhir-key")(fhir_key.fhir_key)
app.add_typer(keys.app, name="key")
app.command("feedback")(auditing.feedback)
app.command("evaluate")(evaluating.evaluate)
app.command("quality")(checking.quality)
app.command("report")(inspecting.report)
app.command("metrics")(monitoring.metrics)
app.command("notify")(monitoring.notify)
app.command("nightly")(running.nightly)
app.command("demo")(demo.demo)


def main() -> None:
    """Entry point of the console script."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show ≥ shows ?, and the command goes on
    try:
        app()
    except SystemExit as end:
        if end.code == USAGE and "--json" in sys.argv[1:]:
            print_usage_json()
        raise


if __name__ == "__main__":
    main()
