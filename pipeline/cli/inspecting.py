"""``clindex chunk`` and ``clindex report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from pipeline.cli.output import Json, Verbose, execute, out, plain, say, table
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.report import ReportPaths


def chunk(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="PDF, TIFF, PNG, JPEG, HTML, DOCX, RTF; study JSON (also .gz, JSON Lines) or eligibility criteria as .txt/.md; with another --kind a text file, with fhir_resource an Observation as JSON. - is stdin.",
        ),
    ],
    kind: Annotated[
        str | None, typer.Option(help="Kind of the documents in FILE; left out: trial, or told from the text of a file with pages.")
    ] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what would be indexed of a file: every chunk, and where every character went. Writes nothing."""
    from pipeline.domain.vocabulary import DocumentKind
    from pipeline.jobs.chunk_preview import preview
    from pipeline.jobs.file_preview import preview_file

    def run() -> dict[str, object]:
        if kind is not None and kind not in {one.value for one in DocumentKind}:
            raise UsageError("no such kind", remedy=f"Known: {', '.join(one.value for one in DocumentKind)}.")
        if kind == DocumentKind.TRIAL.value or (kind is None and not _is_document(Path(file))):
            return preview(Settings(), Path(file))
        return preview_file(Settings(), Path(file), kind=kind)

    execute(run, as_json=as_json, render=_render_chunks, failed=lambda result: bool(result["incomplete"]), verbose=verbose)


def _is_document(path: Path) -> bool:
    """Whether a file is by its name one that has readers of its own: trials come as JSON, criteria as text."""
    from pipeline.domain.site_files import MARKDOWN, MEDIA_TYPES, TEXT

    return MEDIA_TYPES.get(path.suffix.lower(), TEXT) not in (TEXT, MARKDOWN)


def _render_chunks(result: dict[str, object]) -> None:
    documents = result["documents"]
    assert isinstance(documents, list)  # noqa: S101 - made by preview
    for one in documents:
        out().rule(Text(plain(f"{one['source_key']}  {_words(one)}")), align="left")
        for piece in one["chunks"]:
            scope = f" [{' / '.join(piece['scope'])}]" if piece["scope"] else ""
            page = f" p. {piece['page']}" if piece["page"] else ""
            doubt = f", {len(piece['suspects'])} not sure" if piece["suspects"] else ""
            say(f"{piece['section']} {piece['ordinal']}{scope}{page} ({piece['token_count']} tokens{doubt})", style="bold")
            say(f"  {piece['text']}")
        if one.get("pages_by_outcome"):
            table("Pages", sorted(one["pages_by_outcome"].items()))
        if one["loss"]:
            table("Characters", [(name, count) for name, count in one["loss"].items() if isinstance(count, int)])


def _words(one: dict[str, object]) -> str:
    return f"criteria: {one['outcome']}" if one["loss"] and one["kind"] == "trial" else str(one["kind"] if one["loss"] else one["outcome"])


def report(as_json: Json = False, verbose: Verbose = False) -> None:
    """Write the report of the last runs: JSON and one self-contained HTML page with plots."""
    from pipeline.jobs.report import write_report
    from pipeline.wiring import open_services

    def run() -> ReportPaths:
        with open_services(Settings()) as services:
            return write_report(services)

    def render(paths: ReportPaths) -> None:
        say(f"JSON: {paths.json_path}\nPage: {paths.html_path}")

    execute(run, as_json=as_json, render=render, verbose=verbose)
