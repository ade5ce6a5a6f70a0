"""``clindex init`` and ``clindex status``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.summaries import Freshness


def init(
    rebuild_index: Annotated[
        bool, typer.Option(help="Drop the collection and make it anew; `clindex index` then writes all documents.")
    ] = False,
    rekey_landing: Annotated[
        bool, typer.Option("--rekey-landing", help="Then write every landed payload anew under the newest CLINDEX_LANDING_KEY.")
    ] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Make the home: schema, site secret, verified model, collection. Safe to run again."""
    from pipeline.jobs.init import InitSummary, initialise
    from pipeline.jobs.rekey import rekey_landing as rekey

    def run() -> InitSummary:
        summary = initialise(Settings(), rebuild_index=rebuild_index)
        return summary.model_copy(update={"rekeyed": rekey(Settings())}) if rekey_landing else summary

    def render(summary: InitSummary) -> None:
        table("Home", [(name, value) for name, value in summary.model_dump(exclude={"rekeyed"}).items()])
        if summary.rekeyed:
            table("Landing", list(summary.rekeyed.model_dump().items()))

    def failed(summary: InitSummary) -> bool:
        return summary.rekeyed is not None and summary.rekeyed.damaged > 0

    execute(run, as_json=as_json, render=render, failed=failed, verbose=verbose)


def status(as_json: Json = False, verbose: Verbose = False) -> None:
    """Show where the home stands, with a cheap check of index against truth."""
    from pipeline.jobs.status import status as job
    from pipeline.jobs.summaries import StatusSummary
    from pipeline.wiring import open_services

    def run() -> StatusSummary:
        with open_services(Settings()) as services:
            return job(services)

    def render(summary: StatusSummary) -> None:
        rows: list[tuple[str, object]] = [("home", summary.home), ("schema", summary.schema_), ("collection", summary.collection)]
        rows += [(f"documents {state}", count) for state, count in sorted(summary.documents.items())]
        rows += [("points", summary.points), ("points expected", summary.expected_points), ("drift check", summary.drift_check)]
        if summary.start_check.findings:
            rows.append(("drift found", ", ".join(summary.start_check.findings)))
        gone = summary.deletions
        rows += [("deletions to finish", gone.open + gone.erased), ("certificates of deletion", gone.certificates)]
        rows += [("legal holds", summary.holds.active)]
        rows += [(f"run {run['kind']}", f"{run['state']}  {run['started_at']}") for run in summary.last_runs]
        table("Status", rows)
        if summary.drift_check in _NEXT:
            say(_NEXT[summary.drift_check])
        for line in freshness_lines(summary.freshness):
            say(line)

    execute(run, as_json=as_json, render=render, failed=lambda s: s.drift_check != "clean", verbose=verbose)


_NEXT: Final = {
    "drift": "`clindex reconcile` says what differs and writes a plan.",
    "unknown": "The live collection is not there, or does not say what it was made with: `clindex init`, then `clindex index`; "
    "`clindex init --rebuild-index` makes it anew.",
}


def freshness_lines(found: Freshness) -> list[str]:
    """Return how fresh recruiting statuses are, in words; nothing where no study recruits."""
    if found.oldest_hours is None:
        return []
    lines = [f"Recruiting: {found.recruiting:,} studies; the oldest status was confirmed {found.oldest_hours:,.1f} hours ago."]
    if found.breaches:
        lines.append(
            f"{found.breaches:,} of them are older than the objective of {found.objective_hours:g} hours or outdated: ingest trials again."
        )
    return lines
