"""``clindex document show``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pipeline.cli.arguments import document_id as parsed_id
from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

app = typer.Typer(help="One document of the index.", no_args_is_help=True)


@app.command("show")
def show(
    document_id: Annotated[str, typer.Argument(metavar="ID", help="A document id, as searches and reports show it.")],
    where: Annotated[bool, typer.Option("--where", help="Say which file of the site it is. The path may name a person.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Show what is known of a document: kind, state, the numbers that name it, how each page was read. No text of it."""
    from pipeline.jobs.document_show import show_document
    from pipeline.wiring import open_services

    key = parsed_id(document_id)

    def run() -> dict[str, Any]:
        with open_services(Settings()) as services:
            return show_document(services, key, where=where)

    execute(run, as_json=as_json, render=_render, verbose=verbose)


def _render(found: dict[str, Any]) -> None:
    say(f"{found['document_id']}  {found['kind'].replace('_', ' ')}, {found['state']}, {found['chunks']:,} chunks", style="bold")
    for name, value in found["facets"].items():
        say(f"  {name}: {', '.join(value) if isinstance(value, tuple | list) else value}")
    for one in found["identifiers"]:
        page = f", page {one['page']}" if one["page"] else ""
        other = "" if one["own"] else ", of another document"
        say(f"  {one['scheme']}: {one['value']} ({one['provenance']}{page}{other})")
    if found["pages"]:
        table("Pages", [(str(page["page"]), _page(page)) for page in found["pages"]])
    for one in found["figures"]:
        words = [
            f"figure {one['number']}" if one["number"] else one["kind"],
            f"page {one['page']}",
            f"{one['width']} × {one['height']} pixels",
        ]
        words += [f"captioned by {one['captioned_by']}"] if one["captioned_by"] else []
        words += ["on a page that its publisher blacked out in part"] if one["on_redacted_page"] else []
        words += [f"{one['vision_tokens']:,} tokens of the captioner"] if one["vision_tokens"] else []
        say(f"  {', '.join(words)}")
    if "file" in found:
        say(f"  file: {found['file'] or 'its manifest is not in the landing'}")


def _page(page: dict[str, Any]) -> str:
    words = [page["failure"] or page["outcome"], f"{page['characters']:,} characters"]
    if page["outcome"] == "ocr":
        words.append(f"confidence {page['confidence']:.2f}")
    words += [f"{page[name]:,} {name}" for name in ("tables", "figures", "suspects", "unexplained") if page[name]]
    return ", ".join(words)
