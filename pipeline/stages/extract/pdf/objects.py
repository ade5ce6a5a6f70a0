"""The objects of a page, those inside forms among them, with the matrix that puts each on the page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.pdf.frames import Place

_MAX_OBJECTS: Final = 20_000  # a drawing with more is a map or a chart; what was seen by then decides
_MAX_DEPTH: Final = 4  # of forms in forms

Matrix = tuple[float, float, float, float, float, float]
_SAME: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def objects(page: pdfium.PdfPage) -> Iterator[tuple[object, int, Matrix]]:
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
                waiting.append((raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, one, product(one, matrix), depth + 1))
            elif kind != raw.FPDF_PAGEOBJ_FORM:
                yield one, kind, matrix


def product(one: object, outer: Matrix) -> Matrix:
    """Return the matrix that puts what an object holds on the page. ``outer``: that of the form that it stands in."""
    own = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(one, ctypes.byref(own))
    a, b, c, d, e, f = outer
    return (
        own.a * a + own.b * c,
        own.a * b + own.b * d,
        own.c * a + own.d * c,
        own.c * b + own.d * d,
        own.e * a + own.f * c + e,
        own.e * b + own.f * d + f,
    )


def bounds_of(one: object, matrix: Matrix, place: Place) -> Box | None:
    """Return the box of an object in points of the page as displayed, nothing where it has none. ``matrix``: of the form it stands in."""
    sides = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(one, *map(ctypes.byref, sides)):
        return None
    left, bottom, right, top = (side.value for side in sides)
    a, b, c, d, e, f = matrix
    corners = [place(a * x + c * y + e, b * x + d * y + f) for x in (left, right) for y in (bottom, top)]
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(across), min(down), max(across), max(down))
