"""Plots as inline SVG that belongs to its page: the page's font and colours (light and dark), no reference to anything outside.

Matplotlib draws in stand-in colours; each is replaced by a variable of the page's style sheet. Text stays text.
Same figures, same bytes: ids are hashed with a fixed salt, and no date is written.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup, escape

from pipeline.jobs.report.model import LengthFacts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Units of the picture are CSS pixels at its natural width. A telephone shows it at 0.9 of that, a wide page at 1.2: readable on both.
WIDTH: Final = 400
ROW: Final = 25  # height of one bar with its gap
HISTOGRAM_HEIGHT: Final = 225
TREND_HEIGHT: Final = 170
FONT: Final = 12
SMALL: Final = 10.5
LETTER: Final = 7.0  # room for a letter at FONT: the widest of the usual sans-serif fonts (DejaVu Sans) needs 6.9
LONGEST_NAME: Final = 24  # letters; a longer one would leave no room for its bar
_INCH: Final = 72  # Matplotlib's units to the inch

INK: Final = "#010101"
MUTED: Final = "#020202"
LINE: Final = "#030303"
BAR: Final = "#040404"
ALERT: Final = "#050505"
_VARIABLES: Final = {INK: "--ink", MUTED: "--muted", LINE: "--line", BAR: "--bar", ALERT: "--alert"}

_STYLE: Final[dict[str, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "clindex",
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "font.size": FONT,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "xtick.color": MUTED,
    "ytick.labelcolor": INK,
}


@dataclass(frozen=True, slots=True)
class Bar:
    """One named bar. ``note`` follows its number; ``alert`` marks it as trouble where it is not 0."""

    name: str
    count: int
    note: str = ""
    alert: bool = False

    @property
    def words(self) -> str:
        """The number as it stands beside the bar."""
        return f"{self.count:,} {self.note}".strip()


def bar_chart(name: str, title: str, bars: Sequence[Bar]) -> Markup:
    """Return horizontal bars, each with its name and number beside it, so that nothing rests on colour.

    Args:
        name: Unique on the page; begins every id in the picture.
        title: What screen readers say; the numbers follow in the description.
        bars: From top to bottom.
    """
    height = ROW * max(len(bars), 1) + 6
    with _drawing(height) as figure:
        axes = _axes_with_room(figure, bars)
        axes.barh(range(len(bars)), [bar.count for bar in bars], height=0.62, color=[ALERT if bar.alert else BAR for bar in bars])
        axes.set_yticks(range(len(bars)), [_short(bar.name) for bar in bars])
        axes.set_ylim(len(bars) - 0.45, -0.55)
        axes.set_xlim(0, max((bar.count for bar in bars), default=0) or 1)
        for row, bar in enumerate(bars):
            marked: dict[str, Any] = {"color": ALERT, "fontweight": "bold"} if bar.alert and bar.count else {}
            _beside(axes, bar.words, (bar.count, row), shift=(5, 0), va="center", **marked)
        return _inline(figure, name, title, ", ".join(f"{bar.name}: {bar.words}" for bar in bars))


def length_histogram(name: str, title: str, lengths: LengthFacts) -> Markup:
    """Return chunks by length in tokens with per cent of all chunks above each bar, and the model's window as a line."""
    whole = sum(one.count for one in lengths.bins) or 1
    limit = lengths.window or lengths.longest or 1
    with _drawing(HISTOGRAM_HEIGHT) as figure:
        axes = figure.add_axes((0.015, 0.2, 0.97, 0.72))
        _bare(axes)
        for one in lengths.bins:
            over = one.first > limit
            width = limit / 16 if over else one.last - one.first + 1  # how far the last bin reaches says its table
            middle = one.first - 1 + width / 2
            axes.bar(middle, one.count / whole, width=width * 0.86, color=ALERT if over else BAR)
            if one.count:
                _beside(axes, _per_cent(one.count / whole), (middle, one.count / whole), shift=(0, 3), ha="center", fontsize=SMALL)
        axes.set_xlim(0, limit * 1.075)
        axes.set_ylim(0, max((one.count / whole for one in lengths.bins), default=0) * 1.15 or 1)
        axes.set_xticks([*[one.first - 1 for one in lengths.bins[:-2:4] if one.first <= limit], limit])
        axes.tick_params(axis="x", length=4, color=LINE, labelsize=SMALL)
        axes.axhline(0, color=LINE, linewidth=1.5)
        axes.set_xlabel("tokens in a chunk (above the bars: % of all chunks)", fontsize=SMALL)
        if lengths.window is not None:
            axes.axvline(lengths.window, color=ALERT, linestyle=(0, (4, 3)), linewidth=1.5)
            _beside(axes, f"window {lengths.window}", (lengths.window, axes.get_ylim()[1]), shift=(-6, -2), ha="right", va="top")
        described = ", ".join(f"{one.first} to {one.last} tokens: {one.count:,}" for one in lengths.bins)
        return _inline(figure, name, title, described)


