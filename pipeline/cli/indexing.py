"""``clindex index``, ``reconcile`` and ``reindex``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.arguments import document_ids
from pipeline.cli.output import Json, Verbose, execute, say, say_failures, table
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.summaries import IndexSummary, ReconcileSummary


WORDS = (
    ("chunks", "chunks"),
    ("embedded", "distinct texts embedded"),
    ("cached", "distinct texts from the cache"),
    ("points_written", "points written"),
    ("points_deleted", "points deleted"),
    ("payloads_updated", "payloads updated"),
    ("unexplained", "characters unexplained"),
)


def index(
    document: Annotated[list[str] | None, typer.Option(help="Only this document id. Repeatable.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Write every document anew, changed or not.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Bring the index to what truth says. Interrupted anywhere, the next run goes on."""
    from pipeline.jobs.index import describe_plan, is_incomplete, run_index
    from pipeline.jobs.index_plan import plan_index
    from pipeline.wiring import open_services

    ids = document_ids(document)

    def plan() -> dict[str, object]:
        with open_services(Settings()) as services:
            return {"dry_run": True, "plan": describe_plan(plan_index(services, documents=ids, force=all_))}

    def run() -> IndexSummary:
        with open_services(Settings()) as services:
            return run_index(services, documents=ids, force=all_)

    if dry_run:
        execute(plan, as_json=as_json, render=lambda p: table("Would do", list(p["plan"].items())), verbose=verbose)  # type: ignore[attr-defined]
    execute(run, as_json=as_json, render=render_index, failed=is_incomplete, verbose=verbose)


def render_index(summary: IndexSummary) -> None:
    """Print an index run in words."""
    rows: list[tuple[str, object]] = [(f"documents {name}", count) for name, count in summary.documents.model_dump().items()]
    table("Indexed", [(name.replace("_", " "), count) for name, count in rows] + [(words, getattr(summary, name)) for name, words in WORDS])
    say_failures(summary.failures)


def reconcile(
    deep: Annotated[bool, typer.Option(help="Compare every point (the default and only depth so far).")] = False,
    repair: Annotated[bool, typer.Option(help="Carry out the plan, unless a guard refuses it.")] = False,
    approve: Annotated[str | None, typer.Option(help="Carry out this plan although it is large, if nothing has changed since.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Read what is really in the index and prove that it equals truth; write a repair plan if it does not."""
    from pipeline.jobs.reconcile import run_reconcile
    from pipeline.wiring import open_services

    _ = deep

    def run() -> ReconcileSummary:
        if repair and approve:
            raise UsageError("--repair makes and carries out a new plan; --approve carries out an old one: use one of them")
        with open_services(Settings()) as services:
            return run_reconcile(services, repair=repair, approve=approve)

    execute(run, as_json=as_json, render=render_reconcile, failed=lambda s: not s.clean, verbose=verbose)


def render_reconcile(summary: ReconcileSummary) -> None:
    """Print a reconciliation in words."""
    rows: list[tuple[str, object]] = [("points expected", summary.expected), ("points found", summary.found)]
    rows += list(summary.classes.items())
    rows += [(f"repaired {name}", count) for name, count in summary.repaired.items()]
    table("Reconciled: " + ("clean" if summary.clean else "DRIFT"), rows)
    if summary.plan:
        say(f"Plan: {summary.plan}")
        say("`clindex reconcile --repair` repairs; `--approve PLAN` does so for a plan that a guard refused.")
