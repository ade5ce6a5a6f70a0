import io
from collections.abc import Callable

import pypdfium2 as pdfium
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pipeline.stages.extract.pdf.evidence import Evidence, evidence


def found(draw: Callable[[Canvas], None], *, turn: int = 0) -> Evidence:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(400, 800))
    draw(canvas)
    if turn:
        canvas.setPageRotation(turn)
    canvas.save()
    return evidence(pdfium.PdfDocument(target.getvalue())[0])


def picture() -> ImageReader:
    return ImageReader(Image.new("RGB", (40, 40), (200, 10, 10)))


def test_an_empty_page_has_nothing() -> None:
    assert found(lambda canvas: canvas.drawString(10, 10, "text")) == Evidence(0.0, 0, 0, 0, 0, (), 0.0, 0)


def test_images_that_lie_over_each_other_count_once() -> None:
    def draw(canvas: Canvas) -> None:
        for _ in range(2):
            canvas.drawImage(picture(), 0, 0, 400, 400)

    one = found(draw)
    assert one.images == 2
    assert one.image_share == pytest.approx(0.5)


def test_images_inside_forms_count_where_they_are_shown() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.beginForm("logo")
        canvas.drawImage(picture(), 0, 0, 100, 100)
        canvas.endForm()
        canvas.translate(100, 0)
        canvas.scale(3, 8)
        canvas.doForm("logo")

    assert found(draw).image_share == pytest.approx(0.75)


def test_rulings_of_a_grid_may_be_a_table() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.grid([50, 150, 250], [600, 620, 640, 660])

    one = found(draw)
    assert one.may_have_table
    assert (one.horizontal, one.vertical, one.paths) == (4, 3, 1)


def test_a_curve_has_no_rulings() -> None:
    one = found(lambda canvas: canvas.circle(200, 400, 90))
    assert (one.horizontal, one.vertical, one.paths) == (0, 0, 1)


def test_one_line_under_a_heading_is_no_table() -> None:
    assert not found(lambda canvas: canvas.line(50, 700, 350, 700)).may_have_table


def test_black_boxes_are_redactions_with_their_place() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(0)
        canvas.rect(100, 700, 80, 12, stroke=0, fill=1)

    (box,) = found(draw).redactions
    assert (box.x0, box.top, box.x1, box.bottom) == pytest.approx((100, 88, 180, 100), abs=1)


def test_places_are_those_of_the_page_as_displayed() -> None:
    (box,) = found(lambda canvas: canvas.rect(100, 700, 80, 12, stroke=0, fill=1), turn=90).redactions
    assert (box.x0, box.top, box.x1, box.bottom) == pytest.approx((700, 100, 712, 180), abs=1)


@pytest.mark.parametrize(("label", "count"), [("DOSING TABLE", 0), ("CCI", 1), ("(b) (4)", 1)])
def test_a_bar_with_light_text_is_a_redaction_only_under_a_redactors_label(label: str, count: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rect(100, 700, 120, 14, stroke=0, fill=1)
        canvas.setFillGray(1)
        canvas.drawString(104, 703, label)

    assert len(found(draw).redactions) == count


@pytest.mark.parametrize(
    ("grey", "width", "height"),
    [(0.8, 80, 12), (0, 80, 1), (0, 4, 4), (0, 400, 800)],
    ids=["shaded", "ruling", "bullet", "background"],
)
def test_other_boxes_are_no_redactions(grey: float, width: float, height: float) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillGray(grey)
        canvas.rect(0, 0, width, height, stroke=0, fill=1)

    assert found(draw).redactions == ()


def test_text_that_is_not_drawn_is_noticed() -> None:
    def draw(canvas: Canvas) -> None:
        for y, mode in ((700, 3), (680, 3), (660, 2), (640, 3)):
            text = canvas.beginText(50, y)
            text.setTextRenderMode(mode)
            text.textLine("line")
            canvas.drawText(text)

    assert found(draw).hidden_share == pytest.approx(0.75)
