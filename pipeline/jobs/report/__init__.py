"""The run report: what the last runs did and where the home stands, as JSON and as one self-contained page."""

from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.jobs.report.model import RunReport
from pipeline.jobs.report.write import ReportPaths, write_report

__all__ = ["ReportPaths", "RunReport", "collect", "render_html", "write_report"]
