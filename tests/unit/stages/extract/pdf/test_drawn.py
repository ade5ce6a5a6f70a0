"""What PDFium's path objects say of rulings, fills and print."""

from __future__ import annotations

import io
from collections.abc import Callable

import pypdfium2 as pdfium
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.pdf.drawn import read_drawn
from pipeline.stages.extract.tables.drawing import Drawing

_LEFT, _TOP, _SIDE = 100, 200, 60


def _drawn(draw: Callable[[Canvas], None]) -> Drawing:
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=A4, invariant=1)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    document = pdfium.PdfDocument(data.getvalue())
    try:
        return read_drawn(document[0])
    finally:
        document.close()


def _squares(canvas: Canvas, *, scale: float = 1.0) -> None:
    """Two squares side by side, whose upper left corner is at (100, 200) of the page as displayed."""
    canvas.saveState()
    canvas.scale(1 / scale, 1 / scale)
    canvas.grid([scale * x for x in (_LEFT, _LEFT + _SIDE, _LEFT + 2 * _SIDE)], [scale * (A4[1] - _TOP - _SIDE), scale * (A4[1] - _TOP)])
    canvas.restoreState()


def _in_a_form(canvas: Canvas) -> None:
    canvas.beginForm("squares")
    _squares(canvas)
    canvas.endForm()
    canvas.doForm("squares")


def _shaded_rectangles(canvas: Canvas) -> None:
    for x in (_LEFT, _LEFT + _SIDE):
        canvas.rect(x, A4[1] - _TOP - _SIDE, _SIDE, _SIDE, stroke=0, fill=1)


def _thin_rectangles(canvas: Canvas) -> None:
    for x in (_LEFT, _LEFT + _SIDE, _LEFT + 2 * _SIDE):
        canvas.rect(x - 0.2, A4[1] - _TOP - _SIDE, 0.4, _SIDE, stroke=0, fill=1)
    for y in (A4[1] - _TOP, A4[1] - _TOP - _SIDE):
        canvas.rect(_LEFT, y - 0.2, 2 * _SIDE, 0.4, stroke=0, fill=1)


@pytest.mark.parametrize(
    "draw", [_squares, lambda canvas: _squares(canvas, scale=8.0), _in_a_form, _shaded_rectangles, _thin_rectangles],
    ids=["lines", "lines of a scaled page", "lines in a form", "filled rectangles", "rectangles as thin as rules"],
)  # fmt: skip
def test_cells_stand_where_they_are_drawn(draw: Callable[[Canvas], None]) -> None:
    ((first, second),) = _drawn(draw).grids
    found = [(round(one.x0), round(one.top), round(one.x1), round(one.bottom)) for one in (first, second)]
    assert found == [(100, 200, 160, 260), (160, 200, 220, 260)]


def test_bows_slanting_lines_and_paths_that_are_not_painted_are_no_rulings() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.circle(200, 300, 50)
        canvas.line(100, 100, 200, 180)
        path = canvas.beginPath()
        path.rect(100, 400, 80, 80)
        canvas.drawPath(path, stroke=0, fill=0)

    drawing = _drawn(draw)
    assert (drawing.grids, drawing.rules, drawing.shades) == ((), (), ())


def test_a_white_fill_is_no_shade_and_a_coloured_one_is() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(1)
        canvas.rect(100, 100, 50, 20, stroke=0, fill=1)
        canvas.setFillColorCMYK(0.2, 0, 0, 0)
        canvas.rect(300, A4[1] - 120, 50, 20, stroke=0, fill=1)

    drawing = _drawn(draw)
    assert [(round(one.x0), round(one.top)) for one in drawing.shades] == [(300, 100)]
    assert drawing.is_shaded(Box(302, 102, 340, 118))


def test_bold_print_is_told_from_plain_print_beside_it() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 10)
        canvas.drawString(100, A4[1] - 100, "Dose group")
        canvas.setFont("Helvetica", 10)
        canvas.drawString(200, A4[1] - 100, "twice daily")

    prints = _drawn(draw).prints
    assert prints.is_bold(Box(95, 85, 170, 105))
    assert not prints.is_bold(Box(195, 85, 270, 105))
    assert not prints.is_bold(Box(400, 85, 470, 105))


def test_print_on_its_side_is_told_by_its_direction() -> None:
    def draw(canvas: Canvas) -> None:
        for x, angle in ((100, 90), (200, -90)):
            canvas.saveState()
            canvas.translate(x, A4[1] - 300)
            canvas.rotate(angle)
            canvas.drawString(0, 0, "Sideways")
            canvas.restoreState()

    prints = _drawn(draw).prints
    assert not prints.is_downwards(Box(85, 200, 115, 305))
    assert prints.is_downwards(Box(185, 295, 215, 400))
