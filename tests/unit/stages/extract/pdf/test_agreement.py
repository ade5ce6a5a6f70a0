"""PDFium's reading of a page held against pdfplumber's."""

from __future__ import annotations

import io
from dataclasses import replace

import pypdfium2 as pdfium
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Block, Line, PageContent, Word
from pipeline.stages.extract.pdf.agreement import checked
from pipeline.stages.extract.pdf.decide import text_of
from pipeline.stages.extract.pdf.text_layer import read_text_layer

SENTENCE = "The nurse gives the first dose of the medicine in the morning and watches the patient for an hour."


def _file(pages: int = 1) -> tuple[bytes, list[PageContent]]:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    for _ in range(pages):
        for line in range(6):
            canvas.drawString(60, 780 - 14 * line, SENTENCE)
        canvas.showPage()
    canvas.save()
    document = pdfium.PdfDocument(buffer.getvalue())
    try:
        read = [read_text_layer(document[number], number + 1) for number in range(pages)]
    finally:
        document.close()
    return buffer.getvalue(), [replace(page, outcome=PageOutcome.TEXT_LAYER) for page in read]


def _shifted(page: PageContent) -> PageContent:
    """Return a page whose letters are the next ones in the alphabet, as a wrong encoding gives them."""

    def line(one: Line) -> Line:
        return replace(one, words=tuple(Word("".join(chr(ord(sign) + 13) for sign in word.text), word.box) for word in one.words))

    blocks: tuple[Block, ...] = tuple(replace(block, lines=tuple(line(one) for one in block.lines)) for block in page.blocks)
    return replace(page, blocks=blocks)


def test_readings_that_agree_stay_as_they_are() -> None:
    data, pages = _file()
    assert checked(data, pages) == (pages, False)


def test_of_readings_that_disagree_the_one_with_known_words_is_kept() -> None:
    data, pages = _file()
    kept, disagree = checked(data, [_shifted(pages[0])])
    assert disagree
    assert text_of(kept[0]) == text_of(pages[0])


def test_a_reading_that_lost_lines_is_told_but_kept_where_the_other_has_no_better_words() -> None:
    data, pages = _file()
    block = pages[0].blocks[0]
    lost = replace(pages[0], blocks=(replace(block, lines=block.lines[:3]), *pages[0].blocks[1:]))
    kept, disagree = checked(data, [lost])
    assert disagree
    assert kept == [lost]


@pytest.mark.parametrize("outcome", [PageOutcome.OCR, PageOutcome.BLANK, PageOutcome.FAILED])
def test_pages_without_a_text_layer_are_not_compared(outcome: PageOutcome) -> None:
    data, pages = _file()
    page = replace(_shifted(pages[0]), outcome=outcome)
    assert checked(data, [page]) == ([page], False)


def test_a_page_that_is_a_drawing_is_not_compared() -> None:
    data, pages = _file()
    page = _shifted(pages[0])
    assert checked(data, [page], drawings={1}) == ([page], False)


def test_the_first_and_the_last_page_of_a_longer_file_are_compared() -> None:
    data, pages = _file(12)
    for index in (0, 11):
        changed = [_shifted(page) if number == index else page for number, page in enumerate(pages)]
        assert checked(data, changed)[1]


def test_a_file_that_pdfplumber_cannot_read_proves_nothing() -> None:
    _, pages = _file()
    assert checked(b"%PDF-1.7 no more", pages) == (pages, False)
