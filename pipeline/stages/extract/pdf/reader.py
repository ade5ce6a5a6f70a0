"""A PDF's bytes in, the file read out: page by page by its text layer or by OCR, then furniture, tables and figures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

import pypdfium2 as pdfium
from PIL import Image

from pipeline.domain.errors import ClindexError, RecordError
from pipeline.domain.reading import PageOutcome, ReadFile, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.body import file_of
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.ocr.ink import has_ink
from pipeline.stages.extract.ocr.pool import OcrPool
from pipeline.stages.extract.pdf.agreement import READERS_DISAGREE, checked
from pipeline.stages.extract.pdf.cut import TEXT_CUT, may_be_cut, whole
from pipeline.stages.extract.pdf.decide import better, decide
from pipeline.stages.extract.pdf.evidence import evidence
from pipeline.stages.extract.pdf.furnish import MOST_PATHS, Drawn, Furnisher
from pipeline.stages.extract.pdf.open import FORM_FIELDS, SECOND_READER, check_pages, open_pdf
from pipeline.stages.extract.pdf.render import glance, render
from pipeline.stages.extract.pdf.second import read_second
from pipeline.stages.extract.pdf.text_layer import read_text_layer
from pipeline.stages.extract.pdf.undrawn import has_undrawn_image

Progress = Callable[[int, int], None]

#: Titles that programs set and nobody wrote: whole, by their beginning, and by their end.
_NO_TITLES: Final = frozenset({"untitled", "untitled document", "document", "document1", "powerpoint presentation", "slide 1"})
_NO_TITLE_STARTS: Final = ("microsoft word", "microsoft powerpoint")
_FILE_NAME_ENDS: Final = (".doc", ".docx", ".pdf", ".indd", ".ppt", ".pptx", ".qxd", ".rtf", ".tif")


def read_pdf(data: bytes, options: ReadOptions, progress: Progress) -> ReadFile:
    """Read a PDF. ``progress`` is told pages done and pages of the file.

    Raises:
        RecordError: ``ENCRYPTED``, ``DAMAGED_FILE``, ``NO_PAGES`` or ``TOO_MANY_PAGES``.
        ConfigurationError: A page needs OCR, and Tesseract is not installed.
    """
    with open_pdf(data) as opened:
        if opened.document is None:
            return file_of(read_second(data, options, progress, opens_empty=opened.opens_empty), notices=(SECOND_READER,))
        check_pages(len(opened.document), options)
        reader = _Pages(opened.document, options, progress, flattens=FORM_FIELDS in opened.notices)
        pages = reader.read()
        if all(page.failure is FailureCategory.PAGE_FAILED for page in pages):
            return file_of(read_second(data, options, progress, opens_empty=False), notices=(*opened.notices, SECOND_READER))
        pages, disagree = checked(data, pages, drawings=reader.drawings)
        pages, is_cut = whole(data, pages, reader.long)
        with Furnisher(opened.document, Drawn(reader.ruled, reader.pictured), options) as furnisher:
            file = file_of(pages, furnish=furnisher.furnish, notices=opened.notices, title=_title(opened.document))
            told = ([READERS_DISAGREE] if disagree else []) + ([TEXT_CUT] if is_cut else [])
            return replace(file, notices=(*file.notices, *told, *sorted(furnisher.notices)))


@dataclass(frozen=True, slots=True)
class _Scan:
    """A page for OCR: its text layer, its picture, and the picture's resolution."""

    layer: PageContent
    image: Image.Image = field(repr=False)
    dpi: int


