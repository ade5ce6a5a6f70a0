"""``clindex search`` and ``clindex serve``."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.search.request import SearchRequest, SearchResult

MOST_TERMS = 12  # matched words shown: a line of a terminal
LONGEST_TITLE = 300  # characters shown: the registry's own limit of an official title is 600, two lines of a terminal hold about 300


def search(
    query: Annotated[str, typer.Argument(help="What to look for, in plain words.")],
    limit: Annotated[int | None, typer.Option(min=1, max=1000, help="Hits, one a study.")] = None,
    recruiting_only: Annotated[bool, typer.Option("--recruiting-only", help="Only studies with status RECRUITING.")] = False,
    criteria_only: Annotated[bool, typer.Option("--criteria-only", help="Only eligibility criteria.")] = False,
    exclude_exclusion_criteria: Annotated[
        bool, typer.Option("--exclude-exclusion-criteria", help="No exclusion criteria among the hits.")
    ] = False,
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind of document. Repeatable.")] = None,
    source: Annotated[list[str] | None, typer.Option(help="Only this source. Repeatable.")] = None,
    section: Annotated[list[str] | None, typer.Option(help="Only this section. Repeatable.")] = None,
    status: Annotated[list[str] | None, typer.Option(help="Only this overall status. Repeatable.")] = None,
    phase: Annotated[list[str] | None, typer.Option(help="Only this phase, as PHASE2. Repeatable.")] = None,
    study_type: Annotated[list[str] | None, typer.Option(help="Only this study type. Repeatable.")] = None,
    condition: Annotated[list[str] | None, typer.Option(help="Only this condition, in the registry's wording. Repeatable.")] = None,
    nct_id: Annotated[list[str] | None, typer.Option("--nct-id", help="Only this study. Repeatable.")] = None,
    patient: Annotated[list[str] | None, typer.Option(help="Only this patient, by pseudonym. Repeatable.")] = None,
    access: Annotated[list[str] | None, typer.Option(help="Only documents with this access label. Repeatable.")] = None,
    department: Annotated[list[str] | None, typer.Option(help="Only this department. Repeatable.")] = None,
    agency: Annotated[list[str] | None, typer.Option(help="Only documents of this agency. Repeatable.")] = None,
    state: Annotated[list[str] | None, typer.Option(help="Only documents of this US state, as CA. Repeatable.")] = None,
    protocol_number: Annotated[list[str] | None, typer.Option(help="Only documents of this trial protocol. Repeatable.")] = None,
    reference_number: Annotated[list[str] | None, typer.Option(help="Only this EMS protocol or policy. Repeatable.")] = None,
    icd_code: Annotated[list[str] | None, typer.Option(help="Only chunks with this ICD-10 code, as I50.23. Repeatable.")] = None,
    loinc: Annotated[list[str] | None, typer.Option(help="Only resources with this LOINC code, as 4548-4. Repeatable.")] = None,
    snomed: Annotated[list[str] | None, typer.Option(help="Only resources with this SNOMED CT code. Repeatable.")] = None,
    rxnorm: Annotated[list[str] | None, typer.Option(help="Only resources with this RxNorm code. Repeatable.")] = None,
    encounter: Annotated[list[str] | None, typer.Option(help="Only this encounter, by pseudonym. Repeatable.")] = None,
    resource_status: Annotated[list[str] | None, typer.Option(help="Only resources of this status, as final. Repeatable.")] = None,
    content_type: Annotated[list[str] | None, typer.Option(help="medication, procedure, assessment or general. Repeatable.")] = None,
    element: Annotated[list[str] | None, typer.Option(help="text, table or figure. Repeatable.")] = None,
    scope: Annotated[list[str] | None, typer.Option(help="Only this cohort, arm or part, as its source words it. Repeatable.")] = None,
    dated_from: Annotated[str | None, typer.Option(metavar="DATE", help="Only documents of this day (ISO 8601) or later.")] = None,
    dated_to: Annotated[str | None, typer.Option(metavar="DATE", help="Only documents of this day or earlier.")] = None,
    threshold: Annotated[float | None, typer.Option(min=0, help="Leave out hits with a lower score.")] = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Search the index; every hit is read from the database and cited."""
    from pipeline.search.request import make_request
    from pipeline.search.search import search as job
    from pipeline.wiring import open_services

    def run() -> SearchResult:
        settings = Settings()
        request: SearchRequest = make_request(
            query=query,
            limit=limit or settings.search_limit,
            threshold=settings.similarity_threshold if threshold is None else threshold,
            recruiting_only=recruiting_only,
            criteria_only=criteria_only,
            exclude_exclusion_criteria=exclude_exclusion_criteria,
            sections=section or (),
            kinds=kind or (),
            sources=source or (),
            overall_status=status or (),
            phases=phase or (),
            study_types=study_type or (),
            conditions=condition or (),
            nct_ids=nct_id or (),
            patients=patient or (),
            access=access or (),
            departments=department or (),
            agencies=agency or (),
            states=state or (),
            protocol_numbers=protocol_number or (),
            reference_numbers=reference_number or (),
            icd_codes=icd_code or (),
            loinc_codes=loinc or (),
            snomed_codes=snomed or (),
            rxnorm_codes=rxnorm or (),
            encounters=encounter or (),
            resource_status=resource_status or (),
            content_types=content_type or (),
            elements=element or (),
            scopes=scope or (),
            dated_from=dated_from,
            dated_to=dated_to,
        )
        with open_services(settings) as services:
            return job(services, request, today=datetime.now(UTC).date())

    execute(run, as_json=as_json, render=render_search, verbose=verbose)


