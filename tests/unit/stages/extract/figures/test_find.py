"""Pictures of pages that we wrote: what is a figure, its caption, the text in it; what is none, and why."""

from __future__ import annotations

import io
import shutil

import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pipeline.domain.reading import FigureKind, ReadOptions
from pipeline.stages.extract.content import BlockKind, Figure, PageContent
from pipeline.stages.extract.figures.find import find_figures
from pipeline.stages.extract.figures.images import repeated_images
from pipeline.stages.extract.figures.picture import MOST_PIXELS
from pipeline.stages.extract.figures.place import place_figures
from pipeline.stages.extract.pdf.text_layer import read_text_layer

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")


class _Page:
    def __init__(self) -> None:
        self._data = io.BytesIO()
        self.canvas = Canvas(self._data, pagesize=A4, invariant=1)

    def image(self, image: Image.Image, x: float, top: float, width: float, height: float) -> _Page:
        self.canvas.drawImage(ImageReader(image), x, A4[1] - top - height, width, height)
        return self

    def text(self, text: str, x: float, top: float) -> _Page:
        self.canvas.setFont("Helvetica", 10)
        self.canvas.drawString(x, A4[1] - top, text)
        return self

    def next_page(self) -> _Page:
        self.canvas.showPage()
        return self

    def pdf(self) -> bytes:
        self.canvas.showPage()
        self.canvas.save()
        return self._data.getvalue()


def _chart(*labels: str, size: tuple[int, int] = (900, 600), seed: int = 1) -> Image.Image:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=44)
    draw.rectangle((60, 40, size[0] - 40, size[1] - 60), outline="black", width=4)
    for step in range(40):
        left = 70 + step * (size[0] - 120) // 40
        draw.rectangle((left, size[1] - 80 - (step * 37 * seed) % 140, left + 9, size[1] - 64), fill=(step * 6, 90, 255 - step * 6))
    for number, label in enumerate(labels):
        draw.text((110, 80 + 80 * number), label, fill="black", font=font)
    return image


def _read(pdf: bytes, number: int = 1, options: ReadOptions | None = None) -> tuple[PageContent, list[Figure]]:
    document = pdfium.PdfDocument(pdf)
    try:
        page = document[number - 1]
        content = read_text_layer(page, number)
        return content, find_figures(page, content, options or ReadOptions(), repeated_images(document))
    finally:
        document.close()


def _kinds(figures: list[Figure]) -> list[FigureKind]:
    return [figure.kind for figure in figures]


def test_a_picture_with_a_caption_below_is_a_figure_with_its_place_and_size() -> None:
    pdf = _Page().text("Words above.", 72, 80).image(_chart(), 72, 120, 300, 200).text("Figure 2: Response by arm", 72, 334).pdf()
    (figure,) = _read(pdf)[1]
    assert (figure.kind, figure.caption, figure.captioned_by) == (FigureKind.FIGURE, "Figure 2: Response by arm", "printed")
    assert (round(figure.box.x0), round(figure.box.top), round(figure.box.width), round(figure.box.height)) == (72, 120, 300, 200)
    with Image.open(io.BytesIO(figure.image)) as image:
        assert image.format == "PNG"
        assert image.size == (figure.width, figure.height)
        assert abs(image.width - 900) < 10


@pytest.mark.parametrize("caption", ["Fig. 3. Flow of participants", "FIGURE 1 Study design", "Figure A-1. Dosing"])
def test_a_caption_may_stand_above(caption: str) -> None:
    (figure,) = _read(_Page().text(caption, 72, 110).image(_chart(), 72, 120, 300, 200).pdf())[1]
    assert figure.caption == caption


def test_a_sentence_that_names_a_figure_is_no_caption() -> None:
    (figure,) = _read(_Page().image(_chart(), 72, 120, 300, 200).text("The response is shown in Figure 2.", 72, 334).pdf())[1]
    assert figure.caption == ""


def test_a_caption_far_away_is_another_pictures() -> None:
    (figure,) = _read(_Page().image(_chart(), 72, 120, 300, 200).text("Figure 9. Elsewhere", 72, 600).pdf())[1]
    assert figure.caption == ""


def test_two_pictures_have_each_their_own_caption() -> None:
    page = _Page().image(_chart(), 72, 100, 200, 150).text("Figure 1. One", 72, 262)
    page.image(_chart(seed=2), 72, 300, 200, 150).text("Figure 2. Two", 72, 462)
    assert [figure.caption for figure in _read(page.pdf())[1]] == ["Figure 1. One", "Figure 2. Two"]


