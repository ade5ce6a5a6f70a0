"""Objects of a page in the order in which they are drawn in; boxes that a publisher blacked text out with out.

A black bar with light text on it is a heading; one with nothing on it, or only with a redactor's label, hides what stood there.
"""

from __future__ import annotations

import ctypes
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.content import Box

_SMALLEST: Final = (10.0, 5.0)  # points: the smallest box that hides a word
_LARGEST: Final = 0.5  # of the page: a larger one is a background
_DARK: Final = 40  # of 255, of each colour
_LIGHT: Final = 128  # of 255, of the brightest colour
_OPAQUE: Final = 200
_RECTANGLE: Final = 6  # segments: a path with more is a drawing
_COVERS: Final = 0.5  # of a text's area: the text is written on the box
_LABELS: Final = frozenset(
    {"CCI", "PPD", "(B)(4)", "(B)(6)", "REDACTED", "COMPANYCONFIDENTIALINFORMATION"}
)  # of registries' and agencies' redactors
_LONGEST_LABEL: Final = 80  # bytes of UTF-16


class Redactions:
    """Collects black boxes. ``boxes``: those that hide text, as far as the page has been seen."""

    def __init__(self, page: pdfium.PdfPage, page_area: float) -> None:
        """``page_area``: square points."""
        self.boxes: list[Box] = []
        self._page = page
        self._largest = _LARGEST * page_area

    def add(self, path: object, box: Box) -> None:
        """Take a drawn path."""
        is_box = _SMALLEST[0] <= box.width and _SMALLEST[1] <= box.height and box.area < self._largest
        if is_box and raw.FPDFPath_CountSegments(path) <= _RECTANGLE and _is_black(path):
            self.boxes.append(box)

    def show(self, text: object, box: Box) -> None:
        """Take a light text that is drawn after the boxes: those under it are bars, unless it is a redactor's label."""
        under = [one for one in self.boxes if one.overlap(box) > _COVERS * box.area]
        if under and self._text(text) not in _LABELS:
            self.boxes = [one for one in self.boxes if one not in under]

    def _text(self, text: object) -> str:
        text_page = self._page.get_textpage()
        buffer = (ctypes.c_ushort * (_LONGEST_LABEL // 2))()
        length = raw.FPDFTextObj_GetText(text, text_page.raw, buffer, _LONGEST_LABEL)
        text_page.close()
        if not 0 < length <= _LONGEST_LABEL:
            return ""
        return "".join(bytes(buffer)[: length - 2].decode("utf-16-le", "replace").split()).upper()


def is_light(text: object) -> bool:
    """Whether a text is drawn in a colour that shows on black."""
    colour = _colour(text)
    return colour is not None and max(colour[:3]) >= _LIGHT


def _is_black(path: object) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
    colour = _colour(path) if fill.value else None
    return colour is not None and max(colour[:3]) <= _DARK and colour[3] >= _OPAQUE


def _colour(one: object) -> tuple[int, int, int, int] | None:
    parts = [ctypes.c_uint() for _ in range(4)]
    if not raw.FPDFPageObj_GetFillColor(one, *map(ctypes.byref, parts)):
        return None
    red, green, blue, opacity = (part.value for part in parts)
    return red, green, blue, opacity
