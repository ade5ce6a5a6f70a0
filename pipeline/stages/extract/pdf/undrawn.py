"""A page in, whether it holds a picture that PDFium cannot decode out: it draws nothing there, and the page looks blank without being so."""

from __future__ import annotations

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.pdf.objects import objects


def has_undrawn_image(page: pdfium.PdfPage) -> bool:
    """Return whether a picture of the page cannot be decoded (a damaged JPEG 2000 stream, pixels beyond bounds)."""
    return any(kind == raw.FPDF_PAGEOBJ_IMAGE and not _is_drawn(one) for one, kind, _ in objects(page))


def _is_drawn(image: object) -> bool:
    bitmap = raw.FPDFImageObj_GetBitmap(image)
    if not bitmap:
        return False
    raw.FPDFBitmap_Destroy(bitmap)
    return True
