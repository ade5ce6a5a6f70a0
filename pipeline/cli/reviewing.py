"""``clindex review`` and ``clindex decisions make | list | withdraw | export | apply | fixture``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.domain.review import Action, FindingKind, Fix, Reason, RuleSet
from pipeline.domain.vocabulary import FILE_KINDS, DocumentKind, Section
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.review.files import ApplySummary, ExportSummary
    from pipeline.jobs.review.fixtures import Fixture
    from pipeline.jobs.review.model import DecisionEntry, DecisionList, FindingPage

app = typer.Typer(help="What people decided about findings: kept, obeyed by the next run, and exchanged as files.", no_args_is_help=True)

DecisionId = Annotated[str, typer.Argument(metavar="DECISION", help="A decision's id, as `clindex decisions list` shows it.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder under version control.")]


def review(
    kind: Annotated[FindingKind | None, typer.Option(help="Only findings of this kind.")] = None,
    subject: Annotated[str | None, typer.Option(metavar="ID", help="Only those of one document or resource.")] = None,
    decided: Annotated[bool, typer.Option("--decided", help="Those that were decided, in place of those that are open.")] = False,
    after: Annotated[str | None, typer.Option(help="Where the page before ended, as it said.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="Findings of a page.")] = 50,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """List what a person has to look at: ids, rules and places, never text."""
    from pipeline.jobs.review.findings import findings
    from pipeline.wiring import open_services

    def run() -> FindingPage:
        with open_services(Settings()) as services:
            return findings(services, kind, status="decided" if decided else "open", subject=subject, after=after, limit=limit)

    def render(page: FindingPage) -> None:
        for one in page.findings:
            more = " ".join(str(part) for part in (one.locus, one.count, one.value) if part is not None and part != "")
            mark = "blocks" if one.severity == "block" else "warns"
            say(f"{one.finding_id}  {one.kind}  {one.subject}  {one.subject_kind}  {one.rule}  {more}  ({mark})")
        if page.after:
            say(f"more: --after {page.after}")
        say(f"{len(page.findings):,} shown; decide with `clindex decisions make FINDING SUBJECT --action … --reason …`, or at /console")

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("make")
def make(
    finding: Annotated[str, typer.Argument(metavar="FINDING", help="A finding's id, as `clindex review` shows it.")],
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="The document or resource that it is about.")],
    action: Annotated[Action, typer.Option(help="What is decided.")],
    reason: Annotated[Reason, typer.Option(help="Why.")],
    note: Annotated[str, typer.Option(help="More words. They must name nobody: the scrubber reads them.")] = "",
    kind: Annotated[str | None, typer.Option(help="Fix: the kind that a file really is of.")] = None,
    title: Annotated[str | None, typer.Option(help="Fix: the title of a public document or a trial.")] = None,
    from_section: Annotated[Section | None, typer.Option(help="Fix: passages of this section ...")] = None,
    section: Annotated[Section | None, typer.Option(help="Fix: ... belong into this one.")] = None,
    rule: Annotated[RuleSet | None, typer.Option(help="Fix: rules that lack something.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Decide about a finding. Audited; the next `clindex index` obeys it."""
    from pipeline.jobs.review.decide import decide
    from pipeline.wiring import open_services

    if kind is not None and kind not in FILE_KINDS:
        raise typer.BadParameter(f"kinds are {', '.join(FILE_KINDS)}")
    fix = Fix(DocumentKind(kind) if kind else None, title, from_section, section, rule)

    def run() -> DecisionEntry:
        with open_services(Settings()) as services:
            return decide(services, finding, subject, action=action, reason=reason, note=note, fix=fix if fix.said() else None)

    execute(run, as_json=as_json, render=_say_made, verbose=verbose)


@app.command("list")
def list_(
    every: Annotated[bool, typer.Option("--all", help="Withdrawn ones, too.")] = False, as_json: Json = False, verbose: Verbose = False
) -> None:
    """Show decisions, the newest first."""
    from pipeline.jobs.review.decide import list_decisions
    from pipeline.wiring import open_services

    def run() -> DecisionList:
        with open_services(Settings()) as services:
            return list_decisions(services, active_only=not every)

    def render(found: DecisionList) -> None:
        for one in found.decisions:
            state = "withdrawn" if one.withdrawn_at else "" if one.obeyed else "waits"
            fix = " ".join(f"{name}={value}" for name, value in (one.fix or {}).items())
            when = one.decided_at.isoformat()[:10]
            say(
                f"{one.decision_id}  {one.action}  {one.kind}  {one.subject}  {one.rule}  {one.reason}  {one.decided_by} {when} {fix} {state}"
            )
        say(f"{len(found.decisions):,} decisions")

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("withdraw")
def withdraw(decision: DecisionId, as_json: Json = False, verbose: Verbose = False) -> None:
    """Withdraw a decision: the next runs undo what it did. Audited."""
    from pipeline.jobs.review.decide import withdraw as job
    from pipeline.wiring import open_services

    def run() -> DecisionEntry:
        with open_services(Settings()) as services:
            return job(services, decision)

    execute(run, as_json=as_json, render=_say_made, verbose=verbose)


@app.command("export")
def export(folder: Folder, as_json: Json = False, verbose: Verbose = False) -> None:
    """Write every decision that holds into a folder, one file each, and remove the files of those that do not."""
    from pipeline.jobs.review.files import export as job
    from pipeline.wiring import open_services

    def run() -> ExportSummary:
        with open_services(Settings()) as services:
            return job(services, folder)

    execute(run, as_json=as_json, render=lambda done: table("Exported", list(done.model_dump().items())), verbose=verbose)


@app.command("apply")
def apply(folder: Folder, as_json: Json = False, verbose: Verbose = False) -> None:
    """Take over the decisions of a folder, all or none; the next `clindex index` obeys them. Exit code 1: one has to wait."""
    from pipeline.jobs.review.files import apply as job
    from pipeline.wiring import open_services

    def run() -> ApplySummary:
        with open_services(Settings()) as services:
            return job(services, folder)

    def render(done: ApplySummary) -> None:
        table("Applied", list(done.model_dump().items()))

    execute(run, as_json=as_json, render=render, failed=lambda done: bool(done.waiting), verbose=verbose)


@app.command("fixture")
def fixture(
    decision: DecisionId,
    to: Annotated[Path, typer.Option(help="Folder that the fixture is written into.")] = Path("tests/fixtures/decisions"),
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Write a decision as a regression fixture: the document's shape without its text, and what came of the decision."""
    from pipeline.jobs.review.fixtures import write_fixture
    from pipeline.wiring import open_services

    def run() -> Fixture:
        with open_services(Settings()) as services:
            return write_fixture(services, decision, to)

    def render(made: Fixture) -> None:
        say(f"{to / (made.decision.decision_id + '.json')}: {len(made.document.chunks):,} chunks, goes live: {made.expected.goes_live}")

    execute(run, as_json=as_json, render=render, verbose=verbose)


def _say_made(one: DecisionEntry) -> None:
    table("Withdrawn" if one.withdrawn_at else "Decided", list(one.model_dump(mode="json", exclude_none=True).items()))
    if not one.obeyed:
        say("It could not be carried out now: a legal hold, or a record that cannot be read. Every `clindex index` tries again.")
    else:
        say("The next `clindex index` brings the index to it.")
