"""Turns a report into one page that needs nothing else: styles and plots inside, no script, no request."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from pipeline.jobs.report import wording
from pipeline.jobs.report.answers import answers, headline
from pipeline.jobs.report.evaluation_figures import evaluation_figures
from pipeline.jobs.report.fhir_figures import fhir_figures
from pipeline.jobs.report.figures import count_rows, figures
from pipeline.jobs.report.model import RunReport
from pipeline.jobs.report.source_figures import source_figures

_TEMPLATE: Final = "report.html.j2"


def render_html(report: RunReport) -> str:
    """Return the page. The same report gives the same bytes. Everything from outside is escaped."""
    return _template().render(
        report=report,
        headline=headline(report),
        answers=answers(report),
        figures=[*figures(report), *fhir_figures(report), *source_figures(report), *evaluation_figures(report)],
        runs=report.runs.all,
        tables=[
            ("Kind of document", "Documents", count_rows(report.documents.kind)),
            ("Status of studies", "Studies", count_rows(report.documents.overall_status)),
            ("Type of study", "Studies", count_rows(report.documents.study_type)),
            ("Phase", "Studies", count_rows(report.documents.phase)),
        ],
    )


def prose(sentence: str) -> Markup:
    """Return one of our sentences as HTML; what stands in backticks is a command to type."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(sentence))))  # noqa: S704 - escaped before the marks are added


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        number=wording.number, percent=wording.percent, moment=wording.moment, duration=wording.duration, label=wording.label, prose=prose
    )
    environment.globals.update(counted=wording.counted, failure_meanings=wording.FAILURE_MEANINGS)
    return environment.get_template(_TEMPLATE)