def render_search(result: SearchResult) -> None:
    """Print hits in words."""
    if not result.hits:
        say("No hit.")
    for number, hit in enumerate(result.hits, start=1):
        age = f", {hit.status_age_days} days ago" if hit.status_age_days is not None else ""
        say(f"{number}. {shortened(hit.title)}", style="bold")
        status = f"{hit.status or 'status unknown'} (as of {hit.status_as_of or 'unknown'}{age})"
        say(f"   {status if hit.kind == 'trial' else hit.kind.replace('_', ' ')}  score {hit.score:.4f}")
        if hit.status_stale and hit.status_age_hours is not None:
            say(f"   its source last confirmed this status {hit.status_age_hours:,.0f} hours ago: it may have changed", style="yellow")
        say("   " + hit.text.replace("\n", "\n   "))
        if hit.ocr_suspect:
            say(
                f"   read by OCR (confidence {hit.confidence:.2f}); not sure of {len(hit.suspects)} of its numbers: look at the page",
                style="yellow",
            )
        say(f"   [{hit.citation}; characters {hit.span.start}–{hit.span.end} of {hit.span.part}]", style="dim")
        if hit.why is not None and hit.why.terms:
            say(
                f"   matched: {', '.join(shortened(one.text) for one in hit.why.terms[:MOST_TERMS])}; clindex cite {hit.token}", style="dim"
            )
        for other in hit.related:
            say(f"     also {other.citation} (score {other.score:.4f})", style="dim")
    for reason, count in result.dropped.items():
        if count:
            say(f"{count} points left out: {reason}", style="yellow")


def shortened(title: str) -> str:
    """Return a title that fits a screen; a hostile record's may have millions of characters."""
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to listen on.")] = None,
    verbose: Verbose = False,
) -> None:
    """Serve search and the latest report over HTTP (this machine only, unless a host is given)."""
    import uvicorn

    from pipeline.api.app import create_app
    from pipeline.api.opening import check_host
    from pipeline.wiring import open_services

    def run() -> None:
        settings = Settings()
        address, number = host or settings.serve_host, port or settings.serve_port
        with open_services(settings) as services:
            check_host(services, address)
            services.require_collection()  # an error in words now, not one of the server's while it starts
        say(f"Serving {settings.home.absolute()} on http://{address}:{number} (POST /search, GET /status, /report, /docs); Ctrl-C ends it.")
        with suppress(KeyboardInterrupt):
            uvicorn.run(create_app(settings), host=address, port=number, log_level="warning", access_log=False)

    execute(run, as_json=False, render=lambda _: None, verbose=verbose)
