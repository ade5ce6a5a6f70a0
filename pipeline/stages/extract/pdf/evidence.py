"""A page in, what speaks for OCR, for a table, and for redactions out; without reading its text. About 1 ms a page."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.pdf.frames import Place, shown
from pipeline.stages.extract.pdf.redactions import Redactions, is_light

_MAX_OBJECTS: Final = 20_000  # a drawing with more is a map or a chart; what is counted by then decides
_MAX_DEPTH: Final = 4  # of forms in forms
_THIN: Final = 2.5  # points: a rectangle as thin is a ruling
_SHORTEST_RULING: Final = 10.0  # points
_HIDDEN: Final = 3  # render mode: text that is not drawn, as OCR programs put it behind a scan
_RECTANGLE: Final = 5  # segments
_MOST_SEGMENTS: Final = 500  # a path with more is a drawing
_GRID: Final = 40
_CELL_RULINGS: Final = 3  # in each direction


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is on a page beside its text. ``image_share``, ``hidden_share``: 0..1.

    Attributes:
        image_share: Of the page's area that images cover (to 1 / 40 of its width and height).
        images: How many.
        horizontal: Horizontal rulings, edges of rectangles among them.
        vertical: Vertical ones.
        paths: Drawn paths of any kind.
        redactions: Boxes filled with black that hide a word: nothing but a redactor's label is written on them.
        hidden_share: Of the text objects that are not drawn: an OCR layer that someone else made.
        rotation: What the page's dictionary turns it by, degrees clockwise.
    """

    image_share: float
    images: int
    horizontal: int
    vertical: int
    paths: int
    redactions: tuple[Box, ...]
    hidden_share: float
    rotation: int

    @property
    def may_have_table(self) -> bool:
        """Whether there are rulings enough for a table: a look with the slower table finder pays."""
        return self.horizontal >= _CELL_RULINGS and self.horizontal + self.vertical > _CELL_RULINGS


def evidence(page: pdfium.PdfPage) -> Evidence:
    """Return what the objects of a page say, forms taken apart. Boxes in points of the page as displayed, y downwards."""
    counts: Counter[str] = Counter()
    images: list[Box] = []
    width, height = page.get_size()
    redactions = Redactions(page, width * height)
    place = shown(page)
    for one, kind, matrix in _objects(page):
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            counts["text"] += 1
            counts["hidden"] += raw.FPDFTextObj_GetTextRenderMode(one) == _HIDDEN
            if redactions.boxes and is_light(one) and (box := _box(one, matrix, place)):
                redactions.show(one, box)
            continue
        box = _box(one, matrix, place)
        if box is None:
            continue
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(box)
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            counts["paths"] += 1
            _count_rulings(one, box, counts)
            redactions.add(one, box)
    share = _covered(images, Box(0, 0, width, height))
    hidden = counts["hidden"] / counts["text"] if counts["text"] else 0.0
    return Evidence(
        share, len(images), counts["horizontal"], counts["vertical"], counts["paths"], tuple(redactions.boxes), hidden, page.get_rotation()
    )


_Matrix = tuple[float, float, float, float, float, float]
_SAME: Final[_Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def _objects(page: pdfium.PdfPage) -> Iterator[tuple[object, int, _Matrix]]:
    """Yield (object, its type, the matrix of the form that it stands in), at most ``_MAX_OBJECTS``."""
    left = _MAX_OBJECTS
    waiting = [(raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, page.raw, _SAME, 0)]
    while waiting:
        count, get, parent, matrix, depth = waiting.pop()
        for index in range(min(count(parent), left)):
            one = get(parent, index)
            kind = raw.FPDFPageObj_GetType(one)
            left -= 1
            if kind == raw.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
                waiting.append((raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, one, _product(one, matrix), depth + 1))
            elif kind != raw.FPDF_PAGEOBJ_FORM:
                yield one, kind, matrix


def _product(form: object, outer: _Matrix) -> _Matrix:
    own = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(form, ctypes.byref(own))
    a, b, c, d, e, f = outer
    return (
        own.a * a + own.b * c,
        own.a * b + own.b * d,
        own.c * a + own.d * c,
        own.c * b + own.d * d,
        own.e * a + own.f * c + e,
        own.e * b + own.f * d + f,
    )


def _box(one: object, matrix: _Matrix, place: Place) -> Box | None:
    sides = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(one, *map(ctypes.byref, sides)):
        return None
    left, bottom, right, top = (side.value for side in sides)
    a, b, c, d, e, f = matrix
    corners = [place(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(across), min(down), max(across), max(down))


def _count_rulings(path: object, box: Box, counts: Counter[str]) -> None:
    """Count straight edges: a rectangle's by its box, those of a path with more (a grid drawn at once) one by one."""
    segments = raw.FPDFPath_CountSegments(path)
    if box.height <= _THIN:
        counts["horizontal"] += box.width >= _SHORTEST_RULING
    elif box.width <= _THIN:
        counts["vertical"] += box.height >= _SHORTEST_RULING
    elif segments > _RECTANGLE:
        _count_edges(path, min(segments, _MOST_SEGMENTS), counts)
    elif box.width >= _SHORTEST_RULING:
        counts["horizontal"] += 2
        counts["vertical"] += 2


def _count_edges(path: object, segments: int, counts: Counter[str]) -> None:
    x, y = ctypes.c_float(), ctypes.c_float()
    last = (0.0, 0.0)
    for index in range(segments):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        across, down = abs(x.value - last[0]), abs(y.value - last[1])
        last = (x.value, y.value)
        if raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_LINETO:
            counts["horizontal"] += down < 1 and across >= _SHORTEST_RULING
            counts["vertical"] += across < 1 and down >= _SHORTEST_RULING


def _covered(boxes: list[Box], page: Box) -> float:
    """Return the share of the page's area under boxes."""
    if not boxes or page.area <= 0:
        return 0.0
    cells: set[tuple[int, int]] = set()
    for box in boxes:
        columns = range(max(round(box.x0 / page.width * _GRID), 0), min(round(box.x1 / page.width * _GRID), _GRID))
        rows = range(max(round(box.top / page.height * _GRID), 0), min(round(box.bottom / page.height * _GRID), _GRID))
        cells.update((column, row) for column in columns for row in rows)
    return len(cells) / _GRID**2
