from pathlib import Path

import matplotlib
import pytest
from PIL import Image, ImageDraw, ImageFont

from pipeline.stages.extract.ocr.blanks import with_blanks
from pipeline.stages.extract.ocr.tesseract import Recognised

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def read(printed: str, swallowed: str, *, font: str = "DejaVuSans", before: str = "", pixels: int = 42) -> list[str]:
    """Texts of words where ``printed`` came back as the one word ``swallowed``, behind the word ``before``."""
    image = Image.new("L", (1000, 100), 255)
    draw = ImageDraw.Draw(image)
    sized = ImageFont.truetype(str(FONTS / f"{font}.ttf"), pixels)
    words = []
    for left, text, said in ((40, before, before), (300, printed, swallowed)):
        if not text:
            continue
        draw.text((left, 20), text, font=sized, fill=20)
        x0, y0, x1, y1 = (int(value) for value in draw.textbbox((left, 20), text, font=sized))
        words.append(Recognised(said, 0.95, x0, y0, x1 - x0, y1 - y0, 1, 1, 1))
    found = with_blanks(words, image)
    assert "".join(word.text for word in found) == before + swallowed
    return [word.text for word in found][bool(before) :]


@pytest.mark.parametrize("font", ["DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "DejaVuSans-Oblique"])
def test_a_quantity_is_parted_where_paper_is_as_wide_as_between_words(font: str) -> None:
    assert read("2.5 - 7.8", "2.5-7.8", font=font) == ["2.5", "-", "7.8"]
    assert read("12 h", "12h", font=font) == ["12", "h"]
    assert read("≥ 40 mg", "≥40mg", font=font) == ["≥", "40", "mg"]
    assert read("15 µg/kg", "15µg/kg", font=font) == ["15", "µg/kg"]


@pytest.mark.parametrize("font", ["DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "DejaVuSans-Oblique", "STIXGeneral"])
@pytest.mark.parametrize("text", ["2.5-7.8", "12h", "40mg", "≥40", "1-1", ">1", "118/72", "98%", "11/L", "B12", "1.1", "1.5mg", "5th"])
def test_what_is_printed_as_one_word_stays_one(text: str, font: str) -> None:
    assert read(text, text, font=font) == [text]


def test_a_unit_is_parted_from_the_small_word_behind_it_only_after_a_number() -> None:
    assert read("mL is", "mLis", before="5.5") == ["mL", "is"]
    assert read("h as", "has", before="6") == ["h", "as"]
    assert read("has", "has", before="6") == ["has"]
    assert read("h as", "has", before="who") == ["has"]


def test_a_quantity_with_fewer_blanks_than_parts_stays_as_it_was_read() -> None:
    assert read("≥40 mg", "≥40mg") == ["≥40mg"]


def test_parts_have_the_boxes_of_their_ink() -> None:
    image = Image.new("L", (200, 60), 255)
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 20, 39, 49), fill=0)
    draw.rectangle((80, 20, 109, 49), fill=0)
    found = with_blanks([Recognised("4g", 0.9, 20, 20, 90, 30, 1, 1, 1)], image)
    assert [(word.text, word.left, word.width, word.top) for word in found] == [("4", 20, 20, 20), ("g", 80, 30, 20)]
