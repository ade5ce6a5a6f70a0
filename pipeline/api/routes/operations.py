"""``GET /health``, ``/status``, ``/report``, ``/metrics``: for monitors and operators."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel

from pipeline.api.metrics import MEDIA_TYPE
from pipeline.api.principal import Operating
from pipeline.api.serving import serving_of
from pipeline.domain.errors import UsageError
from pipeline.jobs.status import status
from pipeline.jobs.summaries import StartFinding, StatusSummary
from pipeline.search.caches import QueryVectors

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """Whether the server answers, and what the check of index against truth found when it started (``/status`` checks again)."""

    status: Literal["ok"]
    drift_check: Literal["clean", "drift", "unknown"]
    findings: list[StartFinding]
    checked_at: datetime


@router.get("/health", summary="Whether the server answers")
async def get_health(request: Request) -> Health:
    """Answer anybody, without a key and uncounted: nothing of a document or of its existence is in it."""
    serving = serving_of(request)
    return Health(status="ok", drift_check=serving.check.verdict, findings=serving.check.findings, checked_at=serving.started_at)


@router.get("/status", summary="State of index and truth")
def get_status(request: Request, _: Operating) -> StatusSummary:
    """Check index against truth."""
    with serving_of(request).turn() as there:
        return status(there)


@router.get("/report", summary="The latest report", response_class=FileResponse)
def get_report(request: Request, _: Operating) -> FileResponse:
    """Return the latest report as HTML."""
    page = serving_of(request).settings.reports_folder / "latest.html"
    if not page.is_file():
        raise UsageError("there is no report yet", remedy="`clindex report` writes one.")
    return FileResponse(page, media_type="text/html")


@router.get("/metrics", summary="Figures for Prometheus", response_class=Response)
def get_metrics(request: Request, _: Operating) -> Response:
    """Return counts and durations in Prometheus' text format."""
    serving = serving_of(request)
    embedder = serving.live().embedder
    return Response(serving.metrics.page(embedder if isinstance(embedder, QueryVectors) else None), media_type=MEDIA_TYPE)
