"""Writes the report's two files, each whole or not at all."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field

from pipeline.jobs.report.collect import ReportHome, collect
from pipeline.jobs.report.html import render_html
from pipeline.jobs.report.model import VerdictState
from pipeline.jobs.summaries import Summary
from pipeline.storage import runs
from pipeline.wiring import utc_now


class ReportPaths(Summary):
    """Where a report was written, and what it says in one word."""

    verdict: VerdictState
    json_path: Path
    html_path: Path
    latest_json: Path = Field(description="always the newest report")
    latest_html: Path


def write_report(services: ReportHome, *, now: datetime | None = None) -> ReportPaths:
    """Write ``report-<UTC time>`` and ``latest``, as ``.json`` and ``.html``, into the reports folder (made 0700, files 0600)."""
    with services.db.begin() as tx:
        runs.close_dead(tx, now or utc_now())
    report = collect(services, now=now)
    folder = services.settings.reports_folder
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    name = f"report-{report.created_at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    data = {".json": report.model_dump_json(indent=2) + "\n", ".html": render_html(report)}
    for suffix, text in data.items():
        for stem in (name, "latest"):
            write_whole(folder / f"{stem}{suffix}", text)
    return ReportPaths(
        verdict=report.verdict.state,
        json_path=folder / f"{name}.json",
        html_path=folder / f"{name}.html",
        latest_json=folder / "latest.json",
        latest_html=folder / "latest.html",
    )


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step, so that a reader (the server, a browser) never sees half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
