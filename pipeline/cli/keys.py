"""``clindex key create | list | revoke``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.api_keys import CreatedKey, KeyEntry, KeyList

app = typer.Typer(help="Keys of the HTTP API.", no_args_is_help=True)


@app.command("create")
def create(
    name: Annotated[str, typer.Option(help="Whose it is: an application, not a person.")],
    role: Annotated[str, typer.Option(help="public, clinical or operator.")],
    label: Annotated[list[str] | None, typer.Option(help="Clinical: only documents with this access label. Repeatable.")] = None,
    department: Annotated[list[str] | None, typer.Option(help="Clinical: only documents of this department. Repeatable.")] = None,
    patient: Annotated[list[str] | None, typer.Option(help="Clinical: only this patient, by pseudonym. Repeatable.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="How long it is valid; else until it is revoked.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Make a key and show it once. Open documents every key sees; a clinical one also those that all of its limits allow."""
    from pipeline.jobs.api_keys import create_key
    from pipeline.search.access import Role
    from pipeline.wiring import open_services

    if role not in {one.value for one in Role}:
        raise typer.BadParameter(f"roles are {', '.join(Role)}")

    def run() -> CreatedKey:
        with open_services(Settings()) as services:
            return create_key(
                services,
                name=name,
                role=Role(role),
                labels=label or (),
                departments=department or (),
                patients=patient or (),
                days=days,
            )

    def render(made: CreatedKey) -> None:
        say(made.key)
        say("Keep it now: it is not shown again.", style="yellow")

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("list")
def list_(as_json: Json = False, verbose: Verbose = False) -> None:
    """Show every key there ever was, without what opens anything."""
    from pipeline.jobs.api_keys import list_keys
    from pipeline.wiring import open_services

    def run() -> KeyList:
        with open_services(Settings()) as services:
            return list_keys(services)

    def render(found: KeyList) -> None:
        for one in found.keys:
            limits = [*(one.labels or ()), *(one.departments or ()), *(one.patients or ())]
            state = "" if one.valid else "  [revoked]" if one.revoked_at else "  [expired]"
            say(f"{one.key_id}  {one.role}  {one.name}  {', '.join(limits)}{state}")
        say(f"{sum(one.valid for one in found.keys):,} valid")

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="A key's id: the eight characters after `clx_`.")],
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Let a key open nothing from now on."""
    from pipeline.jobs.api_keys import revoke_key
    from pipeline.wiring import open_services

    def run() -> KeyEntry:
        with open_services(Settings()) as services:
            return revoke_key(services, key_id)

    execute(run, as_json=as_json, render=lambda done: table("Revoked", list(done.model_dump(exclude_none=True).items())), verbose=verbose)
