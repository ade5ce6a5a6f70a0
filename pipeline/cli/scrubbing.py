"""``clindex scrub``."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from pipeline.cli.output import Json, Verbose, execute, print_json
from pipeline.domain.errors import ConfigurationError, RecordError, UsageError
from pipeline.observability import ProgressReporter, log_event
from pipeline.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.jobs.scrub import Row, ScrubOptions
    from pipeline.stages.deidentify import KnownIdentifiers

_STDIN = "-"


def scrub(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Text, or JSON Lines with --jsonl (also .gz); - is stdin.")] = _STDIN,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='FILE is JSON Lines of {"id","text"}, optionally with "kind" and "subject"; so is the output.')
    ] = False,
    kind: Annotated[
        str, typer.Option(help="Kind of the texts: decides the policy. An unknown kind is scrubbed as clinical text.")
    ] = "note",
    source: Annotated[str, typer.Option(help="Source of the texts: policies may differ by it.")] = "documents",
    subject: Annotated[
        str | None, typer.Option(help="The patient's pseudonym, the same in all of a patient's texts: keys surrogates and date shifts.")
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(help="What is known of the one patient whom the texts are of: a FHIR Patient or a list (docs/de-identification.md)."),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes for --jsonl; default: one a core.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Remove identifiers from text by the policy of its kind. Needs no home, unless the site's choice is surrogates or shifted dates."""
    from pipeline.jobs.scrub import scrub_text

    def run_text() -> Row:
        with _opened(file) as stream:
            return scrub_text(_text(stream), _options(kind, source, subject, known))

    def run_lines() -> int:
        return _lines(file, _options(kind, source, subject, known), workers or _cores())

    if jsonl:
        execute(run_lines, as_json=False, render=lambda _: None, failed=bool, verbose=verbose)
    else:
        execute(run_text, as_json=as_json, render=_show, verbose=verbose)


def _text(stream: BinaryIO) -> str:
    from pipeline.domain.plain_text import is_wide
    from pipeline.stages.sources.byte_streams import read_chunks

    try:
        text = b"".join(read_chunks(stream)).decode("utf-8")
        if not is_wide(text):
            return text
    except UnicodeDecodeError:  # it carries the bytes; a name with a letter lost would be read past
        pass
    except RecordError:
        raise UsageError(
            "the file is damaged or cut off: nothing was scrubbed", remedy="Fetch it again, or unpack what is left of it."
        ) from None
    raise UsageError("the text is not UTF-8", remedy="Convert it: iconv -f windows-1252 -t utf-8 FILE | clindex scrub")


def _show(result: Row) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(str(result["deidentified"]).encode("utf-8", "replace"))


def _lines(file: str, options: ScrubOptions, workers: int) -> int:
    """Print a line for each line; return how many could not be scrubbed."""
    from pipeline.jobs.scrub import scrub_lines

    failed = done = 0
    with _opened(file) as stream, ProgressReporter("scrub texts", total=None) as progress:
        for row in scrub_lines(stream, options, workers=workers, max_bytes=Settings().max_record_bytes):
            try:
                print_json(row)
            except BrokenPipeError:  # `clindex scrub … | head`: who read has read enough
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                break
            failed += "error" in row
            done += 1
            progress.advance()
    log_event("scrubbed", texts=done, failed=failed)
    if failed:
        typer.echo(f"{failed} of {done} lines could not be scrubbed: their lines say why.", err=True)
    return failed


def _options(kind: str, source: str, subject: str | None, known: Path | None) -> ScrubOptions:
    from pipeline.jobs.scrub import ScrubOptions
    from pipeline.stages.deidentify import ReplaceBy
    from pipeline.storage.secrets import find_site_secret
    from pipeline.wiring import policy_choices, site_formats

    settings = Settings()
    choices = policy_choices(settings)
    keyed = choices.clinical_names is not ReplaceBy.PLACEHOLDER or choices.clinical_dates is not ReplaceBy.PLACEHOLDER
    secret = find_site_secret(settings) if keyed else None
    if keyed and secret is None:
        raise ConfigurationError(
            "surrogates and shifted dates need the site's secret", remedy="Run `clindex init`, or set CLINDEX_SITE_SECRET."
        )
    return ScrubOptions(
        kind=kind, source=source, subject=subject, choices=choices, site=site_formats(settings), secret=secret, known=_known(known)
    )


def _known(file: Path | None) -> KnownIdentifiers:
    from pipeline.stages.deidentify import KnownIdentifiers
    from pipeline.stages.deidentify.known.file import read_known

    try:
        return KnownIdentifiers() if file is None else read_known(file)
    except RecordError as error:  # its message quotes no value
        raise UsageError(error.message, remedy="docs/de-identification.md shows the form, under “Known identifiers”.") from None


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == _STDIN:
        yield sys.stdin.buffer
        return
    path = Path(file)
    if not path.is_file():
        raise UsageError(
            "there is no such file", remedy="Give one file, or - for standard input; `clindex ingest documents` reads folders."
        )
    with path.open("rb") as stream:
        yield stream


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
