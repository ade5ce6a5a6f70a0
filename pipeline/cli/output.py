"""What commands print: one JSON object on stdout with ``--json``, words otherwise; errors with what to do, on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeVar

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.domain.errors import ClindexError
from pipeline.observability import configure_logging
from pipeline.settings import Settings
from pipeline.unexpected import as_ours

if TYPE_CHECKING:
    from pipeline.jobs.summaries import RecordFailure

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout; logs and progress go to stderr.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log every step to stderr as JSON lines.")]

_SHOWN_FAILURES: Final = 20  # a screen; the report has all
_QUARANTINED: Final = "gate_refused"

DONE, INCOMPLETE, USAGE, REFUSED = 0, 1, 2, 3

# What could steer the terminal or turn its text around: control characters but tab and line feed, bidirectional overrides; and lone
# surrogates, which no output takes. Records and file names come from anywhere.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

Result = TypeVar("Result")


def plain(value: object) -> str:
    """Return a value as text that a terminal shows and does not obey."""
    return _UNPRINTABLE.sub("\ufffd", str(value))


def say(text: object, *, style: str = "") -> None:
    """Print one value on stdout as it is: no markup is read in it."""
    out().print(Text(plain(text), style=style))


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
    began = datetime.now(UTC)
    try:
        result = job()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a traceback may quote a document; what is said of it may not
        _tell_monitor(began)
        fail(as_ours(error), as_json=as_json)
    _tell_monitor(began)
    try:
        if as_json:
            print_json(result)
        else:
            render(result)
        sys.stdout.flush()
    except BrokenPipeError:  # `clindex … | head`: who read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise typer.Exit(INCOMPLETE if failed(result) else DONE)


def _tell_monitor(began: datetime) -> None:
    """Send figures where they are asked for and the command ended a run."""
    with suppress(ValidationError):  # the command has said so
        settings = Settings()
        if settings.otlp_endpoint is not None:
            from pipeline.jobs.metrics.otlp import tell_monitor

            tell_monitor(settings, since=began)


class _Printed:
    """Whether this process has printed its JSON object."""

    json = False


def print_json(value: Any) -> None:
    """Print one value as one line of JSON, in UTF-8 whatever the terminal's encoding."""
    text = json.dumps(value.model_dump(mode="json", by_alias=True) if isinstance(value, BaseModel) else value, ensure_ascii=False)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    _Printed.json = True


def print_usage_json() -> None:
    """Print a wrong command line as JSON, unless an error was printed already; the words are on stderr."""
    if not _Printed.json:
        print_json({"error": {"type": "UsageError", "message": "the command line cannot be used", "remedy": "`--help` shows what can."}})


def fail(error: ClindexError, *, as_json: bool) -> NoReturn:
    """Print an error with its remedy and exit with its code."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with suppress(BrokenPipeError):
        console.print(Text.assemble(("error", "bold red"), f": {plain(error.message)}"))
        if error.remedy:
            console.print(Text(f"       {plain(error.remedy)}"))
        if as_json:
            print_json({"error": {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}})
            sys.stdout.flush()
    raise typer.Exit(error.exit_code)


def table(title: str, rows: list[tuple[str, object]]) -> None:
    """Print names and values."""
    grid = Table(title=Text(title), title_justify="left", show_header=False, box=None, padding=(0, 2))
    for name, value in rows:
        grid.add_row(Text(plain(name)), Text(f"{value:,}" if type(value) is int else plain(value)))
    out().print(grid)


def say_failures(failures: Sequence[RecordFailure]) -> None:
    """Print what failed, what each category means, and what to do about documents that are held back."""
    if not failures:
        return
    from pipeline.jobs.report.wording import FAILURE_MEANINGS

    for one in failures[:_SHOWN_FAILURES]:
        where = (one.source_key, one.origin, one.field, one.rule)
        say(f"  failed {one.category}: {' '.join(part for part in where if part)}")
    if len(failures) > _SHOWN_FAILURES:
        say(f"  … and {len(failures) - _SHOWN_FAILURES:,} more; `clindex report` has all")
    meanings = {category.value: meaning for category, meaning in FAILURE_MEANINGS.items()}
    counts = Counter(one.category for one in failures)
    for name, count in sorted(counts.items()):
        if name in meanings:
            say(f"{name} ({count:,}): {meanings[name]}")
    if _QUARANTINED in counts:
        say("`clindex quarantine list` shows what is held back, `clindex quarantine show ID` where the gate found what.")
