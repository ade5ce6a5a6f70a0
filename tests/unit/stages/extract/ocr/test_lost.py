from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bench.ocr.conditions import Condition
from bench.ocr.make import make
from pipeline.domain.reading import PageOutcome, ReadOptions
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.ocr.lost import with_lost
from pipeline.stages.extract.ocr.page import read_image
from pipeline.stages.extract.ocr.tesseract import Recognised, recognise

DPI = 200
SLIP = """| Drug | First dose | Again after
| Haloperidol | 5 mg | 30 min
| Ketorolac | 15 mg | never
| Etomidate | 0.3 mg/kg | 12 h
"""


def slip(text: str = SLIP) -> Image.Image:
    image = make("slip", text, Condition("clean", font="serif", dpi=DPI)).image
    return image.crop((0, 0, image.width, image.height // 4))


def words_of(image: Image.Image) -> list[Recognised]:
    return recognise(image, dpi=DPI, segmentation=6, seconds=60)


def lines_of(content: PageContent) -> list[str]:
    return [line.text for block in content.blocks for line in block.lines]


def without(words: list[Recognised], *texts: str) -> list[Recognised]:
    return [word for word in words if word.text not in texts]


def test_a_cell_that_was_passed_over_comes_back_at_its_place_in_its_line() -> None:
    image = slip()
    words = words_of(image)
    missing = without(words, "15")
    assert len(missing) == len(words) - 1
    found = with_lost(image, missing, dpi=DPI, seconds=60)
    assert [word.text for word in found] == [word.text for word in words]


def test_nothing_is_added_where_every_piece_of_print_was_read() -> None:
    image = slip()
    words = words_of(image)
    assert with_lost(image, words, dpi=DPI, seconds=60) == words


def test_a_line_that_was_passed_over_becomes_a_block_below_what_stands_above_it() -> None:
    image = slip("The first line of the note is read.\nGive 40 mg of it.\nThe last line of the note is read.\n")
    words = [replace(word, block=word.line) for word in words_of(image)]
    missing = [word for word in words if word.line != 2]
    found = with_lost(image, missing, dpi=DPI, seconds=60)
    assert " ".join(word.text for word in found) == " ".join(word.text for word in words)


def test_rules_and_pictures_are_not_read_as_print() -> None:
    image = slip()
    words = words_of(image)
    drawing = ImageDraw.Draw(image)
    drawing.line((100, 450, 1500, 450), fill=0, width=3)
    drawing.ellipse((900, 300, 1200, 540), outline=0, width=4)
    drawing.rectangle((1300, 300, 1500, 540), fill=90)
    assert with_lost(image, words, dpi=DPI, seconds=60) == words


def test_noise_alone_gives_no_words() -> None:
    noise = np.random.default_rng(1).normal(200, 40, (800, 800)).clip(0, 255).astype(np.uint8)
    assert with_lost(Image.fromarray(noise), [], dpi=DPI, seconds=60) == []


def test_words_come_back_as_they_are_when_no_time_is_left() -> None:
    image = slip()
    missing = without(words_of(image), "15")
    assert with_lost(image, missing, dpi=DPI, seconds=0) == missing


def test_a_page_with_a_single_line_is_read() -> None:
    page = Image.new("L", (2550, 3300), 255)
    font = ImageFont.load_default(size=46)
    ImageDraw.Draw(page).text((300, 1500), "Metoprolol 50 mg", font=font, fill=20)
    content = read_image(page, 1, width_pt=612, height_pt=792, dpi=300, options=ReadOptions())
    assert content.outcome is PageOutcome.OCR
    assert lines_of(content) == ["Metoprolol 50 mg"]
