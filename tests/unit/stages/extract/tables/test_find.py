"""Tables found on pages: those that we wrote, cell by cell, and what only looks like one."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace

import pdfplumber
import pypdfium2 as pdfium
import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph
from reportlab.platypus import Table as DrawnTable

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Box, Line, PageContent, Table, Word
from pipeline.stages.extract.pdf.drawn import read_drawn
from pipeline.stages.extract.pdf.text_layer import read_text_layer
from pipeline.stages.extract.tables.drawing import read_drawing
from pipeline.stages.extract.tables.find import find_tables
from pipeline.testing.table_pages import PROSE, Expected, Rows, TablePage, prose_style, table_pages

PAGES = table_pages()
UNRULED = [page for page in PAGES if page.name in {"unruled", "lab panel, unruled, flags and ranges", "twelve columns, unruled"}]


def _read(pdf: bytes) -> PageContent:
    document = pdfium.PdfDocument(pdf)
    try:
        return read_text_layer(document[0], 1)
    finally:
        document.close()


def _found(pdf: bytes) -> list[Table]:
    document = pdfium.PdfDocument(pdf)
    try:
        return find_tables(read_text_layer(document[0], 1), read_drawn(document[0]))
    finally:
        document.close()


def _cells(tables: Sequence[Table | Expected]) -> list[tuple[Rows, int]]:
    return [(table.rows, table.header_rows) for table in tables]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_cell_is_as_printed(page: TablePage) -> None:
    assert _cells(_found(page.pdf)) == _cells(page.tables)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_the_second_readers_geometry_gives_the_same_cells(page: TablePage) -> None:
    with pdfplumber.open(io.BytesIO(page.pdf)) as plumber:
        drawing = read_drawing(plumber.pages[0])
    assert _cells(find_tables(_read(page.pdf), drawing)) == _cells(page.tables)


@pytest.mark.parametrize("page", UNRULED, ids=[page.name for page in UNRULED])
def test_alignment_of_words_alone_is_enough_for_an_unruled_table(page: TablePage) -> None:
    assert [table.rows for table in find_tables(_read(page.pdf))] == [table.rows for table in page.tables]


def _as_ocr_reads_it(content: PageContent) -> PageContent:
    """Return a page with boxes that end where the ink does, and a ruling between two columns read as a sign."""

    def tight(line: Line) -> Line:
        words = [
            replace(word, box=replace(word.box, top=word.box.top + 0.2 * word.box.height, bottom=word.box.bottom - 0.06 * word.box.height))
            for word in line.words
        ]
        if len(words) > 2:
            bar = Box(words[-1].box.x0 - 5, words[-1].box.top, words[-1].box.x0 - 4, words[-1].box.bottom)
            words.insert(-1, Word("|", bar, 0.4))
        return replace(line, words=tuple(words))

    blocks = (replace(block, lines=tuple(tight(line) for line in block.lines)) for block in content.blocks)
    return replace(content, outcome=PageOutcome.OCR, blocks=tuple(blocks))


@pytest.mark.parametrize("page", UNRULED[:2], ids=[page.name for page in UNRULED[:2]])
def test_words_as_ocr_boxes_them_are_enough(page: TablePage) -> None:
    assert [table.rows for table in find_tables(_as_ocr_reads_it(_read(page.pdf)))] == [table.rows for table in page.tables]


def test_the_words_of_each_cell_are_kept_with_it() -> None:
    table = _found(PAGES[0].pdf)[0]
    assert [[" ".join(word.text for word in words) for words in row] for row in table.words] == [list(row) for row in table.rows]


def test_sideways_words_are_read_from_top_to_bottom_where_they_run_so() -> None:
    canvas, data = _canvas()
    drawn = DrawnTable(
        [["", ""], ["1", "3"], ["2", "6"]], colWidths=(40, 40), rowHeights=(70, 18, 18), style=[("GRID", (0, 0), (-1, -1), 1, colors.black)]
    )
    drawn.wrap(500, 500)
    drawn.drawOn(canvas, 72, 600)
    for x, text in ((88, "Cohort number"), (128, "Group size")):
        canvas.saveState()
        canvas.translate(x, 702)
        canvas.rotate(-90)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(0, 0, text)
        canvas.restoreState()
    assert _found(_pdf(canvas, data))[0].rows[0] == ("Cohort number", "Group size")


def _canvas() -> tuple[Canvas, io.BytesIO]:
    data = io.BytesIO()
    return Canvas(data, pagesize=A4, invariant=1), data


def _pdf(canvas: Canvas, data: io.BytesIO) -> bytes:
    canvas.showPage()
    canvas.save()
    return data.getvalue()


def _lines(canvas: Canvas, rows: Sequence[tuple[str, ...]], xs: tuple[float, ...], *, top: float = 100) -> None:
    canvas.setFont("Helvetica", 10)
    for number, row in enumerate(rows):
        for x, text in zip(xs, row, strict=True):
            canvas.drawString(x, A4[1] - top - 14 * number, text)


def _prose(canvas: Canvas, x: float, top: float, width: float) -> None:
    made = Paragraph("".join(PROSE) * 3, prose_style())
    _, height = made.wrap(width, 700)
    made.drawOn(canvas, x, A4[1] - top - height)


def _two_columns(canvas: Canvas) -> None:
    _prose(canvas, 60, 100, 225)
    _prose(canvas, 310, 100, 225)


def _numbered_columns(canvas: Canvas) -> None:
    for x in (60, 310):
        _lines(canvas, [(f"{number}.", "Give 5 mg and wait 10 minutes.") for number in range(1, 9)], (x, x + 24))


def _references(canvas: Canvas) -> None:
    rows = [
        (f"[{number}]", f"Author {number}. A trial of drug P in {30 * number} persons. J Invented Med 20{number:02d}; {number}: 1-9.")
        for number in range(1, 9)
    ]
    _lines(canvas, rows, (60, 90))


def _contents(canvas: Canvas) -> None:
    names = ("Background", "Objectives", "Design", "Population", "Treatment", "Assessments", "Statistics")
    _lines(canvas, [(f"{number}.", name + " " + "." * 80, str(7 * number)) for number, name in enumerate(names, 1)], (60, 84, 500))


def _contents_without_dots(canvas: Canvas) -> None:
    names = ("Background", "Objectives", "Design", "Population", "Treatment", "Assessments", "Statistics")
    _lines(canvas, [(name, str(7 * number)) for number, name in enumerate(names, 1)], (60, 500))


def _letterhead(canvas: Canvas) -> None:
    rows = [("Patient:", "Lorna Example"), ("Born:", "03/04/1951"), ("Record:", "0012345"), ("Ward:", "7"), ("Admitted:", "01/02/2021")]
    _lines(canvas, rows, (60, 160))


def _signatures(canvas: Canvas) -> None:
    _lines(
        canvas,
        [("Investigator", "Date"), ("____________________", "__________"), ("Sponsor", "Date"), ("____________________", "__________")],
        (60, 350),
    )


def _bullets_in_two_columns(canvas: Canvas) -> None:
    for x in (60, 320):
        _lines(canvas, [("\u2022", text) for text in ("Age above 65", "Fall from height", "Pain in the neck", "Numbness")], (x, x + 20))


def _page_frame(canvas: Canvas) -> None:
    canvas.rect(30, 30, A4[0] - 60, A4[1] - 60)
    canvas.rect(36, 36, A4[0] - 72, A4[1] - 72)
    _prose(canvas, 60, 100, 450)


def _boxed_paragraph(canvas: Canvas) -> None:
    canvas.rect(50, A4[1] - 240, 480, 150)
    _prose(canvas, 60, 100, 450)


def _form(canvas: Canvas) -> None:
    drawn = DrawnTable(
        [["Name", *[""] * 7], *[[""] * 8 for _ in range(6)]],
        colWidths=50,
        rowHeights=22,
        style=[("GRID", (0, 0), (-1, -1), 1, colors.black)],
    )
    drawn.wrap(500, 500)
    drawn.drawOn(canvas, 72, 500)


def _plot(canvas: Canvas) -> None:
    canvas.grid([100 + 40 * step for step in range(8)], [400 + 30 * step for step in range(8)])
    _lines(canvas, [tuple(str(10 * step) for step in range(8))], tuple(95.0 + 40 * step for step in range(8)), top=A4[1] - 385)
    for step in range(8):
        canvas.drawString(75, 397 + 30 * step, f"{step / 10}")


def _layout_in_boxes(canvas: Canvas) -> None:
    text = "".join(PROSE) * 2
    rows = [[Paragraph(text, prose_style()), Paragraph(text, prose_style())] for _ in range(2)]
    drawn = DrawnTable(rows, colWidths=(225, 225), style=[("GRID", (0, 0), (-1, -1), 1, colors.black)])
    _, height = drawn.wrap(500, 700)
    drawn.drawOn(canvas, 60, A4[1] - 100 - height)


NOT_TABLES = (
    _two_columns,
    _numbered_columns,
    _references,
    _contents,
    _contents_without_dots,
    _letterhead,
    _signatures,
    _bullets_in_two_columns,
    _page_frame,
    _boxed_paragraph,
    _form,
    _plot,
    _layout_in_boxes,
)


@pytest.mark.parametrize("draw", NOT_TABLES, ids=[draw.__name__.strip("_") for draw in NOT_TABLES])
def test_is_no_table(draw: Callable[[Canvas], None]) -> None:
    canvas, data = _canvas()
    draw(canvas)
    assert _found(_pdf(canvas, data)) == []


def test_a_page_without_words_has_no_table() -> None:
    canvas, data = _canvas()
    canvas.grid([100, 200, 300], [400, 430, 460])
    assert _found(_pdf(canvas, data)) == []


_DUTIES = (
    ("Role", "When it is called", "What it does"),
    ("Coordinator", "At every visit", "Reads the diary with the participant and enters every dose that was missed."),
    ("Pharmacist", "At dispensing", "Counts what was brought back and writes the number of tablets into the log."),
)


def _ruled(rows: Sequence[tuple[str, ...]]) -> bytes:
    canvas, data = _canvas()
    cells = [[Paragraph(text, prose_style()) for text in row] for row in rows]
    drawn = DrawnTable(cells, colWidths=[430 / len(rows[0])] * len(rows[0]), style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    drawn.wrap(500, 700)
    drawn.drawOn(canvas, 72, 500)
    return _pdf(canvas, data)


def test_short_names_over_columns_of_sentences_are_a_head() -> None:
    assert [(table.rows, table.header_rows) for table in _found(_ruled(_DUTIES))] == [(_DUTIES, 1)]


@pytest.mark.parametrize(
    "rows",
    [
        _DUTIES[1:] * 2,
        (("Monitor", "Monthly", "Yes"), ("Auditor", "Yearly", "Once"), ("Sponsor", "Daily", "Twice")),
        tuple(row[:2] for row in _DUTIES),
        (("Visit 1", "When it is called", "What it does"), *_DUTIES[1:]),
    ],
    ids=["a first row of sentences", "short values everywhere", "two columns", "a number in the first row"],
)
def test_a_first_row_that_may_be_values_is_no_head(rows: tuple[tuple[str, ...], ...]) -> None:
    assert [table.header_rows for table in _found(_ruled(rows))] == [0]
