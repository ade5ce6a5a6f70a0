"""What is drawn on a page, as far as tables need it: cells between rulings, rules, shaded areas, bold print. pdfplumber's geometry, never its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pdfplumber.table import TableFinder

from pipeline.stages.extract.content import Box

if TYPE_CHECKING:
    from pdfplumber.page import Page

_THIN: Final = 3.0  # points: a filled rectangle no thicker is a rule
_SHORTEST_RULE: Final = 20.0  # points: shorter ones are underlines of words, ticks of axes, arrows
_WHITE: Final = 0.98  # of 1: a paler fill is the paper
_BOLD: Final = ("bold", "black", "heavy", "semibold", "demi")
_MOST_EDGES: Final = 20_000  # a map or plot: crossing them all takes minutes, and none is a table


@dataclass(frozen=True, slots=True)
class Glyph:
    """Where a sign stands and how: nothing of what it says."""

    x: float  # its middle
    y: float
    bold: bool
    upright: bool
    downwards: bool  # of a sign that is not upright: read from top to bottom


@dataclass(frozen=True, slots=True)
class Drawing:
    """Geometry of a page, in the coordinates of ``Box``.

    ``grids``: per ruled area its cells. ``rules``: horizontal lines. ``shades``: filled areas.
    """

    grids: tuple[tuple[Box, ...], ...] = ()
    rules: tuple[Box, ...] = ()
    shades: tuple[Box, ...] = ()
    glyphs: tuple[Glyph, ...] = field(default=(), repr=False)

    def is_bold(self, box: Box) -> bool:
        """Whether most signs in a box are bold."""
        inside = self._inside(box)
        return bool(inside) and sum(one.bold for one in inside) * 2 > len(inside)

    def is_downwards(self, box: Box) -> bool:
        """Whether most sideways signs in a box are read from top to bottom."""
        sideways = [one for one in self._inside(box) if not one.upright]
        return bool(sideways) and sum(one.downwards for one in sideways) * 2 > len(sideways)

    def is_shaded(self, box: Box) -> bool:
        """Whether a fill covers most of a box."""
        return any(shade.overlap(box) > 0.6 * box.area for shade in self.shades)

    def _inside(self, box: Box) -> list[Glyph]:
        return [one for one in self.glyphs if box.x0 <= one.x <= box.x1 and box.top <= one.y <= box.bottom]


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
        shades=tuple(one for one, rect in rects if one.height > _THIN and one.width > _THIN and _is_shade(rect)),
        glyphs=tuple(_glyph(char, left, top) for char in page.chars),
    )


def _moved(cell: Sequence[float], left: float, top: float) -> Box:
    return Box(cell[0] - left, cell[1] - top, cell[2] - left, cell[3] - top)


def _rules(boxes: Iterable[Box]) -> list[Box]:
    """Return horizontal rules, the pieces of one that is drawn cell by cell joined."""
    rules: list[Box] = []
    for one in sorted((box for box in boxes if box.height <= _THIN < box.width), key=lambda box: (round(box.top), box.x0)):
        last = rules[-1] if rules else None
        if last is not None and abs(last.top - one.top) <= _THIN and one.x0 - last.x1 <= _THIN:
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


def _glyph(char: dict[str, Any], left: float, top: float) -> Glyph:
    name = str(char["fontname"]).lower()
    return Glyph(
        x=(char["x0"] + char["x1"]) / 2 - left,
        y=(char["top"] + char["bottom"]) / 2 - top,
        bold=any(part in name for part in _BOLD),
        upright=bool(char["upright"]),
        downwards=char["matrix"][1] < 0,
    )
