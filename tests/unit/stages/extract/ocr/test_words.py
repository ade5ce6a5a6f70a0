from PIL import Image, ImageFilter

from bench.ocr.conditions import Condition
from bench.ocr.make import make
from pipeline.lexicons import entries
from pipeline.stages.extract.ocr.tesseract import recognise
from pipeline.stages.extract.ocr.words import words_file


def test_the_file_has_names_of_drugs_in_both_cases_and_is_made_once() -> None:
    words = words_file().read_text("ascii").splitlines()
    assert {"metoprolol", "Metoprolol", "warfarin", "Warfarin"} <= set(words)
    assert len(words) == len(set(words)) > 10_000
    assert all(word.isalpha() for word in words)
    assert words_file() == words_file()


def test_damaged_names_of_drugs_are_read_better_with_it() -> None:
    names = [name.capitalize() for name in sorted(entries("drugs")) if name.isalpha() and name.isascii() and 8 <= len(name) <= 13][::120][
        :120
    ]
    text = "\n".join(" ".join(names[at : at + 3]) for at in range(0, len(names), 3))
    image = make("names", text, Condition("fax", font="serif", fax=(204, 98), size_pt=11)).image.filter(ImageFilter.GaussianBlur(1))

    def right(image: Image.Image, *, with_words: bool) -> int:
        found = recognise(image, dpi=204, segmentation=6, seconds=60, words=words_file() if with_words else None)
        return len({word.text for word in found} & set(names))

    assert right(image, with_words=True) > right(image, with_words=False) >= len(names) // 2
