"""A PDF page in, the places of its images out, forms taken apart; and which images are on many pages of a document."""

from __future__ import annotations

import ctypes
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.pdf.frames import shown

_MOST_IMAGES: Final = 1_000  # a page with more is a map or a texture
_DEEPEST: Final = 5  # of forms in forms
_REPEATED: Final = 3  # pages that a logo is on; a file of fewer has to have it on each
_MOST_BYTES: Final = 32 * 1024 * 1024  # of one image's stream: a larger one is a scan, no logo


@dataclass(frozen=True, slots=True)
class PageImage:
    """An image of a page. ``key``: of its bytes, the same wherever it is shown. ``width``, ``height``: its own pixels."""

    box: Box
    key: str
    width: int
    height: int


def page_images(page: pdfium.PdfPage) -> list[PageImage]:
    """Return the images that are shown on a page, in the order they are drawn in, at most 1,000. Boxes end at the page's edges."""
    found = []
    width, height = page.get_size()
    place = shown(page)
    for one in _objects(page):
        try:
            left, bottom, right, top = one.get_bounds()
            form = one.container
            while form is not None:
                left, bottom, right, top = form.get_matrix().on_rect(left, bottom, right, top)
                form = form.container
            pixels = one.get_px_size()
        except pdfium.PdfiumError:
            continue  # an image without a place is not shown
        (x0, y0), (x1, y1) = place(left, top), place(right, bottom)
        box = Box(max(min(x0, x1), 0.0), max(min(y0, y1), 0.0), min(max(x0, x1), width), min(max(y0, y1), height))
        if box.width > 0 and box.height > 0:
            found.append(PageImage(box, _key(one), *pixels))
    return found


def repeated_images(document: pdfium.PdfDocument) -> frozenset[str]:
    """Return the keys of images that are on at least three pages, or on every page of a file of two."""
    pages: Counter[str] = Counter()
    for index in range(len(document)):
        try:
            page = document[index]
        except pdfium.PdfiumError:
            continue  # a broken page is reported by who reads it
        try:
            pages.update({_key(one) for one in _objects(page)})
        finally:
            page.close()
    return frozenset(key for key, count in pages.items() if count >= _REPEATED or count == len(document) > 1)


def _objects(page: pdfium.PdfPage) -> Iterator[pdfium.PdfImage]:
    count = 0
    for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST):
        if isinstance(one, pdfium.PdfImage):
            yield one
            count += 1
        if count == _MOST_IMAGES:
            return


def _key(image: pdfium.PdfImage) -> str:
    """Return a digest of an image's stream; of a very large one, of its size."""
    size = raw.FPDFImageObj_GetImageDataRaw(image, None, 0)
    if size > _MOST_BYTES:
        return f"large {size}"
    buffer = (ctypes.c_ubyte * size)()
    raw.FPDFImageObj_GetImageDataRaw(image, buffer, size)
    return hashlib.sha256(buffer).hexdigest()
