"""``clindex ingest``: bring records into truth."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say, say_failures, table
from pipeline.domain.errors import UsageError
from pipeline.domain.identifiers import is_nct_id
from pipeline.domain.vocabulary import FhirVersion, FhirWay
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.domain.ports import RecordSource
    from pipeline.jobs.fhir.summaries import FhirSummary
    from pipeline.jobs.summaries import IngestSummary

app = typer.Typer(help="Bring records into truth. `clindex index` then brings the index to it.", no_args_is_help=True)


@app.command()
def trials(
    from_: Annotated[
        list[str] | None, typer.Option("--from", help="File or folder of v2 study JSON (also .gz, JSON Lines; - is stdin). Repeatable.")
    ] = None,
    query: Annotated[str | None, typer.Option(help="Only studies that the registry finds for these words.")] = None,
    nct_id: Annotated[list[str] | None, typer.Option("--nct-id", help="Only this study. Repeatable.")] = None,
    since: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only studies updated since this day.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many studies (nothing is tombstoned then).")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Ingest clinical trials from ClinicalTrials.gov, or from files."""
    from pipeline.jobs.ingest import ingest, is_incomplete
    from pipeline.wiring import open_services

    def run() -> IngestSummary:
        settings = Settings()
        source = open_source(settings, files=from_, query=query, nct_ids=nct_id, since=since.date() if since else None, limit=limit)
        with open_services(settings) as services:
            return ingest(services, source)

    execute(run, as_json=as_json, render=render_ingest, failed=is_incomplete, verbose=verbose)


@app.command()
def documents(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH_OR_URL ...",
            help="Folders (read whole) and files, local or behind a URL such as s3://bucket/folder: PDF, TIFF, PNG, JPEG, TXT, MD, HTML, RTF, "
            "DOCX, each described by an optional NAME.meta.json or a row of manifest.csv (docs/documents.md).",
        ),
    ],
    kind: Annotated[str | None, typer.Option(help="Kind of each document of which nothing else says it.")] = None,
    access: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Access label of each document of which nothing else says it.")
    ] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Ingest notes, reports and other documents of the site. What is missing from a folder that was read before is taken as deleted."""
    from pipeline.jobs.ingest import ingest, is_incomplete
    from pipeline.jobs.nightly import document_source
    from pipeline.wiring import open_services

    def run() -> IngestSummary:
        with open_services(Settings()) as services:
            return ingest(services, document_source(services, paths, kind=kind, access=access))

    execute(run, as_json=as_json, render=render_ingest, failed=is_incomplete, verbose=verbose)


@app.command()
def fhir(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH_OR_URL ...]",
            help="Folders (read whole) and files of FHIR resources: NDJSON (also .gz), Bundles and single resources as JSON or XML. "
            "None: the server of CLINDEX_FHIR_URL, else the folders of CLINDEX_FHIR_PATHS.",
        ),
    ] = None,
    from_: Annotated[
        FhirWay | None, typer.Option("--from", help="Ask the server by bulk export or by search [default: CLINDEX_FHIR_FROM].")
    ] = None,
    group: Annotated[str | None, typer.Option(metavar="ID", help="Export the members of this Group only.")] = None,
    type_: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Ask the server for resources of this type only. Repeatable.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%z"],
            help="Ask the server for what changed since then, or since the last complete load where that was earlier [default: the latter].",
        ),
    ] = None,
    authority: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Whose ids the resources have: the same type and id of one authority are one resource [default: CLINDEX_FHIR_AUTHORITY].",
        ),
    ] = None,
    version: Annotated[
        FhirVersion | None, typer.Option(help="Release of FHIR of resources that do not tell theirs [default: CLINDEX_FHIR_VERSION].")
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Everything, from a server too. What folders of the same names, or the server, held before and do not now is deleted.",
        ),
    ] = False,
    access: Annotated[str | None, typer.Option(metavar="LABEL", help="Access label of the documents.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Ingest FHIR resources from files or a server: they are checked, land, and become documents of patients without names."""
    from pipeline.jobs.fhir.feeds import FeedOptions, open_feed
    from pipeline.jobs.fhir.ingest import ingest_fhir, is_fhir_incomplete
    from pipeline.wiring import open_services

    def run() -> FhirSummary:
        moment = since if since is None or since.tzinfo else since.replace(tzinfo=UTC)
        options = FeedOptions(paths or (), from_, group, type_ or (), moment, full, authority)
        with open_services(Settings()) as services, open_feed(services, options) as feed:
            return ingest_fhir(services, feed, default=version or services.settings.fhir_version, access=access)

    execute(run, as_json=as_json, render=render_fhir, failed=is_fhir_incomplete, verbose=verbose)


def open_source(
    settings: Settings,
    *,
    files: list[str] | None = None,
    query: str | None = None,
    nct_ids: list[str] | None = None,
    since: date | None = None,
    limit: int | None = None,
) -> RecordSource:
    """Return the source that the options name.

    Raises:
        UsageError: Options contradict each other, or an id is no NCT id.
    """
    from pipeline.stages.sources.clinicaltrials import ClinicalTrialsSource
    from pipeline.stages.sources.files import StudyFiles

    for value in nct_ids or ():
        if not is_nct_id(value):
            raise UsageError("--nct-id takes NCT and eight digits", remedy="Example: --nct-id NCT01234567")
    if files:
        if query or nct_ids or since:
            raise UsageError("--from cannot be combined with --query, --nct-id or --since")
        return StudyFiles([Path(name) for name in files], settings, limit=limit)
    return ClinicalTrialsSource(settings, query=query, nct_ids=nct_ids or (), since=since, limit=limit)


def render_ingest(summary: IngestSummary) -> None:
    """Print an ingestion in words."""
    names = ("seen", "new", "changed", "unchanged", "tombstoned", "failed")
    table("Ingested", [(name, getattr(summary, name)) for name in names])
    if summary.pages:
        table("Pages", sorted(summary.pages.items()))
    for name, count in sorted(summary.notices.items()):
        say(f"  notice {name}: {count:,}")
    say_failures(summary.failures)
    if not summary.complete:
        say("The listing is incomplete: nothing was tombstoned.")


def render_fhir(summary: FhirSummary) -> None:
    """Print what a load of resources, and the ingestion of their documents, did."""
    loaded = summary.load
    names = ("files_read", "entries", "unchanged", "vanished", "broken", "unresolved_references", "bad_attachments", "failed")
    table("Loaded", [(name.replace("_", " "), getattr(loaded, name)) for name in names])
    table("Resources", sorted(loaded.outcomes.items()))
    for name, count in sorted(loaded.skipped.items()):
        say(f"  skipped {name}: {count:,}")
    say_failures(loaded.failures)
    if not loaded.complete:
        say("The feed is incomplete: no resource was taken as deleted.")
    render_ingest(summary.ingest)