def test_icons_signatures_rules_and_plain_areas_are_no_figures() -> None:
    page = _Page().image(_chart(size=(300, 300)), 72, 60, 20, 20)
    page.image(_chart(size=(400, 150)), 72, 120, 150, 55)
    page.image(Image.new("RGB", (1200, 60), "navy"), 72, 220, 450, 22)
    page.image(Image.new("RGB", (400, 300), "#dddddd"), 72, 300, 200, 150)
    figures = _read(page.pdf())[1]
    assert _kinds(figures) == [FigureKind.TINY, FigureKind.TINY, FigureKind.DECORATIVE, FigureKind.DECORATIVE]
    assert not any(figure.image or figure.text or figure.caption for figure in figures)


def test_the_same_picture_on_three_pages_is_a_logo() -> None:
    page, logo = _Page(), _chart(size=(300, 300), seed=5)
    for number in range(4):
        page.image(logo, 72, 60, 120, 120).image(_chart(seed=10 + number), 72, 300, 300, 200).next_page()
    assert _kinds(_read(page.pdf(), 2)[1]) == [FigureKind.REPEATED, FigureKind.FIGURE]


def test_a_scan_of_the_whole_page_and_a_background_are_no_figures() -> None:
    assert _read(_Page().image(_chart(size=(1000, 1400)), 0, 0, *A4).pdf())[1] == []
    page = _Page().image(_chart(size=(800, 800)), 60, 60, 450, 450)
    for line in range(20):
        page.text("These words are printed over a picture that is no figure at all.", 80, 90 + 20 * line)
    assert _kinds(_read(page.pdf())[1]) == [FigureKind.DECORATIVE]


def test_strips_of_one_picture_are_one_figure() -> None:
    whole = _chart()
    page = _Page()
    for strip in range(4):
        page.image(whole.crop((0, 150 * strip, 900, 150 * (strip + 1))), 72, 120 + 50 * strip, 300, 50)
    (figure,) = _read(page.pdf())[1]
    assert (round(figure.box.top), round(figure.box.height)) == (120, 200)


def test_what_the_publisher_blacked_out_stays_black_in_the_picture() -> None:
    page = _Page().image(Image.effect_noise((600, 400), 90).convert("RGB"), 72, 120, 300, 200)
    page.canvas.rect(72, A4[1] - 320, 300, 100, fill=1)
    (figure,) = _read(page.pdf())[1]
    with Image.open(io.BytesIO(figure.image)) as image:
        lower = image.convert("L").crop((0, image.height * 6 // 10, image.width, image.height * 9 // 10))
        assert lower.getextrema() == (0, 0)


def test_a_huge_picture_is_kept_small() -> None:
    (figure,) = _read(_Page().image(_chart(size=(6000, 4000)), 40, 120, 500, 333).pdf())[1]
    assert figure.width * figure.height <= MOST_PIXELS


@needs_tesseract
def test_text_in_a_picture_is_read() -> None:
    (figure,) = _read(_Page().image(_chart("Placebo", "Drug P 20 mg"), 72, 120, 300, 200).pdf())[1]
    assert "Placebo" in figure.text
    assert "20 mg" in figure.text
    assert figure.captioned_by == "ocr"


def test_labels_printed_over_a_picture_are_its_text_and_leave_the_running_text() -> None:
    page = _Page().text("Words above the picture.", 72, 80).image(_chart(), 72, 120, 300, 200)
    for number, label in enumerate(("Screened 90", "Not eligible 30", "Randomised 60", "Arm A 31", "Arm B 29")):
        page.text(label, 150, 150 + 30 * number)
    content, figures = _read(page.pdf())
    assert "Randomised 60" in figures[0].text
    placed = place_figures(content, figures)
    outside = " ".join(line.text for block in placed.blocks if block.kind is not BlockKind.FIGURE for line in block.lines)
    assert outside == "Words above the picture."


def test_pictures_are_left_alone_where_the_options_say_so() -> None:
    assert _read(_Page().image(_chart(), 72, 120, 300, 200).pdf(), options=ReadOptions(figures=False))[1] == []


def test_a_turned_page_gives_the_picture_as_it_is_shown() -> None:
    page = _Page()
    page.canvas.setPageRotation(90)
    page.image(_chart(), 72, 450, 300, 200)
    (figure,) = _read(page.pdf())[1]
    assert (round(figure.box.width), round(figure.box.height)) == (200, 300)
    assert figure.height > figure.width
