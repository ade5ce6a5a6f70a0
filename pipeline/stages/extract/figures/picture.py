"""A place on a page in, its picture as it is shown out: what covers an image, a black box of the publisher too, stays on it."""

from __future__ import annotations

import io
from math import sqrt
from typing import Final

import numpy as np
import pypdfium2 as pdfium
from PIL import Image

from pipeline.stages.extract.content import Box

MOST_PIXELS: Final = 4_000_000  # a figure over a whole page at 200 dpi; 12 MB while it is held
_LEAST_DPI: Final = 72
_MOST_DPI: Final = 300  # what OCR is trained for; more only costs
_POINTS: Final = 72
_SAMPLE: Final = (
    256  # pixels a side of the sample that is looked at: a line of a point in a picture of half a page keeps a fifth of its black
)
_EDGE: Final = 8  # of them at each side: a frame is no drawing
_LEAST_SHADE: Final = 24  # of 255: what differs less is seen as one shade


def picture_of(page: pdfium.PdfPage, box: Box, pixels: tuple[int, int]) -> tuple[Image.Image, int]:
    """Return what a page shows in a box (page as displayed), and its resolution.

    ``pixels``: the image's own; it is rendered at about as many, at most ``MOST_PIXELS``.
    """
    width, height = page.get_size()
    own = _POINTS * max(pixels[0] / box.width, pixels[1] / box.height)
    most = _POINTS * sqrt(MOST_PIXELS / (box.width * box.height))
    dpi = max(int(min(max(own, _LEAST_DPI), _MOST_DPI, most)), 1)
    crop = (box.x0, height - box.bottom, width - box.x1, box.top)
    bitmap = page.render(scale=dpi / _POINTS, crop=tuple(max(side, 0.0) for side in crop))
    try:
        return bitmap.to_pil().convert("RGB"), dpi
    finally:
        bitmap.close()


def png_of(image: Image.Image) -> bytes:
    """Return an image as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def is_plain(image: Image.Image) -> bool:
    """Whether a picture shows nothing: one shade, bands, or a gradient. What varies in both directions is a drawing, however little of it there is."""
    sample = np.asarray(image.convert("L").resize((_SAMPLE, _SAMPLE), Image.Resampling.BOX), dtype=np.int16)[_EDGE:-_EDGE, _EDGE:-_EDGE]
    return bool(np.ptp(sample, axis=0).max() < _LEAST_SHADE or np.ptp(sample, axis=1).max() < _LEAST_SHADE)
