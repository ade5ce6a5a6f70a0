"""The HTTP application: search with access control, documents, citations, figures, feedback, and what operators watch."""

from __future__ import annotations

import importlib
import importlib.util
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from fastapi import FastAPI

from pipeline.api.errors import answer_errors
from pipeline.api.limits import RequestSize
from pipeline.api.metrics import HomeFigures, Metrics
from pipeline.api.routes import asking, citations, documents, feedback, operations, reviewing, searching
from pipeline.api.serving import Serving
from pipeline.api.stores import open_stores
from pipeline.domain.errors import TransientError
from pipeline.jobs.metrics import home_families
from pipeline.jobs.metrics.model import Family
from pipeline.jobs.start_check import start_check
from pipeline.jobs.summaries import StartCheck
from pipeline.observability import log_event
from pipeline.search.understand import understand
from pipeline.settings import Settings
from pipeline.wiring import Services, open_services, utc_now

_PAGE: Final = "pipeline.api.page"


def create_app(settings: Settings) -> FastAPI:
    """Return the application for one home. Home and model are opened when the server starts, not at the first search.

    The embedded index stays open between searches, until another process (an indexing run) wants it; searches then wait for its turns.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with open_services(settings) as services:
            stores = open_stores(settings, services.secret)
            figures = HomeFigures(partial(_figures, services), settings.metrics_max_age_seconds)
            serving = Serving(settings, services, stores, Metrics(figures), _checked(services))
            live = serving.live()  # searched by its own model, whatever the settings name for the next collection
            live.require_collection()
            understand("warm up")  # its word lists take a second
            for model in live.spec.dense:
                live.embedder_of(model).embed_query("warm up")
            app.state.serving = serving
            yield

    app = FastAPI(title="Clindex", version="1", lifespan=lifespan)
    answer_errors(app)
    app.add_middleware(RequestSize, max_bytes=settings.max_request_bytes)
    for topic in (searching, asking, documents, citations, feedback, operations, reviewing):
        app.include_router(topic.router)
    if importlib.util.find_spec(_PAGE) is not None:
        importlib.import_module(_PAGE).mount(app)
    return app


def _figures(services: Services) -> list[Family]:
    return home_families(services.db, services.settings, now=utc_now())


def _checked(services: Services) -> StartCheck:
    """Compare index and truth cheaply, and log what was found. Drift stops no server: every hit is read from truth."""
    live = services.live()
    try:
        found = start_check(live)
    except TransientError:  # another process holds the index: searches will wait for their turn as well
        found = StartCheck(verdict="unknown", collection=live.collection, seconds=0.0)
    level = logging.INFO if found.verdict == "clean" else logging.WARNING
    log_event("start_check", level=level, verdict=found.verdict, findings=",".join(found.findings), seconds=found.seconds)
    return found
