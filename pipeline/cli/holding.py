"""``clindex hold place | release | list``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.holds import HoldEntry, HoldList, PlacedHold

app = typer.Typer(help="Legal holds: documents and patients whose data no deletion may touch.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Why; kept for ever with your user name. It must name nobody.")]


@app.command("place")
def place(
    subject: Annotated[str, typer.Argument(metavar="ID", help="A document's id, or a patient's pseudonym.")],
    reason: Reason,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Forbid the deletion of a document, or of all of a patient's, those to come included."""
    from pipeline.jobs.holds import place_hold
    from pipeline.wiring import open_services

    def run() -> PlacedHold:
        with open_services(Settings()) as services:
            return place_hold(services, subject, reason=reason)

    def render(done: PlacedHold) -> None:
        table("Held", [(name, value) for name, value in done.hold.model_dump(exclude_none=True).items()])
        if not done.known:
            say("No document of this id or patient is known here yet: the hold waits for one. Was it typed right?")

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("release")
def release(
    hold_id: Annotated[str, typer.Argument(metavar="HOLD", help="A hold's id, as `clindex hold list` shows it.")],
    reason: Reason,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Release a hold. Nothing is deleted by it: the next retention run finds what has expired meanwhile."""
    from pipeline.jobs.holds import release_hold
    from pipeline.wiring import open_services

    key = _hold_id(hold_id)

    def run() -> HoldEntry:
        with open_services(Settings()) as services:
            return release_hold(services, key, reason=reason)

    execute(run, as_json=as_json, render=lambda done: table("Released", list(done.model_dump().items())), verbose=verbose)


@app.command("list")
def list_(as_json: Json = False, verbose: Verbose = False) -> None:
    """Show every hold there ever was, the active ones first."""
    from pipeline.jobs.holds import list_holds
    from pipeline.wiring import open_services

    def run() -> HoldList:
        with open_services(Settings()) as services:
            return list_holds(services)

    def render(found: HoldList) -> None:
        for one in found.holds:
            state = "active" if one.active else f"released {one.released_at} by {one.released_by}: {one.released_reason}"
            say(f"{one.hold_id}  {one.subject}  since {one.placed_at} by {one.placed_by}: {one.reason}  [{state}]")
        say(f"{found.active:,} active")

    execute(run, as_json=as_json, render=render, verbose=verbose)


def _hold_id(value: str) -> UUID:
    try:
        return UUID(value)
    except ValueError:
        raise typer.BadParameter("a hold's id is a UUID; `clindex hold list` shows them") from None
