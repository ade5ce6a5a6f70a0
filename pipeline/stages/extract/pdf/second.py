"""The second reader: a PDF that PDFium does not open in, its pages as pdfplumber reads them out. Nothing can be rendered, so nothing by OCR."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import PageOutcome, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Word
from pipeline.stages.extract.pdf.open import check_pages
from pipeline.stages.extract.pdf.quality import is_garbage
from pipeline.stages.extract.tables.cells import bounds, text_lines
from pipeline.stages.extract.tables.drawing import read_drawing
from pipeline.stages.extract.tables.find import find_tables
from pipeline.stages.extract.tables.place import place_tables

if TYPE_CHECKING:
    from pdfplumber.page import Page

_PARAGRAPH_GAP = 0.6  # of a line's height: single spacing leaves 0.2, a blank line 1.2


def read_second(data: bytes, options: ReadOptions, progress: Callable[[int, int], None], *, opens_empty: bool) -> list[PageContent]:
    """Return the pages of a file that PDFium cannot open. ``opens_empty``: it found no error, but no page either.

    Raises:
        RecordError: ``ENCRYPTED``, ``DAMAGED_FILE``, ``NO_PAGES`` or ``TOO_MANY_PAGES``.
    """
    try:
        document = pdfplumber.open(io.BytesIO(data), password="")
        count = len(document.pages)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - pdfminer raises whatever a broken file leads to, and quotes it
        raise _failure(error) from None
    if not count and not opens_empty:
        raise RecordError(FailureCategory.DAMAGED_FILE, "no reader opens the file")
    check_pages(count, options)
    pages = []
    for number, page in enumerate(document.pages, start=1):
        pages.append(read_second_page(page, number))
        page.close()
        progress(number, count)
    return pages


def _failure(error: Exception) -> RecordError:
    if any(isinstance(one, PDFPasswordIncorrect) for one in (error, *error.args)):
        return RecordError(FailureCategory.ENCRYPTED, "the file is encrypted, and the empty password does not open it")
    return RecordError(FailureCategory.DAMAGED_FILE, "no reader opens the file")


def read_second_page(page: Page, number: int) -> PageContent:
    """Return a page as pdfplumber reads it; the caller closes it."""
    try:
        width, height = float(page.width), float(page.height)
        found = page.extract_words()
        words = [Word(one["text"], Box(one["x0"], one["top"], one["x1"], one["bottom"])) for one in found]
        drawing = read_drawing(page)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - as above; the other pages go on
        return PageContent(number, 0.0, 0.0, PageOutcome.FAILED, failure=FailureCategory.PAGE_FAILED)
    text = " ".join(word.text for word in words)
    if is_garbage(text):
        return PageContent(number, width, height, PageOutcome.FAILED, failure=FailureCategory.PAGE_FAILED)
    characters = sum(len("".join(word.text.split())) for word in words)
    outcome = PageOutcome.TEXT_LAYER if words else PageOutcome.BLANK
    content = PageContent(number, width, height, outcome, tuple(_blocks(text_lines(words))), characters=characters)
    return place_tables(content, find_tables(content, drawing)) if drawing.grids else content


def _blocks(lines: list[Line]) -> list[Block]:
    groups: list[list[Line]] = []
    for line in lines:
        if groups and line.box.top - groups[-1][-1].box.bottom <= _PARAGRAPH_GAP * line.box.height:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Block(BlockKind.PARAGRAPH, bounds(line.box for line in group), tuple(group)) for group in groups]
