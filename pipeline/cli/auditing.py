"""``clindex audit verify`` and ``clindex feedback``: the log of searches, and what readers did with hits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.audit.searches import LogReport
    from pipeline.jobs.feedback import FeedbackSummary


def verify(
    noted: Annotated[
        str | None, typer.Option("--noted", metavar="NUMBER:HASH", help="A head that was noted earlier: it must still stand in the log.")
    ] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Read the log of searches; exit 1 if a row was changed, removed or put in."""
    from pipeline.jobs.audit.searches import verify_log
    from pipeline.wiring import open_services

    def run() -> LogReport:
        with open_services(Settings()) as services:
            return verify_log(services, noted=noted)

    def render(found: LogReport) -> None:
        table("Log of searches: " + ("unbroken" if found.passed else "BROKEN"), [("rows", found.rows), ("head", found.head or "none")])
        for problem in found.problems:
            say(f"  {problem}", style="red")

    execute(run, as_json=as_json, render=render, failed=lambda found: not found.passed, verbose=verbose)


def feedback(
    days: Annotated[int | None, typer.Option(min=1, help="Only events of so many days.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what readers did with hits, and which of two interleaved ways of searching they take."""
    from pipeline.jobs.feedback import summarise_feedback
    from pipeline.wiring import open_services

    def run() -> FeedbackSummary:
        with open_services(Settings()) as services:
            return summarise_feedback(services, since=None if days is None else datetime.now(UTC) - timedelta(days=days))

    def render(found: FeedbackSummary) -> None:
        table("Feedback", [("searches", found.searches), *[(name.replace("_", " "), count) for name, count in found.events.items()]])
        for one in found.comparisons:
            say(
                f"{one.first} against {one.second}: {one.first_wins:,} to {one.second_wins:,} searches, {one.ties:,} ties"
                f" (sign test p = {one.p_value:.3g})"
            )

    execute(run, as_json=as_json, render=render, verbose=verbose)
