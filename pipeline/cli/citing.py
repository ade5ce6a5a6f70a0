"""``clindex cite``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from uuid import UUID

import typer
from rich.text import Text

from pipeline.cli.output import Json, Verbose, execute, out, plain, say
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.search.cite.model import Citation, Place

_MEANINGS: Final = {
    "same": "Same: the passage stands as it was cited.",
    "moved": "Moved: the same words stand elsewhere now.",
    "changed": "Changed: the document says it otherwise now.",
    "removed": "Removed: it cannot be shown any more.",
}
_STYLES: Final = {"same": "", "removed": "red strike", "added": "green underline"}
_MARKS: Final = {"same": "", "removed": "-", "added": "+"}  # where colours do not show


def cite(
    token: Annotated[str, typer.Argument(help="A hit's citation token; `clindex search --json` shows it.")],
    figure: Annotated[Path | None, typer.Option(help="Write the picture of a cited figure to this new file, as PNG.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Say what became of a cited passage: the same, moved, changed (with the difference) or removed."""
    from pipeline.search.cite.figures import figure as picture_of
    from pipeline.search.cite.resolve import resolve
    from pipeline.wiring import open_services

    def run() -> Citation:
        with open_services(Settings()) as services:
            found = resolve(services, token)
            if figure is not None:
                if found.figure is None:
                    raise UsageError("the cited passage is no figure", remedy="Leave --figure away.")
                _write(figure, picture_of(services, UUID(found.document_id), found.figure.position))
        return found

    execute(run, as_json=as_json, render=render_citation, verbose=verbose)


def _write(path: Path, picture: bytes) -> None:
    """Write a file that must not be there yet, for its owner alone."""
    try:
        with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as file:
            file.write(picture)
    except OSError as error:
        raise UsageError(
            f"the picture's file cannot be made ({type(error).__name__})", remedy="Name a new file in a folder that is there."
        ) from None


def render_citation(found: Citation) -> None:
    """Print what became of a passage."""
    say(_MEANINGS[found.status.value], style="bold")
    if found.now is None:
        say(f"  It stood in {_place(found.was)}.")
        return
    say(f"  {found.citation}: {found.title}")
    if found.moved:
        say(f"  was  {_place(found.was)}")
        say(f"  is   {_place(found.now)}   (other {', '.join(found.moved)})")
    if found.difference:
        line = Text("  ")
        for edit in found.difference:
            mark = _MARKS[edit.kind]
            words = plain(edit.text).strip()
            line.append(f"[{mark}{words}{mark}]" if mark else words, style=_STYLES[edit.kind])
            line.append(" ")
        out().print(line)
    else:
        say("  " + (found.text or "").replace("\n", "\n  "))
    if found.status.value == "changed" and found.old_text is None:
        say("  What it said is kept no longer: this is what stands in its place.", style="yellow")
    if found.figure is not None:
        withheld = found.figure.withheld
        say(
            f"  Figure {found.figure.number} on page {found.figure.page}; "
            + (f"not shown: {withheld.value}" if withheld else "--figure FILE writes it")
        )


def _place(place: Place) -> str:
    page = f", page {place.page}" if place.page else ""
    return f"{place.section} {place.ordinal}, characters {place.start}–{place.end} of {place.part}{page}"
