"""``clindex quarantine list | show | release``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.arguments import document_id as parsed_id
from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.quarantine import QuarantineDetails, QuarantineEntry, QuarantineList, ReleaseSummary

app = typer.Typer(help="Documents that the identifier gate holds back.", no_args_is_help=True)

DocumentId = Annotated[str, typer.Argument(metavar="ID", help="A document id, as `clindex quarantine list` shows it.")]


@app.command("list")
def list_(as_json: Json = False, verbose: Verbose = False) -> None:
    """Show every document that is held back, with the classes of identifiers found, since when and under which policy."""
    from pipeline.jobs.quarantine import list_quarantine
    from pipeline.wiring import open_services

    def run() -> QuarantineList:
        with open_services(Settings()) as services:
            return list_quarantine(services)

    def render(found: QuarantineList) -> None:
        for one in found.documents:
            _head(one)
        say(f"{len(found.documents):,} held back")

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("show")
def show(document_id: DocumentId, as_json: Json = False, verbose: Verbose = False) -> None:
    """Show where in a document the gate found what: section, ordinal, class, count and offset, never the text."""
    from pipeline.jobs.quarantine import show_quarantined
    from pipeline.wiring import open_services

    key = parsed_id(document_id)

    def run() -> QuarantineDetails:
        with open_services(Settings()) as services:
            return show_quarantined(services, key)

    def render(found: QuarantineDetails) -> None:
        _head(found.document)
        say(f"  source key {found.document.source_key}")
        for one in found.findings:
            place = f"{one.section} {one.ordinal}" if one.section else one.where
            say(f"  {place}: {one.count} × {one.category}, {one.characters} characters, the first at {one.start}")
        for release in found.releases:
            say(f"  released {release.released_at} by {release.released_by} under {release.policy}: {release.reason}")
        if found.content_changed:
            say("Its content has changed since: `clindex index` judges it anew.")
        else:
            say("Places are characters of the de-identified chunk with its context. What identifies somebody: name it in the document's")
            say("sidecar, ingest and index again. What does not:")
            say(f'  clindex quarantine release {found.document.document_id} --reason "…"')

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("release")
def release(
    document_id: DocumentId,
    reason: Annotated[str, typer.Option(help="Why; kept for ever with your user name. It must name nobody.")],
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Let a document pass at the next `clindex index`: exactly this content under this policy. Audited."""
    from pipeline.jobs.quarantine import release_quarantined
    from pipeline.wiring import open_services

    key = parsed_id(document_id)

    def run() -> ReleaseSummary:
        with open_services(Settings()) as services:
            return release_quarantined(services, key, reason=reason)

    def render(done: ReleaseSummary) -> None:
        table("Released", [("document", done.document_id), *done.release.model_dump(exclude={"classes"}).items()])
        say("`clindex index` writes it; a changed content or policy is judged anew.")

    execute(run, as_json=as_json, render=render, verbose=verbose)


def _head(one: QuarantineEntry) -> None:
    classes = ", ".join(f"{count} × {name}" for name, count in one.classes.items())
    say(f"{one.document_id}  {one.kind}  {one.source}  since {one.since[:10]}  {one.policy}  {classes}")
