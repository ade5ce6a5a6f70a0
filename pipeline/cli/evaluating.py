"""``clindex evaluate``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pipeline.cli.output import Json, Verbose, execute, out, plain, say
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from rich.table import Table

    from pipeline.jobs.evaluate.model import Comparison, EvaluationSummary

_EVERY: Final = 10  # queries between two lines of progress
_SHOWN_MISSING: Final = 20
LIMIT: Final = 100  # recall@100 is the deepest measure


def evaluate(
    queries: Annotated[
        Path | None, typer.Option(help="File of queries; JSON Lines, one JSON array, or `id TAB text`. None: see docs.")
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="File of judgements: `query document label`, TREC, or JSON Lines.")] = None,
    min_recall: Annotated[float | None, typer.Option(min=0, max=1, help="Exit 1 where recall@10 is lower.")] = None,
    min_ndcg: Annotated[float | None, typer.Option(min=0, max=1, help="Exit 1 where nDCG@10 is lower.")] = None,
    floor: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Exit 1 where this measure is lower. Repeatable.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Documents asked for a query.")] = LIMIT,
    mode: Annotated[str, typer.Option(help="full, or a part of the search: fused, dense, sparse.")] = "full",
    url: Annotated[str | None, typer.Option(help="Ask this server in place of the home; its key is CLINDEX_API_KEY.")] = None,
    allow_missing: Annotated[bool, typer.Option("--allow-missing", help="Judgements may name documents that are not there.")] = False,
    compare: Annotated[
        tuple[Path, Path] | None, typer.Option(metavar="BEFORE AFTER", help="Compare two kept evaluations; asks nothing.")
    ] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Measure the search by judged queries, through the same path that users take, with intervals; or compare two measurements.

    Exit 1: a floor is not met, or a judgement names a document that is not there.
    """
    if compare is not None:
        from pipeline.jobs.evaluate.compare import compare_files

        execute(lambda: compare_files(*compare), as_json=as_json, render=render_comparison, verbose=verbose)

    def run() -> EvaluationSummary:
        from pipeline.jobs.evaluate import job
        from pipeline.jobs.evaluate.run import How
        from pipeline.search.request import Mode
        from pipeline.wiring import open_services

        if mode not in tuple(Mode):
            raise UsageError("no such mode", remedy=f"Known: {', '.join(Mode)}.")
        settings = Settings()
        floors = {**job.floors_of(settings), **_floors(floor, min_recall, min_ndcg)}
        how = How(mode=mode, limit=limit, url=url is not None, floors=floors, allow_missing=allow_missing)
        judged = job.queries_of(settings, queries, qrels)
        if url is not None:
            return job.evaluate_server(settings, url, judged, how, _progress(len(judged)))
        with open_services(settings) as services:
            return job.evaluate_home(services, judged, how, _progress(len(judged)))

    execute(run, as_json=as_json, render=render_evaluation, failed=lambda summary: summary.failed, verbose=verbose)


def _floors(given: list[str] | None, min_recall: float | None, min_ndcg: float | None) -> dict[str, float]:
    from pipeline.jobs.evaluate.measures import MEANINGS
    from pipeline.jobs.evaluate.run import MORE

    floors: dict[str, float] = {}
    for one in given or []:
        name, _, value = one.partition("=")
        if name not in {*MEANINGS, *MORE}:
            raise UsageError("no such measure", remedy=f"Known: {', '.join((*MEANINGS, *MORE))}.")
        try:
            floors[name] = float(value)
        except ValueError:
            raise UsageError(f"the floor of {name} is no number", remedy=f"As {name}=0.9.") from None
    floors |= {"recall@10": min_recall} if min_recall is not None else {}
    return floors | ({"ndcg@10": min_ndcg} if min_ndcg is not None else {})


def _progress(queries: int) -> Callable[[int], None]:
    def tell(asked: int) -> None:
        if asked % _EVERY == 0 or asked == queries:
            sys.stderr.write(f"{asked:,} of {queries:,} queries asked\n")

    return tell


def render_evaluation(summary: EvaluationSummary) -> None:
    """Print the figures, what is below a floor, and what judgements name that is not there."""
    grid = _grid(
        f"{summary.queries:,} queries, {summary.measured:,} measured ({summary.mode})", "measure", "value", "95 %", "queries", "random"
    )
    for name, one in summary.metrics.items():
        random = f"{summary.random_floor[name]:.3f}" if name in summary.random_floor else ""
        grid.add_row(name, f"{one.value:.3f}", f"{one.low:.3f}–{one.high:.3f}", str(one.queries), random)
    out().print(grid)
    for variant, changes in summary.twins.items():
        for name in ("recall@3", "mrr"):
            if name in changes:
                change = changes[name]
                interval = f"{change.low:+.3f} to {change.high:+.3f}"
                say(f"{variant} against the clean query: {name} {change.value:+.3f} ({interval}), {change.queries} pairs")
    say(f"a search: {summary.seconds['p50'] * 1000:.0f} ms (p50), {summary.seconds['p95'] * 1000:.0f} ms (p95)")
    for missing in summary.missing[:_SHOWN_MISSING]:
        say(f"judged, {missing.reason}: {missing.name} ({len(missing.queries):,} queries)", style="yellow")
    if len(summary.missing) > _SHOWN_MISSING:
        say(f"… and {len(summary.missing) - _SHOWN_MISSING:,} more", style="yellow")
    for floor in summary.below:
        value = "not measured" if floor.value is None else f"{floor.value:.4f}"
        say(f"below the floor: {floor.metric} {value}, asked for {floor.least:g}", style="bold red")
    say(f"Kept: {summary.artifact}", style="dim")


def render_comparison(found: Comparison) -> None:
    """Print paired differences."""
    grid = _grid(f"{found.after} against {found.before}: {found.queries:,} queries", "measure", "change", "95 %", "better", "worse", "same")
    for name, one in found.metrics.items():
        grid.add_row(name, f"{one.value:+.3f}", f"{one.low:+.3f} to {one.high:+.3f}", str(one.wins), str(one.losses), str(one.ties))
    out().print(grid)
    say(f"They differ in: {', '.join(found.differs) or 'nothing that is known'}")
    if found.only_before or found.only_after:
        say(f"left out: {found.only_before:,} queries of the first alone, {found.only_after:,} of the second", style="yellow")


def _grid(title: str, *columns: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    grid = Table(title=Text(plain(title)), title_justify="left", box=None, padding=(0, 2))
    for number, column in enumerate(columns):
        grid.add_column(column, justify="left" if number == 0 else "right")
    return grid
