"""The page's figures of evaluations: nDCG and recall over the last ones, each with its interval."""

from __future__ import annotations

from pipeline.jobs.evaluate.trend import SHOWN, EvaluationTrend
from pipeline.jobs.report.figures import PlotFigure
from pipeline.jobs.report.model import RunReport
from pipeline.jobs.report.plots import TrendMark, trend_chart
from pipeline.jobs.report.wording import counted, moment

_TITLES = {"ndcg@10": "nDCG@10", "recall@10": "Recall@10"}


def evaluation_figures(report: RunReport) -> list[PlotFigure]:
    """Return a figure a measure; none where nothing was evaluated."""
    trend = report.evaluations
    return [_figure(name, trend) for name in SHOWN if any(name in point.metrics for point in trend.points)]


def _figure(name: str, trend: EvaluationTrend) -> PlotFigure:
    points = [point for point in trend.points if name in point.metrics]
    marks = [TrendMark(f"{point.at:%m-%d}", *point.metrics[name], alert=name in point.below) for point in points]
    last = marks[-1]
    others = f" {counted(trend.others, 'evaluation')} of other queries left out." if trend.others else ""
    caption = f"{last.value:.3f} ({last.low:.3f} to {last.high:.3f}) over {counted(points[-1].queries, 'query', 'queries')} at the last evaluation.{others}"
    key = name.split("@")[0]
    return PlotFigure(
        name=f"evaluation-{key}",
        title=f"{_TITLES[name]} of the judged queries",
        caption=caption,
        plot=trend_chart(f"evaluation-{key}", f"{_TITLES[name]} over the last evaluations", marks),
        header=("Evaluated", _TITLES[name], "95 % interval", "Floor"),
        rows=[
            (moment(point.at), f"{mark.value:.4f}", f"{mark.low:.4f} to {mark.high:.4f}", "below" if mark.alert else "met or none")
            for point, mark in zip(points, marks, strict=True)
        ],
    )
