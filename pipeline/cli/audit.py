"""``clindex audit phi``; ``auditing`` adds ``verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.arguments import document_ids
from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.audit.summary import AuditSummary, LeakGroup

app = typer.Typer(help="Checks of what is stored.", no_args_is_help=True)


@app.command("phi")
def phi(
    document: Annotated[list[str] | None, typer.Option(help="Only this document id. Repeatable.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Read every stored payload and every text that search shows for identifiers. Shows classes and places, never a value."""
    from pipeline.jobs.audit.phi import run_audit
    from pipeline.wiring import open_services

    ids = document_ids(document)

    def run() -> AuditSummary:
        with open_services(Settings()) as services:
            return run_audit(services, documents=ids)

    execute(run, as_json=as_json, render=_render, failed=lambda summary: not summary.clean, verbose=verbose)


def _render(summary: AuditSummary) -> None:
    names = ("documents", "chunks", "points", "leaked_documents", "leaked_characters")
    table("Audit: " + ("clean" if summary.clean else "LEAKED"), [(name.replace("_", " "), getattr(summary, name)) for name in names])
    _groups("leaked", summary.leaks)
    _groups("suspected", summary.suspected)
    _groups("released by a person", summary.released)
    for one in summary.policies:
        say(
            f"{one.policy}: {one.documents:,} documents, {one.placeholders:,} placeholders ({one.placeholder_share:.2%} of the text), "
            f"{one.beside_clinical_words:,} beside clinical words; {one.lost_terms:,} of {one.clinical_terms:,} clinical terms replaced "
            f"({one.sources_read:,} sources read)"
        )
    for place in summary.places[:20]:
        where = f"{place.section} {place.ordinal}" if place.section else place.where
        say(f"  {place.document_id or 'no document'}  {where}: {place.count} × {place.category} at {place.start}, by {place.by}")


def _groups(word: str, groups: list[LeakGroup]) -> None:
    for one in groups:
        say(f"  {word}: {one.count:,} × {one.category} in {one.where} under {one.policy}, {one.characters:,} characters, by {one.by}")
