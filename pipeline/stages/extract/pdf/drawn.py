"""A page in, what is drawn on it out, as far as tables need it: from PDFium's path objects, in about 2 ms a page.

pdfplumber finds the same, but has pdfminer interpret the whole page for it: 0.3 to 0.6 s.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.pdf.frames import Place, shown
from pipeline.stages.extract.pdf.glyphs import is_bold
from pipeline.stages.extract.pdf.objects import Matrix, bounds_of, objects, product
from pipeline.stages.extract.tables.drawing import THIN, Drawing, Print, drawing_of

_STRAIGHT: Final = 0.3  # points: a side that leans less is upright or level; printers' rounding leaves 0.1
_WHITE: Final = 250  # of 255: a paler fill is the paper
_MOST_SEGMENTS: Final = 2_000  # of a path: one with more is a drawing
_NAME_BYTES: Final = 128

_Point = tuple[float, float]


def read_drawn(page: pdfium.PdfPage) -> Drawing:
    """Return the rulings, fills and print of a page, in points of the page as displayed, y downwards."""
    place = shown(page)
    edges: list[Box] = []
    rules: list[Box] = []
    shades: list[Box] = []
    prints: list[Print] = []
    for one, kind, outer in objects(page):
        if kind == raw.FPDF_PAGEOBJ_TEXT and (found := _print(one, outer, place)) is not None:
            prints.append(found)
        if kind != raw.FPDF_PAGEOBJ_PATH or not (paint := _paint(one)):
            continue
        matrix = product(one, outer)
        for points in _subpaths(one, matrix, place):
            sides = [side for first, second in pairwise(points) if (side := _side(first, second)) is not None]
            edges += sides
            area = _rectangle(points, sides)
            if area is None:
                rules += sides if len(points) == 2 else ()
            elif area.height <= THIN:
                rules.append(area)
            elif area.width > THIN and paint == "shade":
                shades.append(area)
    return drawing_of(edges, rules, shades, prints)


def _paint(path: object) -> str:
    """Return how a path is painted: ``shade`` (a fill that is not the paper's), ``line``, or not at all."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
    if not fill.value:
        return "line" if stroke.value else ""
    channels = [ctypes.c_uint() for _ in range(4)]
    if not raw.FPDFPageObj_GetFillColor(path, *map(ctypes.byref, channels)):
        return "shade"  # a pattern
    *colour, opacity = (channel.value for channel in channels)
    return "shade" if opacity and min(colour) < _WHITE else "line"


def _subpaths(path: object, matrix: Matrix, place: Place) -> Iterator[list[_Point]]:
    """Yield the corners of each stretch of straight lines, a closed one back to where it began. A bow ends a stretch."""
    a, b, c, d, e, f = matrix
    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[_Point] = []
    start: _Point | None = None
    for index in range(min(raw.FPDFPath_CountSegments(path), _MOST_SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = place(a * x.value + c * y.value + e, b * x.value + d * y.value + f)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_LINETO:
            points.append(point)
        else:
            if len(points) > 1:
                yield points
            points = [point]
            start = point if kind == raw.FPDF_SEGMENT_MOVETO else start
        if start is not None and raw.FPDFPathSegment_GetClose(segment) and points[-1] != start:
            points.append(start)
    if len(points) > 1:
        yield points


def _side(one: _Point, other: _Point) -> Box | None:
    """Return a level or upright side as a box without height or width, else nothing."""
    across, down = abs(one[0] - other[0]), abs(one[1] - other[1])
    if down <= _STRAIGHT and down < across:
        level = (one[1] + other[1]) / 2
        return Box(min(one[0], other[0]), level, max(one[0], other[0]), level)
    if across <= _STRAIGHT and across < down:
        upright = (one[0] + other[0]) / 2
        return Box(upright, min(one[1], other[1]), upright, max(one[1], other[1]))
    return None


def _rectangle(points: Sequence[_Point], sides: Sequence[Box]) -> Box | None:
    """Return the rectangle that a closed path of four level and upright sides is."""
    corners = points[:-1] if points[0] == points[-1] else points
    if len(corners) != 4 or len(sides) < 3:
        return None
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(across), min(down), max(across), max(down))


def _print(text: object, outer: Matrix, place: Place) -> Print | None:
    box = bounds_of(text, outer, place)
    if box is None:
        return None
    a, b, *_ = product(text, outer)
    origin, end = place(0.0, 0.0), place(a, b)
    across, down = end[0] - origin[0], end[1] - origin[1]
    font = raw.FPDFTextObj_GetFont(text)
    name = ctypes.create_string_buffer(_NAME_BYTES)
    raw.FPDFFont_GetBaseFontName(font, name, _NAME_BYTES)
    bold = is_bold(name.value, raw.FPDFFont_GetFlags(font), raw.FPDFTextObj_GetTextRenderMode(text))
    return Print(box, bold, sideways=abs(down) > abs(across), downwards=down > 0)
