"""A page in, what speaks for OCR, for a table, and for redactions out; without reading its text. About 1 ms a page."""

from __future__ import annotations

import ctypes
from collections import Counter
from dataclasses import dataclass
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.pdf.frames import shown
from pipeline.stages.extract.pdf.objects import Matrix, bounds_of, objects, product
from pipeline.stages.extract.pdf.redactions import Redactions, is_light

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
    for one, kind, matrix in objects(page):
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            counts["text"] += 1
            counts["hidden"] += raw.FPDFTextObj_GetTextRenderMode(one) == _HIDDEN
            if redactions.boxes and is_light(one) and (box := bounds_of(one, matrix, place)):
                redactions.show(one, box)
            continue
        box = bounds_of(one, matrix, place)
        if box is None:
            continue
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(box)
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            counts["paths"] += 1
            _count_rulings(one, box, matrix, counts)
            redactions.add(one, box)
    share = _covered(images, Box(0, 0, width, height))
    hidden = counts["hidden"] / counts["text"] if counts["text"] else 0.0
    return Evidence(
        share, len(images), counts["horizontal"], counts["vertical"], counts["paths"], tuple(redactions.boxes), hidden, page.get_rotation()
    )


def _count_rulings(path: object, box: Box, matrix: Matrix, counts: Counter[str]) -> None:
    """Count straight edges: a rectangle's by its box, those of a path with more (a grid drawn at once) one by one."""
    segments = raw.FPDFPath_CountSegments(path)
    if box.height <= _THIN:
        counts["horizontal"] += box.width >= _SHORTEST_RULING
    elif box.width <= _THIN:
        counts["vertical"] += box.height >= _SHORTEST_RULING
    elif segments > _RECTANGLE:
        _count_edges(path, min(segments, _MOST_SEGMENTS), product(path, matrix), counts)
    elif box.width >= _SHORTEST_RULING:
        counts["horizontal"] += 2
        counts["vertical"] += 2


def _count_edges(path: object, segments: int, matrix: Matrix, counts: Counter[str]) -> None:
    x, y = ctypes.c_float(), ctypes.c_float()
    a, b, c, d, e, f = matrix
    last = (0.0, 0.0)
    for index in range(segments):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = (a * x.value + c * y.value + e, b * x.value + d * y.value + f)
        across, down = abs(point[0] - last[0]), abs(point[1] - last[1])
        last = point
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
