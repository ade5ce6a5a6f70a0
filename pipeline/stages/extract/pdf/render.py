"""A PDF page in, its picture out: grey, at the resolution asked for, or at the highest that stays within the bound of pixels."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, Final

from pipeline.domain.errors import RecordError
from pipeline.domain.vocabulary import FailureCategory

if TYPE_CHECKING:
    import pypdfium2 as pdfium
    from PIL import Image

POINTS: Final = 72  # an inch
_GLANCE_DPI: Final = 72  # to see whether there is ink: a full stop of 6 points has a dot of grey
_GLANCE_PIXELS: Final = 4_000_000
_LEAST_DPI: Final = 50  # below it no line of print can be read, however large its page


def render(page: pdfium.PdfPage, dpi: int, most_pixels: int) -> tuple[Image.Image, int]:
    """Return the picture of a page as it is displayed, and its resolution.

    Raises:
        RecordError: ``PAGE_TOO_LARGE``: within the bound its print could not be read.
    """
    fitting = _fitting(page, dpi, most_pixels)
    if fitting < _LEAST_DPI:
        raise RecordError(FailureCategory.PAGE_TOO_LARGE, "the page is too large to be rendered")
    return _picture(page, fitting), fitting


def glance(page: pdfium.PdfPage) -> Image.Image:
    """Return a small picture of a page, good enough to see whether anything stands on it.

    Raises:
        RecordError: ``PAGE_TOO_LARGE``.
    """
    fitting = _fitting(page, _GLANCE_DPI, _GLANCE_PIXELS)
    if fitting < 1:
        raise RecordError(FailureCategory.PAGE_TOO_LARGE, "the page is too large to be rendered")
    return _picture(page, fitting)


def _fitting(page: pdfium.PdfPage, dpi: int, most_pixels: int) -> int:
    width, height = (max(side, 1.0) for side in page.get_size())
    most = POINTS * sqrt(most_pixels / (width * height))
    longest = POINTS * most_pixels / max(width, height)  # a strip that is rounded up to one pixel's breadth
    return int(min(dpi, most, longest))


def _picture(page: pdfium.PdfPage, dpi: int) -> Image.Image:
    width, height = page.get_size()
    scale = max(dpi / POINTS, 1 / max(min(width, height), 1 / POINTS))  # no side of less than a pixel
    if ceil(width * scale) < 1 or ceil(height * scale) < 1:
        raise RecordError(FailureCategory.PAGE_FAILED, "the page has no size")
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        image: Image.Image = bitmap.to_pil().copy()  # the bitmap's memory is PDFium's
    finally:
        bitmap.close()
    return image
