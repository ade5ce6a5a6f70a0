import os
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bench.ocr.conditions import CONDITIONS, Condition
from bench.ocr.make import make
from pipeline.domain.errors import ConfigurationError
from pipeline.domain.reading import PageOutcome, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.content import BlockKind, PageContent, Word
from pipeline.stages.extract.ocr.page import read_image

NOTE = """# WARD NOTE
The patient slept well and took breakfast at eight. Blood was drawn from the left arm before the first dose of the day.
- Metoprolol {50 mg} twice daily
- Insulin glargine {22 units} at bedtime
Discharge is planned for the end of the week, with a visit to the clinic ten days later.
"""
CLEAN = Condition("clean", dpi=200)


def page(text: str = NOTE, condition: Condition = CLEAN) -> Image.Image:
    whole = make("note", text, condition).image
    return whole.crop((0, 0, whole.width, whole.height // 3)) if not condition.turn else whole


def read(image: Image.Image, *, dpi: int = 200, options: ReadOptions | None = None) -> PageContent:
    return read_image(
        image, 1, width_pt=image.width / dpi * 72, height_pt=image.height / dpi * 72, dpi=dpi, options=options or ReadOptions()
    )


def words(content: PageContent) -> list[Word]:
    return [word for block in content.blocks for line in block.lines for word in line.words]


def text(content: PageContent) -> str:
    return " ".join(word.text for word in words(content))


def test_reads_a_page_with_its_confidences_in_points() -> None:
    content = read(page())
    assert content.outcome is PageOutcome.OCR
    assert "Metoprolol 50 mg twice daily" in text(content)
    assert all(0 < word.confidence <= 1 for word in words(content))
    first = words(content)[0]
    assert (first.text, round(first.box.x0 / 10), round(first.box.top / 10)) == ("WARD", 5, 6)
    assert content.characters == sum(len(word.text) for word in words(content)) + content.dropped


def test_tells_headings_items_and_paragraphs() -> None:
    kinds = [(block.kind, block.lines[0].words[0].text) for block in read(page()).blocks]
    assert kinds[0] == (BlockKind.HEADING, "WARD")
    assert [first for kind, first in kinds if kind is BlockKind.LIST_ITEM] == ["•", "•"]
    assert (BlockKind.PARAGRAPH, "Discharge") in kinds


LIST = """## Medications
Furosemide 40 mg by mouth twice daily
Metoprolol succinate 50 mg by mouth once daily
Apixaban 5 mg by mouth twice daily
Insulin glargine 22 units at bedtime
## Course
She was given furosemide on the ward and lost two kilograms within two days. Potassium was low and was
replaced. There was no sign of a coronary syndrome on any day.
"""


def paragraphs(content: PageContent) -> list[str]:
    return [" ".join(line.text for line in block.lines) for block in content.blocks if block.kind is BlockKind.PARAGRAPH]


@pytest.mark.parametrize("kept", [LIST, LIST[: LIST.index("## Course")]])
def test_lines_of_a_list_without_bullets_stay_apart(kept: str) -> None:
    found = paragraphs(read(page(kept)))
    assert all(line in found for line in kept.splitlines()[1:5])


def test_lines_of_prose_stay_together_where_a_capital_begins_a_line() -> None:
    prose = "He was seen by the team of the ward in the morning and was well enough to be sent home with the help of Doctor Amsel of the clinic."
    found = paragraphs(read(page(prose, replace(CLEAN, font="serif"))))
    assert found == [prose]


def test_a_size_of_print_is_near_its_points() -> None:
    sizes = [line.size for block in read(page()).blocks if block.kind is BlockKind.PARAGRAPH for line in block.lines]
    assert all(size == pytest.approx(11, abs=1.5) for size in sizes)


@pytest.mark.parametrize("mode", ["CMYK", "1", "P", "RGBA", "RGB", "LA", "I;16", "I", "F"])
def test_reads_every_mode_of_an_image(mode: str) -> None:
    grey = page()
    if mode in {"I;16", "I", "F"}:
        values = np.asarray(grey).astype(np.uint16) * 257
        image = Image.fromarray(values) if mode == "I;16" else Image.fromarray(values.astype(np.int32)).convert(mode)
    else:
        image = grey.convert("RGB").convert(mode) if mode in {"CMYK", "P"} else grey.convert(mode)
    assert image.mode == mode
    assert "Metoprolol 50 mg" in text(read(image))


def test_what_is_transparent_is_paper() -> None:
    grey = page()
    image = Image.new("RGBA", grey.size, (0, 0, 0, 0))
    image.putalpha(grey.point(lambda value: 255 - value))
    assert "Metoprolol 50 mg" in text(read(image))


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_is_turned_back(turn: int) -> None:
    content = read(page(condition=replace(CLEAN, turn=turn)))
    assert "Metoprolol 50 mg twice daily" in text(content)
    assert content.rotation == 360 - turn
    assert (content.width, content.height) == (612, 792)


@pytest.mark.parametrize("skew", [-7.0, 5.0])
def test_a_skewed_page_is_put_straight(skew: float) -> None:
    content = read(page(condition=replace(CLEAN, skew=skew)))
    assert "Metoprolol 50 mg twice daily" in text(content)
    assert content.skew == pytest.approx(-skew, abs=0.5)


def test_noise_and_fax_are_read() -> None:
    for condition, dpi in ((replace(CLEAN, noise=45.0), 200), (replace(CLEAN, dpi=300, fax=(204, 98)), 204)):
        assert "glargine 22 units" in text(read(page(condition=condition), dpi=dpi))


def test_a_page_without_ink_is_blank() -> None:
    content = read(Image.new("L", (1700, 2200), 250))
    assert (content.outcome, content.blocks, content.characters) == (PageOutcome.BLANK, (), 0)


def test_a_picture_has_no_text() -> None:
    image = Image.new("L", (800, 800), 255)
    image.paste(0, (200, 200, 600, 600))
    assert read(image).outcome is PageOutcome.NO_TEXT


def test_all_numbers_of_a_page_of_low_resolution_are_suspect() -> None:
    found = words(read(page(condition=replace(CLEAN, dpi=100, font="arial-like" if len(CONDITIONS) > 18 else "sans")), dpi=100))
    numbers = [word for word in found if any(sign.isdigit() for sign in word.text)]
    assert numbers
    assert all(word.suspect for word in numbers)


def test_plain_numbers_of_a_clean_page_are_not_suspect() -> None:
    found = {word.text: word.suspect for word in words(read(page()))}
    assert (found["50"], found["mg"], found["22"], found["units"]) == (False, False, False, False)


def test_a_page_that_takes_too_long_fails_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    content = read(page(), options=ReadOptions(ocr_page_seconds=0.001))
    assert (content.outcome, content.failure) == (PageOutcome.FAILED, FailureCategory.OCR_TIMEOUT)
    assert list(tmp_path.iterdir()) == []


def test_without_tesseract_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytesseract.pytesseract.tesseract_cmd", "no-such-program")
    with pytest.raises(ConfigurationError, match="tesseract-ocr"):
        read(page())


def test_tesseract_is_told_to_use_one_thread() -> None:
    assert os.environ["OMP_THREAD_LIMIT"]
