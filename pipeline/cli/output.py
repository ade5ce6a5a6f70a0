"""What commands print: one JSON object on stdout with ``--json``, words otherwise; errors with what to do, on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from pipeline.domain.errors import ClindexError
from pipeline.observability import configure_logging

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout; logs and progress go to stderr.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log every step to stderr as JSON lines.")]

DONE, INCOMPLETE, USAGE, REFUSED = 0, 1, 2, 3

Result = TypeVar("Result")


def out() -> Console:
    """The console of stdout, made when it is used so that tests can capture it."""
    return Console(soft_wrap=True, highlight=False)


def execute(
    job: Callable[[], Result],
    *,
    as_json: bool,
    render: Callable[[Result], None],
    failed: Callable[[Result], bool] = lambda _: False,
    verbose: bool = False,
) -> None:
    """Run a job, print its result, and exit with the code that the result or the error asks for."""
    configure_logging(verbose=verbose)
    try:
        result = job()
    except ClindexError as error:
        fail(error, as_json=as_json)
    if as_json:
        print_json(result)
    else:
        render(result)
    raise typer.Exit(INCOMPLETE if failed(result) else DONE)


def print_json(value: Any) -> None:
    """Print one value as one line of JSON."""
    plain = value.model_dump(mode="json", by_alias=True) if isinstance(value, BaseModel) else value
    sys.stdout.write(json.dumps(plain, ensure_ascii=False) + "\n")


def fail(error: ClindexError, *, as_json: bool) -> NoReturn:
    """Print an error with its remedy and exit with its code."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"[bold red]error[/]: {error.message}", markup=True)
    if error.remedy:
        console.print(f"       {error.remedy}", markup=False)
    if as_json:
        print_json({"error": {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}})
    raise typer.Exit(error.exit_code)


def table(title: str, rows: list[tuple[str, object]]) -> None:
    """Print names and values."""
    grid = Table(title=title, title_justify="left", show_header=False, box=None, padding=(0, 2))
    for name, value in rows:
        grid.add_row(name, f"{value:,}" if type(value) is int else str(value))
    out().print(grid)
