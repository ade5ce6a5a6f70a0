"""What is drawn on a page, as far as tables need it: cells between rulings, rules, shaded areas, bold print. pdfplumber's geometry, never its text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pdfplumber.table import TableFinder, cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

from pipeline.stages.extract.content import Box

if TYPE_CHECKING:
    from pdfplumber.page import Page

THIN: Final = 3.0  # points: a filled rectangle no thicker is a rule
_SHORTEST_RULE: Final = 20.0  # points: shorter ones are underlines of words, ticks of axes, arrows
_CLOSE: Final = 3.0  # points: pdfplumber's own tolerance for edges that meet, and the shortest edge it takes
_SHORTEST_PIECE: Final = 1.0  # points, of an edge that is drawn in pieces
_BAND: Final = 20.0  # points
_WHITE: Final = 0.98  # of 1: a paler fill is the paper
_BOLD: Final = ("bold", "black", "heavy", "semibold", "demi")
_MOST_EDGES: Final = 20_000  # a map or plot: crossing them all takes minutes, and none is a table


@dataclass(frozen=True, slots=True)
class Print:
    """Where a sign or a run of signs stands and how: nothing of what it says. ``downwards``, where sideways: read from top to bottom."""

    box: Box
    bold: bool
    sideways: bool
    downwards: bool


class Prints:
    """The print of a page, asked box by box: kept in bands, since a page has thousands of signs and hundreds of cells."""

    def __init__(self, prints: Iterable[Print]) -> None:
        self._bands: defaultdict[int, list[Print]] = defaultdict(list)
        self._sideways: list[Print] = []
        for one in prints:
            self._bands[int((one.box.top + one.box.bottom) / 2 // _BAND)].append(one)
            if one.sideways:
                self._sideways.append(one)

    def is_bold(self, box: Box) -> bool:
        """Whether most print in a box is bold. Of a run that goes on beyond the box counts what is inside."""
        bands = range(int(box.top // _BAND), int(box.bottom // _BAND) + 1)
        inside = [(one.bold, one.box.overlap(box)) for band in bands for one in self._bands.get(band, ())]
        return sum(area for bold, area in inside if bold) * 2 > sum(area for _, area in inside)

    def is_downwards(self, box: Box) -> bool:
        """Whether most sideways print in a box is read from top to bottom."""
        inside = [(one.downwards, one.box.overlap(box)) for one in self._sideways]
        return sum(area for downwards, area in inside if downwards) * 2 > sum(area for _, area in inside)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Geometry of a page, in the coordinates of ``Box``.

    ``grids``: per ruled area its cells. ``rules``: horizontal lines. ``shades``: filled areas.
    """

    grids: tuple[tuple[Box, ...], ...] = ()
    rules: tuple[Box, ...] = ()
    shades: tuple[Box, ...] = ()
    prints: Prints = field(default_factory=lambda: Prints(()), repr=False)

    def is_shaded(self, box: Box) -> bool:
        """Whether a fill covers most of a box."""
        return any(shade.overlap(box) > 0.6 * box.area for shade in self.shades)


def read_drawing(page: Page) -> Drawing:
    """Return what is drawn on a page. The caller closes the page; nothing of it is kept."""
    left = max(float(page.cropbox[0]), float(page.mediabox[0]))
    top = max(float(page.cropbox[1]), float(page.mediabox[1]))

    def box(one: Any) -> Box:
        return Box(one["x0"] - left, one["top"] - top, one["x1"] - left, one["bottom"] - top)

    edges = len(page.edges)
    grids = TableFinder(page, {"snap_tolerance": 3, "join_tolerance": 3}).tables if 0 < edges <= _MOST_EDGES else []
    rects = [(box(one), one) for one in page.rects]
    lines = [box(one) for one in page.lines]
    return Drawing(
        grids=tuple(tuple(_moved(cell, left, top) for cell in grid.cells) for grid in grids),
        rules=tuple(_rules([*lines, *(one for one, _ in rects)])),
        shades=tuple(one for one, rect in rects if one.height > THIN and one.width > THIN and _is_shade(rect)),
        prints=Prints(_print(char, box(char)) for char in page.chars),
    )


def drawing_of(edges: Sequence[Box], rules: Sequence[Box], shades: Sequence[Box], prints: Sequence[Print]) -> Drawing:
    """Return what is drawn, its edges crossed to cells as pdfplumber does it. ``edges``: boxes without height or without width."""
    return Drawing(
        grids=tuple(_grids(edges)) if len(edges) <= _MOST_EDGES else (),
        rules=tuple(_rules(rules)),
        shades=tuple(shades),
        prints=Prints(prints),
    )


def _grids(edges: Sequence[Box]) -> list[tuple[Box, ...]]:
    """Return the cells of each ruled area: ``TableFinder`` with edges from elsewhere."""
    long = [_edge(one) for one in edges if max(one.width, one.height) >= _SHORTEST_PIECE]
    merged = merge_edges(long, _CLOSE, _CLOSE, _CLOSE, _CLOSE) if long else []
    kept = [one for one in merged if one["height" if one["orientation"] == "v" else "width"] >= _CLOSE]
    cells = intersections_to_cells(edges_to_intersections(kept, _CLOSE, _CLOSE))
    return [tuple(Box(*cell) for cell in group) for group in cells_to_tables(cells)]


def _edge(one: Box) -> dict[str, Any]:
    return {
        "object_type": "rect_edge",
        "orientation": "h" if one.width > one.height else "v",
        "x0": one.x0,
        "x1": one.x1,
        "top": one.top,
        "bottom": one.bottom,
        "doctop": one.top,
        "y0": -one.bottom,
        "y1": -one.top,
        "width": one.width,
        "height": one.height,
    }


def _moved(cell: Sequence[float], left: float, top: float) -> Box:
    return Box(cell[0] - left, cell[1] - top, cell[2] - left, cell[3] - top)


def _rules(boxes: Iterable[Box]) -> list[Box]:
    """Return horizontal rules, the pieces of one that is drawn cell by cell joined."""
    rules: list[Box] = []
    for one in sorted((box for box in boxes if box.height <= THIN < box.width), key=lambda box: (round(box.top), box.x0)):
        last = rules[-1] if rules else None
        if last is not None and abs(last.top - one.top) <= THIN and one.x0 - last.x1 <= THIN:
            rules[-1] = last.joined(one)
        else:
            rules.append(one)
    return [one for one in rules if one.width >= _SHORTEST_RULE]


def _is_shade(rect: dict[str, Any]) -> bool:
    if not rect.get("fill"):
        return False
    colour = rect.get("non_stroking_color")
    values = [colour] if isinstance(colour, int | float) else list(colour or ())
    if not values or not all(isinstance(value, int | float) for value in values):
        return bool(values)  # a pattern
    return max(values) > 1 - _WHITE if len(values) == 4 else min(values) < _WHITE  # CMYK counts ink, the others count light


def _print(char: dict[str, Any], box: Box) -> Print:
    name = str(char["fontname"]).lower()
    return Print(box, any(part in name for part in _BOLD), sideways=not char["upright"], downwards=char["matrix"][1] < 0)
