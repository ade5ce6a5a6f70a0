"""The page's figure of FHIR resources: what became of them."""

from __future__ import annotations

from typing import Final

from pipeline.domain.vocabulary import ResourceOutcome
from pipeline.jobs.report.figures import PlotFigure
from pipeline.jobs.report.model import RunReport
from pipeline.jobs.report.plots import Bar, bar_chart
from pipeline.jobs.report.wording import counted, label, number

RESOURCE_MEANINGS: Final = {
    ResourceOutcome.DOCUMENT: "has a citable document",
    ResourceOutcome.SUPPORTING: "is shown within others, or says who a patient is",
    ResourceOutcome.NOT_RENDERED: "is of a type that is not rendered, or was cancelled",
    ResourceOutcome.QUARANTINED: "breaks a rule: a good version before it stays",
    ResourceOutcome.SKIPPED: "a modifier extension or implicit rules change what it means",
    ResourceOutcome.ENTERED_IN_ERROR: "its source says that it should not be there",
    ResourceOutcome.REMOVED: "its source has deleted it",
    ResourceOutcome.SUPPRESSED: "a person had it, or its patient, deleted for good",
}


def fhir_figures(report: RunReport) -> list[PlotFigure]:
    """Return the figure, where a feed was loaded."""
    if report.fhir is None:
        return []
    found = report.fhir.outcomes
    wrong = found.get(ResourceOutcome.QUARANTINED, 0)
    caption = (
        f"{counted(sum(found.values()), 'resource')} read so far; {counted(wrong, 'resource')} {'is' if wrong == 1 else 'are'} quarantined."
    )
    bars = [Bar(label(one), found.get(one, 0), alert=one is ResourceOutcome.QUARANTINED) for one in RESOURCE_MEANINGS]
    rows = [
        (kind, label(outcome), number(count), RESOURCE_MEANINGS[ResourceOutcome(outcome)])
        for kind, counts in report.fhir.by_type.items()
        for outcome, count in counts.items()
    ]
    plot = bar_chart("fhir", "FHIR resources by outcome of their newest version", bars)
    return [PlotFigure("fhir", "FHIR resources", caption, plot, ("Type", "Outcome", "Resources", "Meaning"), rows)]
