"""``clindex reconcile``: compare, repair, approve, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.plans.model import RepairPlan
    from pipeline.jobs.summaries import ReconcileSummary


def reconcile(
    deep: Annotated[bool, typer.Option("--deep", help="Compare every point and every vector, not only where digests differ.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Carry the plan out, unless a guard refuses it.")] = False,
    approve: Annotated[
        str | None, typer.Option(metavar="PLAN", help="Carry out this plan although guards refused it, if nothing has changed since.")
    ] = None,
    undo: Annotated[
        str | None, typer.Option(metavar="UNDO_OR_PLAN", help="Put the index back as it was before a repair, without embedding.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Who approves; kept with the approval. Default: the operating system's user.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why it is approved; kept with the approval.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Read what is really in the index and prove that it equals truth; write a repair plan if it does not."""
    from pipeline.jobs.reconcile import run_reconcile
    from pipeline.wiring import open_services

    def run() -> ReconcileSummary:
        if sum((repair, approve is not None, undo is not None)) > 1:
            raise UsageError(
                "--repair makes and carries out a new plan, --approve carries out an old one, --undo takes a repair back: use one of them"
            )
        if approve is None and (by is not None or reason is not None):
            raise UsageError("--by and --reason belong to --approve")
        with open_services(Settings()) as services:
            return run_reconcile(services, repair=repair, deep=deep, approve=approve, undo=undo, by=by, reason=reason)

    execute(run, as_json=as_json, render=render_reconcile, failed=lambda s: not s.clean and s.undone is None, verbose=verbose)


def render_reconcile(summary: ReconcileSummary) -> None:
    """Print a reconciliation in words."""
    if summary.undone:
        done = summary.undone
        say(f"Undone: {done.restored:,} points written back as they were, {done.removed:,} removed that the repair had added.")
    rows: list[tuple[str, object]] = [("points expected", summary.expected), ("points found", summary.found)]
    rows += [(name, count) for name, count in summary.classes.items() if count or name == "ok"]
    rows += [(f"repaired {name}", count) for name, count in summary.repaired.items()]
    if summary.approved_by:
        rows.append(("approved by", summary.approved_by))
    depth = "every point and vector" if summary.depth == "deep" else "digests, and points where they differ"
    table(f"Reconciled: {'clean' if summary.clean else 'DRIFT'} (compared: {depth})", rows)
    if summary.depth == "deep" and summary.unmarked:
        say(
            f"Of {summary.unmarked:,} points the vectors have no mark: whether they changed since they were written is not known. "
            "`clindex reindex --reason TEXT` gives them marks."
        )
    _say_sources(summary)
    if summary.undo:
        say(f"Undo: clindex reconcile --undo {summary.undo}")
    if summary.plan:
        render_plan(summary.plan)


def _say_sources(summary: ReconcileSummary) -> None:
    """Say where truth is not what its sources listed last: that is for ingestion to mend, no plan does."""
    for side in summary.sources:
        if side.agrees:
            continue
        differing = ", ".join(f"{count:,} {name}" for name, count in side.classes.items() if count and name != "equal")
        say(
            f"{side.source} ({side.scope}) and the database differ: {differing}. Ingest it again; {summary.source_evidence} names the documents."
        )


def render_plan(path: str) -> None:
    """Print what a plan would do, what refuses it, and how to go on."""
    from pathlib import Path

    from pipeline.jobs.plans.model import RepairPlan

    plan = RepairPlan.model_validate_json(Path(path).read_bytes())
    rows: list[tuple[str, object]] = [
        ("delete points", f"{plan.delete_points:,} of {plan.points:,} ({plan.delete_share:.1%})"),
        ("index documents anew", plan.index_documents),
        ("rewrite payloads of documents", plan.update_payloads),
    ]
    say("")
    table(f"Plan {plan.run_id}", rows)
    if len(plan.blast) > 1 or (plan.blast and plan.blast[0].source != "unknown"):
        for part in plan.blast:
            say(
                f"  {part.source}, {part.kind}: delete {part.delete_points:,} points, index {part.index_documents:,}, "
                f"rewrite {part.rewrite_documents:,}"
            )
    for name, words in plan.why.items():
        say(f"  {name} ({plan.classes[name]:,}): {words}")
    say(f"  sha256 {plan.sha256}")
    say(f"  {path}")
    _say_refusals(plan, path)


def _say_refusals(plan: RepairPlan, path: str) -> None:
    for verdict in plan.refused:
        say(f"Refused by {verdict.guard.value}: {verdict.reason}.", style="bold")
    if not plan.refused:
        say("No guard refuses it: `clindex reconcile --repair` repairs.")
    elif plan.approvable:
        say(f"If that is right, a person approves: clindex reconcile --approve {path} --reason TEXT")
    else:
        say("No approval lifts that. When it is over, run `clindex reconcile` again.")
