"""Whole PDFs whose reading other tools get wrong, from bytes to text."""

import io
from collections.abc import Callable, Sequence

from reportlab.pdfgen.canvas import Canvas

from pipeline.domain.marks import MarkKind, of_kind
from pipeline.domain.reading import ReadFile, ReadOptions
from pipeline.stages.extract.pdf.reader import read_pdf


def read(draw: Callable[[Canvas], None]) -> ReadFile:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    draw(canvas)
    canvas.save()
    file = read_pdf(buffer.getvalue(), ReadOptions(ocr_workers=1), lambda *_: None)
    assert all(page.unexplained == 0 for page in file.pages)
    return file


def side_by_side(left: Sequence[str], right: Sequence[str]) -> str:
    def draw(canvas: Canvas) -> None:
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            canvas.drawString(60, 700 - 14 * number, one)
            canvas.drawString(330, 700 - 14 * number, other)

    return read(draw).text


def grid(canvas: Canvas, rows: Sequence[Sequence[str]], top: float, *, first: float = 20) -> None:
    """Draw a ruled table of columns 110 points wide, with a first row of its own height."""
    tops = [top, *(top - first - 20 * number for number in range(len(rows)))]
    edges = [60 + 110 * number for number in range(len(rows[0]) + 1)]
    for edge in edges:
        canvas.line(edge, tops[0], edge, tops[-1])
    for line in tops:
        canvas.line(edges[0], line, edges[-1], line)
    for row, bottom in zip(rows, tops[1:], strict=True):
        for value, edge in zip(row, edges, strict=False):
            canvas.drawString(edge + 5, bottom + 6, value)


def test_a_sentence_in_each_of_two_short_columns_stays_whole() -> None:
    left = ["Women may join who", "are past the age of fifty", "and live nearby."]
    right = ["Nobody may join who", "lately had surgery or", "still smokes."]
    assert side_by_side(left, right) == f"{' '.join(left)}\n\n{' '.join(right)}"


def test_rows_of_short_cells_are_not_taken_for_columns() -> None:
    text = side_by_side(["Before the dose", "After two hours", "After one day"], ["blood and urine", "blood only", "blood and urine"])
    assert [line.split(" blood")[0] for line in text.split("\n") if line] == ["Before the dose", "After two hours", "After one day"]


def test_a_column_whose_head_stands_on_its_side_has_its_name() -> None:
    def draw(canvas: Canvas) -> None:
        grid(canvas, [["Step", ""], ["1", "4"], ["2", "8"]], 700, first=100)
        canvas.saveState()
        canvas.translate(200, 608)
        canvas.rotate(90)
        canvas.drawString(0, 0, "Persons treated")
        canvas.restoreState()

    assert read(draw).text.split("\n") == ["Step; Persons treated", "Step: 1; Persons treated: 4", "Step: 2; Persons treated: 8"]


def test_rows_on_the_next_page_have_their_columns_names_and_signs() -> None:
    def draw(canvas: Canvas) -> None:
        grid(canvas, [["Step", "Tablet (mg)", "Infusion (mg/m2)"], ["1", "15", "60"], ["2", "30", "60"]], 120)
        canvas.showPage()
        grid(canvas, [["3", "45", "90"], ["-1", "7.5", "40"]], 790)

    file = read(draw)
    assert file.text.split("\n") == [
        "Step; Tablet (mg); Infusion (mg/m2)",
        "Step: 1; Tablet (mg): 15; Infusion (mg/m2): 60",
        "Step: 2; Tablet (mg): 30; Infusion (mg/m2): 60",
        "Step: 3; Tablet (mg): 45; Infusion (mg/m2): 90",
        "Step: -1; Tablet (mg): 7.5; Infusion (mg/m2): 40",
    ]
    assert len(of_kind(file.marks, MarkKind.TABLE)) == 1
