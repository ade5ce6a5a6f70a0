from dataclasses import dataclass
from pathlib import Path

import matplotlib
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from bench.ocr.conditions import Condition
from bench.ocr.make import make
from pipeline.stages.extract.ocr.glyphs import Darkness, pieces_of, whole_digits, word_ink
from pipeline.stages.extract.ocr.reread import reread
from pipeline.stages.extract.ocr.signs import comparison_of, letter_of
from pipeline.stages.extract.ocr.suspects import suspects_of
from pipeline.stages.extract.ocr.tesseract import Recognised, recognise

FONTS = {
    name: Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf"
    for name in ("DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "DejaVuSans-Oblique", "STIXGeneral")
}
SIGNS = "≥≤±=<>"
OTHERS = "2+sSzZ5#&"


@dataclass(frozen=True)
class Print:
    """A printed word. ``line``: the row of its ink that its letters stand on."""

    darkness: Darkness
    height: int
    line: float


def printed(text: str, font_name: str, pixels: int, blur: float = 0.0) -> Print:
    font = ImageFont.truetype(str(FONTS[font_name]), pixels)
    image = Image.new("L", (400, 120), 255)
    draw = ImageDraw.Draw(image)
    draw.text((80, 20), text, font=font, fill=20)
    left, top, right, bottom = (int(value) for value in draw.textbbox((80, 20), text, font=font))
    image = image.filter(ImageFilter.GaussianBlur(blur)) if blur else image
    ink, first = word_ink(image, [Recognised(text, 0.9, left, top, right - left, bottom - top, 1, 1, 1)], 0)
    return Print(ink, bottom - top, 20 + font.getmetrics()[0] - first)


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("pixels", [38, 46])
@pytest.mark.parametrize("sign", SIGNS)
def test_a_comparison_is_told_by_its_shape(sign: str, pixels: int, font: str) -> None:
    assert comparison_of(printed(sign, font, pixels).darkness) == sign


@pytest.mark.parametrize("blur", [0.0, 1.2])
@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize("sign", SIGNS + OTHERS)
def test_no_sign_is_taken_for_another_that_is_not_in_the_model(sign: str, font: str, blur: float) -> None:
    for pixels in (25, 31, 50):
        assert comparison_of(printed(sign, font, pixels, blur=blur).darkness) in {sign, "", "<", ">", "="}


def test_paper_and_specks_are_no_sign() -> None:
    image = Image.new("L", (60, 60), 255)
    words = [Recognised("=", 0.9, 10, 10, 30, 30, 1, 1, 1)]
    assert comparison_of(word_ink(image, words, 0)[0]) == ""
    ImageDraw.Draw(image).point((20, 20), fill=0)
    assert comparison_of(word_ink(image, words, 0)[0]) == ""


@pytest.mark.parametrize("font", FONTS)
@pytest.mark.parametrize(
    ("unit", "letters"),
    [("µg", {"µ"}), ("µmol/L", {"µ"}), ("pg", {"p", ""}), ("pmol/L", {"p", ""}), ("ng", {""}), ("mg", {""}), ("ug", {""})],
)
def test_a_micro_sign_is_told_from_the_letters_it_is_read_as(unit: str, letters: set[str], font: str) -> None:
    word = printed(unit, font, 46)
    assert letter_of(word.darkness, pieces_of(word.darkness, word.height)[0], word.line) in letters


def read(text: str, font: str) -> tuple[list[Recognised], list[bool]]:
    image = make("line", text, Condition("line", font=font, dpi=300)).image.crop((0, 0, 2550, 400))
    found = reread(recognise(image, dpi=300, segmentation=6, seconds=60), image)
    return found, suspects_of(found, image, low_quality=False)


@pytest.mark.parametrize("font", ["sans", "serif", "stix"])
def test_signs_that_were_read_again_are_in_the_text_and_not_suspect(font: str) -> None:
    words, flags = read("Hold it for a pressure of ≤ 90 mmHg and give 125 µg for a level of ≥ 300 mg/dL", font)
    text = [word.text for word in words]
    assert {"≤", "µg", "≥"} <= set(text)
    assert not any(flag for word, flag in zip(text, flags, strict=True) if word in {"≤", "µg", "≥", "90", "125", "300"})


@pytest.mark.parametrize("font", ["sans", "serif", "stix"])
def test_signs_that_are_printed_as_they_are_read_stay(font: str) -> None:
    line = "The level was > 40 mg and < 55 mg in 2 of 18 patients with 75 kg"
    words, _ = read(line, font)
    assert " ".join(word.text for word in words) == line


def test_a_result_in_picograms_is_not_suspect_where_its_ink_is_plain() -> None:
    words, flags = read("The peptide was 648 pg/mL and thyroxine 15.8 pmol/L today", "sans")
    assert not [word.text for word, flag in zip(words, flags, strict=True) if flag]


def test_the_halves_of_a_broken_zero_are_one_digit_and_a_decimal_point_is_not() -> None:
    image = Image.new("L", (200, 60), 255)
    draw = ImageDraw.Draw(image)
    for left in (10, 18, 60):  # the sides of a zero, a one
        draw.rectangle((left, 10, left + 5, 40), fill=0)
    draw.rectangle((40, 34, 46, 40), fill=0)
    ink, _ = word_ink(image, [Recognised("01", 0.9, 8, 8, 70, 34, 1, 1, 1)], 0)
    assert [round(piece.width) for piece in whole_digits(pieces_of(ink, 34))] == [14, 7, 6]


def test_a_blurred_line_keeps_what_is_not_plain() -> None:
    image = Image.new("L", (500, 100), 255)
    ImageDraw.Draw(image).text((20, 20), "≥ 18", font=ImageFont.load_default(size=46), fill=20)
    image = image.filter(ImageFilter.GaussianBlur(6))
    words = [Recognised(">", 0.9, 20, 25, 30, 40, 1, 1, 1), Recognised("18", 0.9, 60, 25, 50, 40, 1, 1, 1)]
    assert [word.text for word in reread(words, image)] == [">", "18"]
