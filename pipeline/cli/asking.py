"""``clindex ask``."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pipeline.cli.output import Json, Verbose, execute, say
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.search.answer.model import Answer

_REASONS: Final = {
    "no_hit": "nothing was found",
    "search_refused": "the search found no evidence for it",
    "no_sentence": "no sentence of what was found comes near enough to the question",
    "model_found_none": "the model says that the passages do not answer it",
    "not_to_be_sent": "no passage may be sent to the endpoint (CLINDEX_ANSWER_CLINICAL), or each holds instructions to a model",
    "endpoint_failed": "the endpoint did not answer",
    "empty": "the model said nothing",
    "too_long": "the model said too much",
    "no_citation": "a claim of the model's cited nothing",
    "unknown_passage": "the model cited a passage that it was not given",
    "number_not_in_passage": "a number of the model's does not stand in the passage that it cited",
    "not_supported": "a claim of the model's has too few words of the passage that it cited",
    "negation_differs": "a claim of the model's denies what its passage says, or the other way round",
    "fence_repeated": "the model repeated what only marks the passages",
}


def ask(
    question: Annotated[str, typer.Argument(help="A question, in plain words.")],
    limit: Annotated[int | None, typer.Option(min=1, max=50, help="Hits that are looked at.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind of document. Repeatable.")] = None,
    section: Annotated[list[str] | None, typer.Option(help="Only this section. Repeatable.")] = None,
    recruiting_only: Annotated[bool, typer.Option("--recruiting-only", help="Only studies with status RECRUITING.")] = False,
    patient: Annotated[list[str] | None, typer.Option(help="Only this patient, by pseudonym. Repeatable.")] = None,
    scope: Annotated[list[str] | None, typer.Option(help="Only this cohort, arm or part, as its source words it. Repeatable.")] = None,
    dated_from: Annotated[str | None, typer.Option(metavar="DATE", help="Only documents of this day (ISO 8601) or later.")] = None,
    dated_to: Annotated[str | None, typer.Option(metavar="DATE", help="Only documents of this day or earlier.")] = None,
    extractive: Annotated[
        bool, typer.Option("--extractive", help="Sentences of the documents alone, although an endpoint is set.")
    ] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Answer a question with sentences of the documents, each cited; or say that there is no evidence."""
    from pipeline.search.answer.ask import ask as job
    from pipeline.search.request import make_request
    from pipeline.wiring import open_services

    def run() -> Answer:
        settings = Settings()
        request = make_request(
            query=question,
            limit=limit or settings.answer_passages,
            kinds=kind or (),
            sections=section or (),
            recruiting_only=recruiting_only,
            patients=patient or (),
            scopes=scope or (),
            dated_from=dated_from,
            dated_to=dated_to,
        )
        with open_services(settings) as services:
            return job(services, request, today=datetime.now(UTC).date(), extractive=extractive)

    execute(run, as_json=as_json, render=render_answer, verbose=verbose)


def render_answer(answer: Answer) -> None:
    """Print an answer with its citations, or why there is none."""
    if answer.refused:
        say(f"No answer: {_REASONS[answer.reason.value] if answer.reason else ''}.", style="bold")
        return
    if answer.fallback is not None:
        say(
            f"The endpoint's answer is not shown: {_REASONS[answer.fallback.value]}. These are the documents' own sentences.",
            style="yellow",
        )
    for number, one in enumerate(answer.statements, start=1):
        say(f"{number}. {' '.join(one.text.split())}", style="bold")
        for cite in one.cites:
            say(f"   [{cite.citation}]  {cite.token}", style="dim")
    for conflict in answer.conflicts:
        say(f"The documents disagree ({conflict.kind.value}):", style="yellow")
        for side in (conflict.first, conflict.second):
            say(f"   {' '.join(side.text.split())} [{', '.join(cite.citation for cite in side.cites)}]")
    failed = [check.name for check in answer.checks if not check.passed]
    say(
        f"{answer.mode.value}, confidence {answer.confidence:.2f}, {len(answer.passages)} passages looked at"
        + (f", not passed: {', '.join(failed)}" if failed else ", all checks passed")
        + (f", {answer.tokens.total} tokens of {answer.endpoint_model}" if answer.endpoint_model else ""),
        style="dim",
    )
