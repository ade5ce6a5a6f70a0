"""PDFs whole: what stands in forms, on turned sheets, beside pictures; what only the second reader opens."""

import io
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pipeline.domain.errors import RecordError
from pipeline.domain.marks import MarkKind, of_kind
from pipeline.domain.reading import OcrReason, PageOutcome, ReadFile, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.pdf.reader import read_pdf
from pipeline.stages.extract.pdf.second import read_second

OPTIONS = ReadOptions(ocr_workers=1)
SENTENCE = "Fluids were given early, and lactate was measured again after two hours."


def read(canvas: Canvas, buffer: io.BytesIO) -> ReadFile:
    canvas.save()
    return read_pdf(buffer.getvalue(), OPTIONS, lambda *_: None)


def sheet_of_text() -> Image.Image:
    sheet = Image.new("L", (1500, 1500), 255)
    for row in range(16):
        ImageDraw.Draw(sheet).text((60, 80 + 80 * row), SENTENCE, fill=0, font_size=36)
    return sheet


def test_what_stands_in_the_fields_of_a_form_is_text() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(72, 500, "Dose given:")
    canvas.acroForm.textfield(name="dose", value="Amoxil 250 mg", x=160, y=490, width=200, height=20)
    file = read(canvas, buffer)
    assert "Amoxil 250 mg" in file.text
    assert "form_fields" in file.notices
    assert file.pages[0].unexplained == 0


def test_a_picture_under_a_running_header_is_read_by_ocr() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for number in (1, 2):
        canvas.drawString(72, 800, "KX-11 v2")
        if number == 1:
            canvas.drawString(72, 500, SENTENCE * 2)
        else:
            canvas.drawImage(ImageReader(sheet_of_text()), 40, 150, 520, 520)
        canvas.showPage()
    file = read(canvas, buffer)
    assert [(page.outcome, page.reason) for page in file.pages] == [
        (PageOutcome.TEXT_LAYER, None),
        (PageOutcome.OCR, OcrReason.SPARSE),
    ]
    assert file.text.count("lactate was measured again") == 18
    words = of_kind(file.marks, MarkKind.WORD)
    assert words
    assert all(word.start >= of_kind(file.marks, MarkKind.PAGE)[1].start for word in words)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("Documentation of Burns", "Documentation of Burns"),
        ("Microsoft Word - burns_v3.doc", ""),
        ("burns_v3.docx", ""),
        ("Untitled", ""),
        ("", ""),
    ],
)
def test_a_title_of_the_properties_counts_unless_a_program_wrote_it(stated: str, expected: str) -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.setTitle(stated)
    canvas.drawString(72, 500, SENTENCE)
    assert read(canvas, buffer).title == expected


def test_a_blank_page_between_others_is_no_failure() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for number in range(3):
        if number != 1:
            canvas.drawString(72, 500, SENTENCE)
        canvas.showPage()
    file = read(canvas, buffer)
    assert [page.outcome for page in file.pages] == [PageOutcome.TEXT_LAYER, PageOutcome.BLANK, PageOutcome.TEXT_LAYER]


def test_a_table_and_the_text_around_it_are_in_one_text() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(72, 700, "Doses were given as follows.")
    rows = [("Drug", "Dose", "Route"), ("Amoxil", "250 mg", "oral"), ("Zinc", "20 mg", "oral")]
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            canvas.rect(72 + 120 * column, 600 - 20 * row, 120, 20)
            canvas.drawString(78 + 120 * column, 606 - 20 * row, text)
    canvas.drawString(72, 500, "All doses were taken.")
    file = read(canvas, buffer)
    assert file.text.split("\n\n") == [
        "Doses were given as follows.",
        "Drug; Dose; Route\nDrug: Amoxil; Dose: 250 mg; Route: oral\nDrug: Zinc; Dose: 20 mg; Route: oral",
        "All doses were taken.",
    ]
    assert (file.pages[0].tables, file.pages[0].unexplained) == (1, 0)


def test_the_second_reader_opens_what_pdfium_does_not(shared_data: Path) -> None:
    data = (shared_data / "data" / "pdf" / "sample-files__unreadablemetadata.pdf").read_bytes()
    file = read_pdf(data, OPTIONS, lambda *_: None)
    assert file.notices == ("second_reader",)
    assert len(file.pages) == 1


def test_the_second_reader_reads_paragraphs_in_order() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for row, text in enumerate(("Fluids were given", "early.", "", "Lactate was measured.")):
        canvas.drawString(72, 700 - 14 * row, text)
    canvas.save()
    pages = read_second(buffer.getvalue(), OPTIONS, lambda *_: None, opens_empty=False)
    assert [[line.text for line in block.lines] for block in pages[0].blocks] == [
        ["Fluids were given", "early."],
        ["Lactate was measured."],
    ]
    assert pages[0].characters == len("Fluidsweregivenearly.Lactatewasmeasured.")


def test_a_page_whose_picture_cannot_be_decoded_has_failed_and_is_not_blank() -> None:
    damaged = b"damaged" * 40
    image = b"<</Type/XObject/Subtype/Image/Width 900/Height 900/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JPXDecode"
    pieces = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 3/Kids[3 0 R 4 0 R 8 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 5 0 R>>>>/Contents 6 0 R>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</X 7 0 R>>>>/Contents 9 0 R>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        stream(b"<<", f"BT /F 11 Tf 72 700 Td ({SENTENCE}) Tj ET".encode()),
        stream(image, damaged),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>",
        stream(b"<<", b"q 612 0 0 792 0 0 cm /X Do Q"),
    ]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, piece) for number, piece in enumerate(pieces, start=1))
    file = read_pdf(b"%PDF-1.7\n" + body + b"trailer<</Root 1 0 R/Size 10>>\n%%EOF", OPTIONS, lambda *_: None)
    assert [(page.outcome, page.failure) for page in file.pages] == [
        (PageOutcome.TEXT_LAYER, None),
        (PageOutcome.FAILED, FailureCategory.PAGE_FAILED),
        (PageOutcome.BLANK, None),
    ]


def stream(dictionary: bytes, content: bytes) -> bytes:
    return b"%s/Length %d>>stream\n%s\nendstream" % (dictionary, len(content), content)


@pytest.mark.parametrize("data", [b"%PDF-1.4\nbroken", b"oops"])
def test_what_no_reader_opens_is_damaged_and_not_quoted(data: bytes) -> None:
    with pytest.raises(RecordError) as failure:
        read_pdf(data, OPTIONS, lambda *_: None)
    assert failure.value.category == FailureCategory.DAMAGED_FILE
    assert failure.value.__cause__ is None
    assert failure.value.__suppress_context__
    assert "oops" not in str(failure.value)
