"""``clindex index``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.arguments import document_ids
from pipeline.cli.output import Json, Verbose, execute, say_failures, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.summaries import IndexSummary


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
