import numpy as np
import pytest
from PIL import Image, ImageDraw

from bench.ocr.conditions import Condition
from bench.ocr.make import make, texts
from pipeline.stages.extract.ocr.glyphs import has_bar, is_uneven, pieces_of
from pipeline.stages.extract.ocr.ink import cleaned, has_ink, runs_sideways, skew_of
from pipeline.stages.extract.ocr.order import rows_together
from pipeline.stages.extract.ocr.tesseract import Recognised

TEXT = texts()["discharge"]


def sheet(**of: float) -> Image.Image:
    return make("page", TEXT, Condition("page", dpi=150, **of)).image  # type: ignore[arg-type]


def test_print_is_ink_and_noise_is_not() -> None:
    random = np.random.default_rng(1)
    paper = Image.fromarray(random.normal(230, 12, (2200, 1700)).clip(0, 255).astype(np.uint8))
    assert not has_ink(paper)
    assert not has_ink(Image.new("L", (1700, 2200), 255))
    ImageDraw.Draw(paper).text((800, 1000), "12", fill=20, font_size=40)
    assert has_ink(paper)


@pytest.mark.parametrize("skew", [-6.5, -2.0, 0.0, 3.0, 7.0])
def test_finds_the_skew_of_a_page(skew: float) -> None:
    assert skew_of(sheet(skew=skew)) == pytest.approx(-skew, abs=0.3)


def test_a_page_without_lines_has_no_skew() -> None:
    assert skew_of(Image.new("L", (400, 400), 255)) == 0


def test_tells_pages_that_lie_on_their_side() -> None:
    assert runs_sideways(sheet(turn=90))
    assert runs_sideways(sheet(turn=270))
    assert not runs_sideways(sheet())
    assert not runs_sideways(sheet(turn=180))


def test_a_clean_page_is_left_as_it_is() -> None:
    grey = sheet()
    assert cleaned(grey) is grey
    assert cleaned(sheet(noise=40)) is not grey


def word(text: str, left: int, top: int, block: int, line: int) -> Recognised:
    return Recognised(text, 0.9, left, top, 10 * len(text), 20, block, 1, line)


def lines(words: list[Recognised]) -> list[str]:
    found: dict[tuple[int, int, int], list[str]] = {}
    for one in words:
        found.setdefault((one.block, one.paragraph, one.line), []).append(one.text)
    return [" ".join(texts) for texts in found.values()]


def test_cells_that_were_read_as_columns_are_rows_again() -> None:
    names = [word("Sodium", 0, 0, 1, 1), word("Potassium", 0, 30, 1, 2), word("Glucose", 0, 60, 1, 3)]
    values = [word("141", 300, 2, 2, 1), word("5.9", 300, 31, 2, 2), word("10.4", 300, 62, 2, 3)]
    assert lines(rows_together([*names, *values])) == ["Sodium 141", "Potassium 5.9", "Glucose 10.4"]


def test_a_column_read_over_two_tables_is_parted_among_their_rows() -> None:
    first = [word("Haloperidol", 0, 0, 1, 1), word("Ketorolac", 0, 30, 1, 2), word("Etomidate", 0, 60, 1, 3)]
    second = [word("Infusions", 0, 120, 2, 1), word("Ketamine", 0, 150, 2, 2)]
    column = [word("10", 300, 1, 3, 1), word("15", 300, 31, 3, 2), word("30", 300, 61, 3, 3), word("0.5", 300, 151, 3, 4)]
    rest = [word("Esmolol", 0, 180, 2, 3), word("200", 300, 181, 4, 1)]
    found = lines(rows_together([*first, *second, rest[0], *column, rest[1]]))
    assert found == ["Haloperidol 10", "Ketorolac 15", "Etomidate 30", "Infusions", "Ketamine 0.5", "Esmolol 200"]


def test_a_cell_between_the_cells_of_a_row_joins_it() -> None:
    row = [word("Ketorolac", 0, 0, 1, 1), word("never", 600, 0, 1, 1)]
    assert lines(rows_together([*row, word("15", 300, 1, 2, 1)])) == ["Ketorolac 15 never"]


def test_columns_of_prose_stay_columns() -> None:
    left = [word("word", 60 * at, 30 * line, 1, line) for line in range(3) for at in range(7)]
    right = [word("text", 500 + 60 * at, 30 * line, 2, line) for line in range(3) for at in range(7)]
    assert lines(rows_together([*left, *right])) == ["word " * 6 + "word"] * 3 + ["text " * 6 + "text"] * 3


def test_the_end_of_a_line_that_was_taken_for_a_block_joins_it_however_long_it_is() -> None:
    line = [word("text", 60 * at, 0, 1, 1) for at in range(7)]
    end = [word("more", 430 + 60 * at, 0, 2, 1) for at in range(6)]
    assert lines(rows_together([*line, *end])) == ["text " * 7 + "more " * 5 + "more"]
    apart = [word("more", 500 + 60 * at, 0, 2, 1) for at in range(6)]
    assert lines(rows_together([*line, *apart])) == ["text " * 6 + "text", "more " * 5 + "more"]


def test_counts_pieces_without_specks_and_without_what_lies_inside() -> None:
    dark = np.zeros((40, 60), dtype=np.float32)
    dark[5:35, 5:20] = 1
    dark[10:30, 9:16] = 0  # a ring
    dark[17:22, 11:14] = 1  # with a dot in it
    dark[28:35, 30:36] = 1
    dark[3, 50] = 1  # a speck
    dark[28:35, 50:56] = 0.6  # a smear: no dot of it is print
    assert [(piece.x0, piece.width) for piece in pieces_of(dark, 30)] == [(5, 15), (30, 6)]


def test_a_bar_below_tells_at_least_from_more_than() -> None:
    dark = np.zeros((20, 20), dtype=np.float32)
    for at in range(10):
        dark[at, 2 * at : 2 * at + 2] = dark[19 - at, 2 * at : 2 * at + 2] = 1
    assert not has_bar(dark)
    dark[18:] = 1
    assert has_bar(dark)


def test_a_sign_below_the_line_of_digits_is_uneven() -> None:
    dark = np.zeros((60, 80), dtype=np.float32)
    dark[10:40, 5:20] = dark[10:40, 25:40] = 1
    assert not is_uneven(pieces_of(dark, 30))
    dark[18:50, 45:60] = 1
    assert is_uneven(pieces_of(dark, 40))
