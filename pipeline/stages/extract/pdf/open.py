"""A PDF's bytes in, an opened document out: by PDFium, without a password or with the empty one.

Where PDFium cannot, pdfplumber may (``second``): of 258 files that were measured, one of the two alone failed on eight. Messages of both
libraries are never passed on: pdfminer's quote the document, and PDFium's may say "Success".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import ReadOptions
from pipeline.domain.vocabulary import FailureCategory

ENCRYPTED = "encrypted"
REPAIRED = "repaired"
SECOND_READER = "second_reader"
FORM_FIELDS = "form_fields"

_TAIL = 1024  # bytes in which the end-of-file marker may stand (ISO 32000-1, annex H.3.4.4)


@dataclass(frozen=True, slots=True)
class Opened:
    """An open document and the names of what is worth a line in the report; ``None``: PDFium cannot open it."""

    document: pdfium.PdfDocument | None
    notices: tuple[str, ...] = ()
    opens_empty: bool = False  # PDFium reports no error and no page


@contextmanager
def open_pdf(data: bytes) -> Iterator[Opened]:
    """Open a PDF for as long as the block runs.

    Raises:
        RecordError: ``ENCRYPTED``: the empty password does not open it.
    """
    document, error = _load(data)
    if document is None:
        yield Opened(None, opens_empty=error == raw.FPDF_ERR_SUCCESS)
        return
    try:
        yield Opened(document, _notices(document, data))
    finally:
        document.close()


def check_pages(count: int, options: ReadOptions) -> None:
    """Refuse a file with no pages or too many.

    Raises:
        RecordError: ``NO_PAGES`` or ``TOO_MANY_PAGES``.
    """
    if count < 1:
        raise RecordError(FailureCategory.NO_PAGES, "the file has no pages")
    if count > options.max_pages:
        raise RecordError(FailureCategory.TOO_MANY_PAGES, f"the file has {count} pages; {options.max_pages} are read")


def _load(data: bytes) -> tuple[pdfium.PdfDocument | None, int | None]:
    error: int | None = None
    for password in (None, ""):
        try:
            document = pdfium.PdfDocument(data, password=password)
        except pdfium.PdfiumError as failure:
            error = failure.err_code
        else:
            document.init_forms()
            return document, None
    if error == raw.FPDF_ERR_PASSWORD:
        raise RecordError(FailureCategory.ENCRYPTED, "the file is encrypted, and the empty password does not open it")
    return None, error


def _notices(document: pdfium.PdfDocument, data: bytes) -> tuple[str, ...]:
    notices = []
    if raw.FPDF_GetSecurityHandlerRevision(document) != -1:
        notices.append(ENCRYPTED)
    if b"%%EOF" not in data[-_TAIL:] or b"startxref" not in data[-_TAIL:]:
        notices.append(REPAIRED)
    if document.formenv is not None:
        notices.append(FORM_FIELDS)
    return tuple(notices)
