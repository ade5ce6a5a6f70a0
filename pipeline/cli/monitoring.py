"""``clindex metrics`` and ``clindex notify``: what monitors and people are told of a home."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from pipeline.cli.output import Json, Verbose, execute, say
from pipeline.domain.errors import UsageError
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.metrics.model import Family
    from pipeline.jobs.metrics.summary import HomeMetrics


def metrics(
    send: Annotated[bool, typer.Option("--send", help="Send them to CLINDEX_OTLP_ENDPOINT as well; exit 1 if they do not arrive.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Print figures in Prometheus' text format, for a textfile collector; `/metrics` of `clindex serve` has the same and its own."""
    from pipeline.jobs.metrics import page
    from pipeline.jobs.metrics.otlp import push
    from pipeline.jobs.metrics.summary import home_metrics

    settings = Settings()
    read: list[Family] = []
    sent = True

    def run() -> HomeMetrics:
        nonlocal sent
        if send and settings.otlp_endpoint is None:
            raise UsageError("there is nobody to send figures to", remedy="Set CLINDEX_OTLP_ENDPOINT.")
        read.extend(_families(settings))
        sent = not send or push(read, settings)
        return home_metrics(read)

    def render(_: HomeMetrics) -> None:
        sys.stdout.write(page(read))

    execute(run, as_json=as_json, render=render, failed=lambda _: not sent, verbose=verbose)


def _families(settings: Settings) -> list[Family]:
    from pipeline.jobs.metrics import home_families
    from pipeline.wiring import open_services, utc_now

    with open_services(settings) as services:
        return home_families(services.db, settings, now=utc_now())


def notify(
    run_id: Annotated[
        list[UUID] | None, typer.Option("--run", help="A run's id; without one, the last run of each kind. Repeatable.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the message.")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Tell people by mail, Slack or webhook what went wrong: one message of ids and counts; exit 1 if a channel did not take it."""
    from pipeline.jobs.notify import NotifySummary
    from pipeline.jobs.notify.sending import channels
    from pipeline.jobs.notify.telling import tell
    from pipeline.wiring import open_services

    settings = Settings()

    def run() -> NotifySummary:
        if not dry_run and not channels(settings):
            raise UsageError("there is no channel", remedy="Set CLINDEX_NOTIFY_SLACK_URL, _WEBHOOK_URL, or _SMTP_URL and _MAIL_TO.")
        with open_services(settings) as services:
            return tell(services.db, settings, run_id or [], dry_run=dry_run)

    def render(summary: NotifySummary) -> None:
        if summary.message is None:
            say("There is nothing to tell.")
            return
        say(summary.message.subject)
        say(summary.message.text)
        for one in summary.deliveries:
            say(f"{one.channel.value}: {'sent' if one.sent else f'NOT SENT ({one.error})'}")

    execute(run, as_json=as_json, render=render, failed=lambda summary: summary.failed, verbose=verbose)