@dataclass(frozen=True, slots=True)
class TrendMark:
    """One value of a measure between 0 and 1 with its interval; ``alert`` marks it as below its floor."""

    name: str
    value: float
    low: float
    high: float
    alert: bool = False


def trend_chart(name: str, title: str, marks: Sequence[TrendMark]) -> Markup:
    """Return values over time, oldest on the left, each with its interval as a bar and its number above."""
    with _drawing(TREND_HEIGHT) as figure:
        axes = figure.add_axes((0.09, 0.16, 0.88, 0.76))
        _bare(axes)
        axes.plot(range(len(marks)), [mark.value for mark in marks], color=BAR, linewidth=1.5)
        for place, mark in enumerate(marks):
            colour = ALERT if mark.alert else BAR
            axes.vlines(place, mark.low, mark.high, color=colour, linewidth=1.5)
            axes.plot([place], [mark.value], marker="D" if mark.alert else "o", markersize=5, color=colour)
        for place in sorted({0, len(marks) - 1}):  # first and last: more would run into each other
            _beside(axes, f"{marks[place].value:.2f}", (place, marks[place].high), shift=(0, 4), ha="center", fontsize=SMALL)
        axes.set_xlim(-0.6, len(marks) - 0.4)
        axes.set_ylim(0, 1.12)
        axes.set_yticks([0, 0.5, 1])
        axes.tick_params(axis="y", length=0, labelsize=SMALL)
        axes.axhline(0, color=LINE, linewidth=1.5)
        shown = sorted({0, len(marks) // 2, len(marks) - 1})
        axes.set_xticks(shown, [marks[place].name for place in shown])
        axes.tick_params(axis="x", length=4, color=LINE, labelsize=SMALL)
        return _inline(figure, name, title, ", ".join(f"{mark.name}: {mark.value:.3f}" for mark in marks))


def _per_cent(share: float) -> str:
    return "<1" if share < 0.01 else f"{share * 100:.0f}"


@contextmanager
def _drawing(height: int) -> Iterator[Figure]:
    """Give an empty figure of ``height`` units. Matplotlib takes a second to import: only a report that is drawn pays for it."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(["default", _STYLE]):
        yield Figure(figsize=(WIDTH / _INCH, height / _INCH))


def _axes_with_room(figure: Figure, bars: Sequence[Bar]) -> Axes:
    """Make axes with room for names on the left and numbers on the right, by their letters: the browser's font is not known here."""
    left = max((len(_short(bar.name)) for bar in bars), default=1) * LETTER + 10
    right = max((len(bar.words) for bar in bars), default=1) * LETTER + 10
    axes = figure.add_axes((left / WIDTH, 0.01, (WIDTH - left - right) / WIDTH, 0.98))
    _bare(axes)
    axes.tick_params(axis="y", length=0, pad=6)
    axes.set_xticks([])
    axes.axvline(0, color=LINE, linewidth=1.5)
    return axes


def _bare(axes: Axes) -> None:
    axes.patch.set_visible(False)
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def _beside(axes: Axes, words: str, at: tuple[float, float], *, shift: tuple[float, float], **options: Any) -> None:
    axes.annotate(words, at, xytext=shift, textcoords="offset points", annotation_clip=False, **options)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _inline(figure: Figure, name: str, title: str, description: str) -> Markup:
    """Return the figure without what only a file of its own needs, with ids that are unique on the page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    body = re.sub(r"^.*?<svg[^>]*>", "", buffer.getvalue(), count=1, flags=re.DOTALL)
    body = re.sub(r"<metadata>.*?</metadata>", "", body, count=1, flags=re.DOTALL)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = body.replace("url(#", f"url(#{name}-").replace('xlink:href="#', f'href="#{name}-')
    for colour, variable in _VARIABLES.items():
        body = body.replace(colour, f"var({variable})")
    width, height = (round(float(side) * _INCH) for side in figure.get_size_inches())
    head = (
        f'<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    )
    return Markup(head + body)  # noqa: S704 - Matplotlib escapes every text it writes, and ours is escaped above
