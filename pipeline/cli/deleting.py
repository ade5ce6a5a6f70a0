"""``clindex delete``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.arguments import document_ids
from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.deletion import LiftSummary
    from pipeline.jobs.deletion.run import DeleteSummary


def delete(
    document: Annotated[list[str] | None, typer.Option(help="This document id. Repeatable.")] = None,
    patient: Annotated[str | None, typer.Option(help="All documents of this patient (a pseudonym), also those that come later.")] = None,
    expired: Annotated[bool, typer.Option("--expired", help="Every document whose time is over by the site's retention rules.")] = False,
    lift: Annotated[str | None, typer.Option(help="Let this document id or pseudonym be taken again; nothing is deleted.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why; kept with the certificate. It must name nobody.")] = None,
    by: Annotated[str | None, typer.Option(help="Who decided it; else your user name.")] = None,
    on_request: Annotated[bool, typer.Option("--on-request", help="The patient asked for it (right to deletion).")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be deleted.")] = False,
    approve_large: Annotated[
        bool, typer.Option("--approve-large", help="A person decided that more than CLINDEX_MAX_DELETE_SHARE may go.")
    ] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Delete for good: from search at once, then from every store, with a certificate. What was deleted is not taken again."""
    from pipeline.jobs.deletion import lift as lift_suppression
    from pipeline.jobs.deletion.run import run_delete
    from pipeline.wiring import open_services

    ids = document_ids(document)

    def run() -> DeleteSummary:
        if sum((ids is not None, patient is not None, expired)) != 1:
            raise UsageError("name documents, a patient, or --expired", remedy="One of --document, --patient, --expired and --lift.")
        if not dry_run and not expired and not reason:
            raise UsageError("a deletion needs a reason", remedy="Say why with --reason; it is kept with the certificate.")
        with open_services(Settings()) as services:
            return run_delete(
                services,
                documents=ids,
                patient=patient,
                expired=expired,
                reason=reason,
                by=by,
                on_request=on_request,
                dry_run=dry_run,
                approve_large=approve_large,
            )

    def run_lift() -> LiftSummary:
        if ids is not None or patient is not None or expired:
            raise UsageError("--lift deletes nothing", remedy="Use it alone, with --reason.")
        with open_services(Settings()) as services:
            return lift_suppression(services, lift or "", reason=reason or "", by=by)

    if lift is not None:
        execute(
            run_lift, as_json=as_json, render=lambda done: table("May be taken again", list(done.model_dump().items())), verbose=verbose
        )
    execute(run, as_json=as_json, render=render_delete, failed=lambda done: done.incomplete, verbose=verbose)


def render_delete(summary: DeleteSummary) -> None:
    """Print a deletion in words."""
    asked = summary.request
    rows: list[tuple[str, object]] = [("documents", asked.documents), ("chunks", asked.chunks)]
    rows += [("deleted before", asked.already_deleted), ("on hold", summary.held)]
    table("Would delete" if asked.dry_run else "Asked to delete", rows)
    for one in summary.retention.counts if summary.retention else []:
        label = one.access or "no label"
        say(f"  {one.kind} ({label}): {one.documents:,} after {one.keep_years} years, {one.held:,} on hold; {one.reason}")
    if asked.patient is not None and asked.documents + asked.already_deleted == 0:
        say("No document of this patient is known: was the pseudonym mistyped?", style="bold yellow")
        if not asked.dry_run:
            say("From now on nothing of it is taken; `clindex delete --lift` takes that back.")
    done = summary.outcome
    if done is None:
        return
    shown = ("state", "documents", "erased", "held", "points", "texts", "landed", "certificate")
    table(
        f"Deletion {done.deletion_id}", [(name, value) for name, value in done.model_dump(include=set(shown)).items() if value is not None]
    )
    if done.certificate is not None:
        say(f"`clindex certificate show {done.certificate}` shows the proof.")
    else:
        say("It is not finished: the next `clindex index` goes on with it.")
