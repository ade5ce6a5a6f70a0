"""``clindex reindex`` and ``clindex collections``: documents written anew in place, or into a collection beside the live one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.indexing import render_index
from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.reindex import ReindexSummary
    from pipeline.jobs.reindex.summaries import (
        CandidatePreview,
        CandidateSummary,
        CollectionList,
        RetirementSummary,
        SwitchSummary,
        Verdict,
    )

    Result = ReindexSummary | CandidateSummary | SwitchSummary | RetirementSummary


def reindex(
    reason: Annotated[str | None, typer.Option(help="Why; kept with the run or the collection.")] = None,
    kind: Annotated[str | None, typer.Option(help="In place: only documents of this kind.")] = None,
    source: Annotated[str | None, typer.Option(help="In place: only documents of this source.")] = None,
    candidate: Annotated[bool, typer.Option("--candidate", help="Build a collection beside the live one, and judge it.")] = False,
    promote: Annotated[bool, typer.Option("--promote", help="Make the candidate the live one, if the gate lets it pass.")] = False,
    rollback: Annotated[bool, typer.Option("--rollback", help="Make the collection before the live one again.")] = False,
    retire: Annotated[
        bool, typer.Option("--retire", help="Remove previous collections now, without waiting for the grace period.")
    ] = False,
    abandon: Annotated[bool, typer.Option("--abandon", help="Remove the candidate.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Write documents anew although nothing changed: in place, or into a candidate that takes the live collection's place."""
    from pipeline.jobs.reindex import run_reindex
    from pipeline.jobs.reindex.candidate import run_candidate, run_promotion
    from pipeline.jobs.reindex.promote import roll_back
    from pipeline.jobs.reindex.retire import abandon as run_abandon
    from pipeline.jobs.reindex.retire import retire as run_retirement
    from pipeline.wiring import Services, open_services, utc_now

    beside = [candidate or promote, rollback, retire, abandon]

    def work(services: Services) -> Result:
        if candidate:
            return run_candidate(services, reason=reason or "", dry_run=dry_run, go_live=promote)
        if promote:
            return run_promotion(services)
        if rollback:
            return roll_back(services)
        if retire:
            return run_retirement(services, utc_now(), at_once=True)
        if abandon:
            return run_abandon(services, utc_now())
        return run_reindex(services, reason=reason or "", kind=kind, source=source, dry_run=dry_run)

    def run() -> Result:
        _check(
            beside,
            in_place_only=kind or source,
            asks_preview=dry_run and not candidate,
            needs_reason=(candidate or not any(beside)) and reason is None,
        )
        with open_services(Settings()) as services:
            return work(services)

    execute(run, as_json=as_json, render=_render, failed=_failed, verbose=verbose)


def _check(beside: Sequence[bool], *, in_place_only: str | None, asks_preview: bool, needs_reason: bool) -> None:
    """Refuse options that contradict each other."""
    if sum(beside) > 1:
        raise UsageError("these options contradict each other", remedy="One of --candidate/--promote, --rollback, --retire, --abandon.")
    if any(beside) and in_place_only:
        raise UsageError("--kind and --source are of a re-index in place: a collection beside the live one holds everything")
    if any(beside) and asks_preview:
        raise UsageError("--dry-run previews a re-index in place or a candidate", remedy="`clindex collections` shows what there is.")
    if needs_reason:
        raise _no_reason()


def _no_reason() -> UsageError:
    return UsageError("a reason is needed", remedy="It is kept: --reason 'new chunker'.")


def collections(as_json: Json = False, verbose: Verbose = False) -> None:
    """List the home's collections: which one is live, which is being built, which can be gone back to."""
    from pipeline.jobs.reindex.listing import list_collections
    from pipeline.wiring import open_services, utc_now

    def run() -> CollectionList:
        with open_services(Settings()) as services:
            return list_collections(services, utc_now())

    execute(run, as_json=as_json, render=_render_collections, verbose=verbose)


def _failed(summary: Result) -> bool:
    from pipeline.jobs.reindex import ReindexSummary
    from pipeline.jobs.reindex.summaries import CandidateSummary

    return isinstance(summary, CandidateSummary | ReindexSummary) and summary.incomplete


def _render(summary: Result) -> None:
    from pipeline.jobs.reindex.summaries import CandidateSummary, RetirementSummary, SwitchSummary

    if isinstance(summary, CandidateSummary):
        _render_candidate(summary)
    elif isinstance(summary, SwitchSummary):
        _render_switch(summary)
    elif isinstance(summary, RetirementSummary):
        table("Retired", [(one.name, f"{one.points:,} points, {one.chunks:,} chunks: gone") for one in summary.retired])
        for name, until in summary.kept.items():
            say(f"{name} is kept until {until or 'somebody retires it'}")
    else:
        table("Would re-index" if summary.dry_run else "Re-index", list(summary.preview.items()))
        if summary.index:
            render_index(summary.index)


def _render_candidate(summary: CandidateSummary) -> None:
    if summary.preview and summary.dry_run:
        _render_preview(summary.preview)
    if summary.index:
        render_index(summary.index)
    if summary.verdict:
        _render_verdict(summary.verdict)
    if summary.promoted:
        _render_switch(summary.promoted)
    elif summary.verdict and summary.verdict.passed:
        say("`clindex reindex --promote` makes it the live one; `--abandon` removes it.")


def _render_preview(preview: CandidatePreview) -> None:
    about = "" if preview.sampled == preview.documents else f" (estimated from {preview.sampled:,} documents)"
    rows: list[tuple[str, object]] = [
        ("documents", preview.documents),
        ("pages to read", preview.pages_to_read),
        ("points to write" + about, preview.points),
        ("texts to embed" + about, preview.texts_to_embed),
        ("minutes", preview.minutes),
        ("MB needed", preview.bytes_needed // 2**20),
        ("MB free", "unknown" if preview.bytes_free is None else preview.bytes_free // 2**20),
    ]
    table(f"Would build {preview.collection}", rows)


def _render_verdict(verdict: Verdict) -> None:
    rows: list[tuple[str, object]] = [(one.name, f"{one.state}: {one.detail}") for one in verdict.checks]
    table(f"Gate: {verdict.collection} " + ("may go live" if verdict.passed else "must not go live"), rows)


def _render_switch(switch: SwitchSummary) -> None:
    table("Live now", [("live", switch.live), ("previous", switch.previous), ("seconds", switch.switch_seconds), ("behind", switch.behind)])
    say("`clindex reindex --rollback` moves back." + (" `clindex index` brings it up to date." if switch.behind else ""))


def _render_collections(listed: CollectionList) -> None:
    for one in listed.collections:
        rows: list[tuple[str, object]] = [
            ("role", one.role),
            ("points", "-" if one.points is None else one.points),
            ("expected", one.expected_points),
            ("age in days", one.age_days),
            ("live since", one.promoted_at or "-"),
            ("reason", one.reason),
        ]
        table(one.name, rows)