class _Pages:
    """Reads the pages of one document. PDFium runs in this thread alone; OCR beside it, a few pages ahead at most."""

    def __init__(self, document: pdfium.PdfDocument, options: ReadOptions, progress: Progress, *, flattens: bool) -> None:
        self._document = document
        self._flattens = flattens
        self._options = options
        self._progress = progress
        self.ruled: set[int] = set()  # pages whose rulings may make a table
        self.pictured: set[int] = set()
        self.drawings: set[int] = set()  # pages with more paths than a table has
        self.long: set[int] = set()  # pages whose text PDFium may have cut
        self._pages: dict[int, PageContent] = {}
        self._waiting: dict[int, PageContent] = {}  # text layers of pages that OCR reads

    def read(self) -> list[PageContent]:
        """Return all pages in order."""
        count = len(self._document)
        with OcrPool(self._options) as pool:
            for number in range(1, count + 1):
                scan = self._read(number)
                if scan is not None:
                    self._waiting[number] = scan.layer
                    size = (scan.layer.width, scan.layer.height)
                    pool.submit(scan.image, number, width_pt=size[0], height_pt=size[1], dpi=scan.dpi)
                self._take(pool.finished())
                self._progress(len(self._pages), count)
            self._take(pool.rest())
            self._progress(count, count)
        return [self._pages[number] for number in range(1, count + 1)]

    def _read(self, number: int) -> _Scan | None:
        """Read a page by its text layer; return its picture where OCR has to read it."""
        try:
            page = self._load(number)
            try:
                return self._read_page(page, number)
            finally:
                page.close()
        except RecordError as error:
            self._pages[number] = _failed(number, FailureCategory(error.category))
        except (ClindexError, MemoryError):
            raise
        except Exception:  # noqa: BLE001 - whatever a broken page leads to; the other pages go on
            self._pages[number] = _failed(number, FailureCategory.PAGE_FAILED)
        return None

    def _load(self, number: int) -> pdfium.PdfPage:
        page = self._document[number - 1]
        if self._flattens:  # what stands in a form's fields becomes text of the page
            with suppress(pdfium.PdfiumError):  # the page is read without them
                page.flatten()
            page.close()
            page = self._document[number - 1]
        return page

    def _read_page(self, page: pdfium.PdfPage, number: int) -> _Scan | None:
        layer = read_text_layer(page, number)
        found = evidence(page)
        if found.paths > MOST_PATHS:
            self.drawings.add(number)
        elif found.may_have_table:
            self.ruled.add(number)
        if found.images:
            self.pictured.add(number)
        decision = decide(layer, found, lambda: has_ink(glance(page)))
        if decision.outcome is PageOutcome.BLANK and found.images and has_undrawn_image(page):
            raise RecordError(FailureCategory.PAGE_FAILED, "a picture on the page cannot be decoded")
        layer = replace(layer, outcome=decision.outcome, reason=decision.reason, has_redactions=bool(found.redactions))
        if decision.outcome is not PageOutcome.OCR:
            if may_be_cut(page, layer):
                self.long.add(number)
            self._pages[number] = layer
            return None
        try:
            image, dpi = render(page, self._options.dpi, self._options.max_page_pixels)
        except RecordError:
            if not layer.blocks:
                raise
            self._pages[number] = replace(layer, outcome=PageOutcome.TEXT_LAYER)
            return None
        return _Scan(layer, image, dpi)

    def _take(self, recognised: list[PageContent]) -> None:
        for page in recognised:
            layer = self._waiting.pop(page.number)
            page = replace(page, reason=layer.reason, has_redactions=layer.has_redactions)
            kept = better(layer, page)
            self._pages[page.number] = replace(kept, outcome=PageOutcome.TEXT_LAYER) if kept is layer else kept


def _failed(number: int, why: FailureCategory) -> PageContent:
    return PageContent(number, 0.0, 0.0, PageOutcome.FAILED, failure=why)


def _title(document: pdfium.PdfDocument) -> str:
    """Return the title of the document's properties, or nothing where a program wrote it."""
    title = " ".join(document.get_metadata_value("Title").split())
    lower = title.lower()
    is_given = lower in _NO_TITLES or lower.startswith(_NO_TITLE_STARTS) or lower.endswith(_FILE_NAME_ENDS)
    return "" if is_given else title
