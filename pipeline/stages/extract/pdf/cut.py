"""Pages with text objects so long that PDFium may have cut them in; out: the pages, pdfplumber's reading where it has more.

PDFium ends a string of a page's content at 32,767 bytes without an error: 32,767 signs, or 16,384 of two bytes each (seen with pypdfium2 5).
No program that sets lines of text writes such strings; some converters write a page as one.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

import pdfplumber
import pypdfium2 as pdfium

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.pdf.glyphs import objects_of_signs
from pipeline.stages.extract.pdf.second import read_second_page

TEXT_CUT: Final = "text_cut"

_LONG: Final = 16_384  # signs of one object
_LEAST: Final = 10_000  # signs of a page, blanks left out: below, no object on it is long


def may_be_cut(page: pdfium.PdfPage, content: PageContent) -> bool:
    """Whether a page has a text object whose end PDFium may have left out."""
    if content.characters < _LEAST:
        return False
    text_page = page.get_textpage()
    try:
        return any(sum(1 for _ in signs) >= _LONG for address, signs in groupby(objects_of_signs(text_page.raw)) if address)
    finally:
        text_page.close()


def whole(data: bytes, pages: Sequence[PageContent], numbers: Collection[int]) -> tuple[list[PageContent], bool]:
    """Return the pages, and whether text of one of ``numbers`` was cut, or may have been: its end is there where pdfplumber reads it."""
    kept, is_cut = list(pages), False
    if not numbers:
        return kept, is_cut
    try:
        with pdfplumber.open(io.BytesIO(data), pages=sorted(numbers), password="") as document:
            for number, page in zip(sorted(numbers), document.pages, strict=True):
                first, second = kept[number - 1], read_second_page(page, number)
                page.close()
                if second.characters > first.characters:
                    is_cut = True
                    kept[number - 1] = replace(second, has_redactions=first.has_redactions, rotation=first.rotation)
                is_cut = is_cut or second.outcome is not PageOutcome.TEXT_LAYER
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - pdfminer raises whatever a broken file leads to, and quotes it; nothing is known then
        return kept, True
    return kept, is_cut
