from collections.abc import Sequence
from dataclasses import replace

from PIL import Image

from bench.ocr.conditions import Condition
from bench.ocr.make import make
from pipeline.stages.extract.ocr.standing import with_lists
from pipeline.stages.extract.ocr.tesseract import Recognised, recognise

DPI = 200
LIST = """Doses of the evening round.
1. Give 40 mg of enoxaparin.
2. Give 5 mg of bisoprolol.
3. Measure the weight again.
4. Give 20 mg of torasemide.
All doses are signed.
"""


def read() -> tuple[Image.Image, list[Recognised]]:
    page = make("list", LIST, Condition("clean", font="serif", dpi=DPI)).image
    image = page.crop((0, 0, page.width, page.height // 4))
    return image, recognise(image, dpi=DPI, segmentation=6, seconds=60)


def with_numbers_on_end(words: Sequence[Recognised], confidence: float) -> list[Recognised]:
    """The words as Tesseract gives them when it takes the numbers for a line of their own."""
    numbers = [word for word in words if word.text in {"1.", "2.", "3.", "4."}]
    top, bottom = numbers[0].top, numbers[-1].top + numbers[-1].height
    line = replace(numbers[0], text="BWNE", confidence=confidence, top=top, height=bottom - top, block=2)
    return [*(word for word in words if word not in numbers), line]


def test_numbers_that_were_taken_for_a_line_on_its_end_come_back_before_their_items() -> None:
    image, words = read()
    found = with_lists(image, with_numbers_on_end(words, 0.2), dpi=DPI, seconds=60)
    assert " ".join(word.text for word in found) == " ".join(word.text for word in words)
    assert {word.block for word in found} == {1}
    assert all(abs(word.left - old.left) <= 2 and abs(word.top - old.top) <= 2 for word, old in zip(found, words, strict=True))


def test_surely_read_print_on_its_end_stays() -> None:
    image, words = read()
    given = with_numbers_on_end(words, 0.9)
    assert with_lists(image, given, dpi=DPI, seconds=60) == given


def test_without_time_or_without_lines_on_end_the_words_stay() -> None:
    image, words = read()
    given = with_numbers_on_end(words, 0.2)
    assert with_lists(image, given, dpi=DPI, seconds=0) == given
    assert with_lists(image, words, dpi=DPI, seconds=60) == words
    assert with_lists(image, [], dpi=DPI, seconds=60) == []


def test_where_less_comes_back_than_was_read_the_words_stay() -> None:
    image, words = read()
    given = with_numbers_on_end(words, 0.2)
    assert with_lists(Image.new("L", image.size, 255), given, dpi=DPI, seconds=60) == given
