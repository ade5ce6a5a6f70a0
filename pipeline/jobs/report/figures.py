"""The page's figures: each a plot, what it says in a sentence, and the same numbers as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.domain.reading import PageOutcome
from pipeline.domain.vocabulary import DocumentState, DriftClass, ParseOutcome, Section
from pipeline.jobs.report.model import Count, RunReport
from pipeline.jobs.report.plots import Bar, bar_chart, length_histogram
from pipeline.jobs.report.wording import DRIFT_MEANINGS, OUTCOME_MEANINGS, PAGE_MEANINGS, counted, label, number, percent

SHOWN_SECTIONS = 14
SHOWN_FORMATS = 14  # bars; the table beneath has all

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlotFigure:
    """One plot with its words. ``header`` and ``rows`` hold the same numbers as the plot."""

    name: str
    title: str
    caption: str
    plot: Markup
    header: Row
    rows: Sequence[Row]


def figures(report: RunReport) -> list[PlotFigure]:
    """Return all figures in the order of the page."""
    drift = [_drift(report)] if report.drift else []
    pages = [_pages(report)] if report.pages.documents else []
    return [*drift, _states(report), _sections(report), *pages, _lengths(report), _outcomes(report), _formats(report)]


def _drift(report: RunReport) -> PlotFigure:
    classes = report.drift.classes if report.drift else {}
    bars = [Bar(label(name), count, alert=name != DriftClass.OK.value) for name, count in classes.items()]
    meanings = {name.value: words for name, words in DRIFT_MEANINGS.items()}
    wrong = sum(count for name, count in classes.items() if name != DriftClass.OK.value)
    caption = (
        f"{counted(wrong, 'point')} of {sum(classes.values()):,} expected or found differ." if wrong else "Every point is in class OK."
    )
    return PlotFigure(
        name="drift",
        title="Index against database",
        caption=caption,
        plot=bar_chart("drift", "Points by class of drift", bars),
        header=("Class", "Points", "Meaning"),
        rows=[(label(name), number(count), meanings[name]) for name, count in classes.items()],
    )


def _states(report: RunReport) -> PlotFigure:
    states = report.documents.by_state
    trouble = (DocumentState.FAILED.value, DocumentState.QUARANTINED.value)
    bars = [Bar(label(name), count, alert=name in trouble) for name, count in states.items()]
    caption = f"{states['live']:,} of {counted(report.documents.live, 'document')} can be found by search in their newest version."
    plot = bar_chart("states", "Documents by state in the index", bars)
    return PlotFigure("states", "Documents by state", caption, plot, ("State", "Documents", "Share"), _shares(states))


def _sections(report: RunReport) -> PlotFigure:
    sections = {name: count for name, count in report.chunks.by_section.items() if count} or {Section.NOTE_TEXT.value: 0}
    shown = sorted(sections, key=lambda name: -sections[name])[:SHOWN_SECTIONS]
    rest = len(sections) - len(shown)
    more = f" The {len(shown)} most frequent sections are drawn, the table has {counted(rest, 'more', 'more')}." if rest else ""
    caption = f"{counted(report.chunks.total, 'chunk')} in all. Each is one point of the index.{more}"
    plot = bar_chart("sections", "Chunks by section", [Bar(label(name), sections[name]) for name in shown])
    return PlotFigure("sections", "Chunks by section", caption, plot, ("Section", "Chunks", "Share"), _shares(sections))


def _pages(report: RunReport) -> PlotFigure:
    pages = report.pages.by_outcome
    bars = [Bar(label(name), count, alert=name == PageOutcome.FAILED.value) for name, count in pages.items()]
    doubt = f" {counted(report.pages.suspects, 'number')} that OCR is not sure of {'is' if report.pages.suspects == 1 else 'are'} flagged."
    caption = f"{counted(sum(pages.values()), 'page')} of {counted(report.pages.documents, 'document')}, each with one outcome."
    caption += doubt if report.pages.suspects else ""
    plot = bar_chart("pages", "Pages of files by how they were read", bars)
    rows = [(*row, PAGE_MEANINGS[PageOutcome(name)]) for name, row in zip(pages, _shares(pages), strict=True)]
    return PlotFigure("pages", "Pages by outcome", caption, plot, ("Outcome", "Pages", "Share", "Meaning"), rows)


def _lengths(report: RunReport) -> PlotFigure:
    lengths = report.lengths
    if lengths.window is None:
        caption = f"The longest chunk has {lengths.longest:,} tokens. The model's window is not known here."
    elif lengths.over_window:
        caption = f"{counted(lengths.over_window, 'chunk')} would be cut by the model: beyond its window of {lengths.window} tokens."
    else:
        near = f"{lengths.near_window.count:,} ({percent(lengths.near_window.share)}) fill more than 90 % of it."
        caption = f"No chunk exceeds the model's window of {lengths.window} tokens. The longest has {lengths.longest}; {near}"
    whole = sum(one.count for one in lengths.bins) or 1
    rows = [(f"{one.first}–{one.last}", number(one.count), percent(one.count / whole)) for one in lengths.bins]
    plot = length_histogram("lengths", "Chunks by length in tokens, against the model's window", lengths)
    return PlotFigure("lengths", "Lengths against the model's window", caption, plot, ("Tokens", "Chunks", "Share"), rows)


def _outcomes(report: RunReport) -> PlotFigure:
    found = report.parse_outcomes
    bars = [Bar(label(name), one.count, f"({percent(one.share)})") for name, one in found.items()]
    sides = [found[name.value] for name in (ParseOutcome.BOTH, ParseOutcome.INCLUSION_ONLY, ParseOutcome.EXCLUSION_ONLY)]
    whole = sum(one.count for one in found.values())
    caption = f"In {sum(one.count for one in sides):,} of {counted(whole, 'study', 'studies')} at least one side was recognised."
    rows = [(label(name), number(one.count), percent(one.share), OUTCOME_MEANINGS[ParseOutcome(name)]) for name, one in found.items()]
    plot = bar_chart("outcomes", "Studies by what was understood of their eligibility text", bars)
    return PlotFigure("outcomes", "Eligibility text understood", caption, plot, ("Outcome", "Studies", "Share", "Meaning"), rows)


def _formats(report: RunReport) -> PlotFigure:
    shown = report.formats[:SHOWN_FORMATS]
    bars = [Bar(label(one.value), one.count) for one in shown] or [Bar("None met yet", 0)]
    more = f" The {len(shown)} most frequent of {len(report.formats)} are drawn." if len(report.formats) > len(shown) else ""
    caption = f"Layouts that the chunker met; a document counts under each of its own.{more}"
    rows = [(label(one.value), number(one.count)) for one in report.formats]
    plot = bar_chart("formats", "Documents by layout of their text", bars)
    return PlotFigure("formats", "Formats met", caption, plot, ("Layout", "Documents"), rows)


def count_rows(counts: Sequence[Count]) -> list[Row]:
    """Return counted registry codes as rows, as the registry writes them."""
    return [(one.value or label(None), number(one.count)) for one in counts]


def _shares(counts: Mapping[str, int]) -> list[Row]:
    whole = sum(counts.values()) or 1
    return [(label(name), number(count), percent(count / whole)) for name, count in counts.items()]
