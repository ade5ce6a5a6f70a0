"""Strings longer than PDFium takes: their end is read all the same, or its loss is told."""

import io

import pypdfium2 as pdfium
import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from pipeline.domain.reading import ReadFile, ReadOptions
from pipeline.stages.extract.pdf.cut import TEXT_CUT, may_be_cut, whole
from pipeline.stages.extract.pdf.reader import read_pdf
from pipeline.stages.extract.pdf.text_layer import read_text_layer

MOST = 32_767  # bytes of a string that PDFium takes


def one_string(text: str, font: str = "Helvetica") -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.setFont(font, 1)
    canvas.drawString(10, 700, text)
    canvas.showPage()
    canvas.drawString(60, 700, "Another page.")
    canvas.save()
    return buffer.getvalue()


def read(data: bytes) -> ReadFile:
    return read_pdf(data, ReadOptions(ocr_workers=1), lambda *_: None)


def sentence(length: int) -> str:
    end = " Hold the last dose."
    return ("Fluids were given early again. " * (length // 30))[: length - len(end)] + end


def test_the_end_of_a_string_that_pdfium_cuts_is_read() -> None:
    file = read(one_string(sentence(MOST + 1000)))
    assert "Hold the last dose." in file.text
    assert file.text.endswith("Another page.")
    assert TEXT_CUT in file.notices
    assert [page.unexplained for page in file.pages] == [0, 0]


def test_so_is_one_of_signs_of_two_bytes() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    file = read(one_string("薬の量は" * 5000 + "終", "HeiseiMin-W3"))
    assert TEXT_CUT in file.notices


def test_a_string_that_just_fits_is_whole_and_nothing_is_told() -> None:
    file = read(one_string(sentence(MOST)))
    assert "Hold the last dose." in file.text
    assert TEXT_CUT not in file.notices


@pytest.mark.parametrize(("length", "expected"), [(2_000, False), (16_000, False), (17_000, True)])
def test_only_pages_with_a_long_string_are_read_twice(length: int, expected: bool) -> None:
    page = pdfium.PdfDocument(one_string(sentence(length)))[0]
    assert may_be_cut(page, read_text_layer(page, 1)) is expected


def test_where_pdfplumber_cannot_read_the_file_a_loss_is_told_as_possible() -> None:
    page = read_text_layer(pdfium.PdfDocument(one_string(sentence(MOST + 1)))[0], 1)
    assert whole(b"%PDF-1.7 no more", [page], {1}) == ([page], True)
    assert whole(b"%PDF-1.7 no more", [page], set()) == ([page], False)
