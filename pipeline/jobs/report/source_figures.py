"""The page's figures of sources: what they listed against the database, and how old recruiting statuses are."""

from __future__ import annotations

from collections import Counter
from typing import Final

from pipeline.domain.vocabulary import SourceClass
from pipeline.jobs.drift.source_side import DISAGREEMENTS
from pipeline.jobs.report.figures import PlotFigure
from pipeline.jobs.report.model import RunReport
from pipeline.jobs.report.plots import Bar, bar_chart
from pipeline.jobs.report.wording import counted, label, number
from pipeline.jobs.summaries import AgeBin

SOURCE_MEANINGS: Final = {
    SourceClass.EQUAL: "the database holds what the source listed",
    SourceClass.MISSING_IN_TRUTH: "listed, and not in the database",
    SourceClass.CHANGED: "the database holds another version",
    SourceClass.TOMBSTONED: "listed, and deleted in the database without a request to delete",
    SourceClass.SUPPRESSED: "deleted for good by request: not taken again",
    SourceClass.SUPERSEDED: "a later listing has the last word",
    SourceClass.VANISHED: "in the database, and no longer listed",
}


def source_figures(report: RunReport) -> list[PlotFigure]:
    """Return those that there is something to show of."""
    sides = [_sides(report)] if report.source_sides else []
    ages = [_ages(report)] if report.freshness is not None and report.freshness.recruiting else []
    return [*sides, *ages]


def _sides(report: RunReport) -> PlotFigure:
    total: Counter[str] = Counter()
    for side in report.source_sides:
        total.update(side.classes)
    wrong = sum(total[name] for name in DISAGREEMENTS)
    caption = (
        f"{counted(wrong, 'record')} of the last complete listings {'differs' if wrong == 1 else 'differ'} from the database."
        if wrong
        else "The database holds what each source listed last."
    )
    rows = [
        (f"{side.source} ({side.scope})", label(name), number(count), SOURCE_MEANINGS[SourceClass(name)])
        for side in report.source_sides
        for name, count in side.classes.items()
        if count
    ]
    bars = [Bar(label(name), total[name], alert=name in DISAGREEMENTS) for name in SourceClass]
    plot = bar_chart("source_sides", "Records of the last complete listings by class", bars)
    return PlotFigure("source_sides", "Sources against database", caption, plot, ("Source", "Class", "Documents", "Meaning"), rows)


def _ages(report: RunReport) -> PlotFigure:
    found = report.freshness
    if found is None:
        raise ValueError("a report without freshness has no figure of it")
    caption = (
        f"Of {counted(found.recruiting, 'recruiting study', 'recruiting studies')} the oldest status was confirmed by its source "
        f"{found.oldest_hours:,.1f} hours ago. "
    )
    within = f"All are within the objective of {found.objective_hours:g} hours."
    caption += f"{found.breaches:,} breach the objective of {found.objective_hours:g} hours." if found.breaches else within
    bars = [Bar(_hours(one), one.count, alert=one.from_hours >= found.objective_hours) for one in found.ages]
    rows = [(_hours(one), number(one.count)) for one in found.ages]
    plot = bar_chart("ages", "Recruiting studies by hours since their source confirmed it", bars)
    return PlotFigure("ages", "Age of recruiting statuses", caption, plot, ("Confirmed before", "Studies"), rows)


def _hours(one: AgeBin) -> str:
    return f"{one.from_hours:g} h and more" if one.to_hours is None else f"{one.from_hours:g}–{one.to_hours:g} h"
