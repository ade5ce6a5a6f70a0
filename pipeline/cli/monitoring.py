"""``clindex metrics``: the home's figures for monitors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute
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
