"""Tables put at their places in the reading order."""

from __future__ import annotations

from dataclasses import replace

from pipeline.domain.reading import FigureKind, PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Figure, Line, PageContent, Table, Word
from pipeline.stages.extract.tables.place import place_tables


def _word(text: str, x: float, top: float) -> Word:
    return Word(text, Box(x, top, x + 6 * len(text), top + 10))


def _line(*words: Word) -> Line:
    box = words[0].box
    for word in words:
        box = box.joined(word.box)
    return Line(words, box)


def _block(*lines: Line) -> Block:
    box = lines[0].box
    for line in lines:
        box = box.joined(line.box)
    return Block(BlockKind.PARAGRAPH, box, lines)


def _page(*blocks: Block) -> PageContent:
    return PageContent(1, 600, 800, PageOutcome.TEXT_LAYER, blocks)


def _table(*rows: tuple[Word, ...]) -> Table:
    cells = tuple(tuple((word,) for word in row) for row in rows)
    return Table(tuple(tuple(word.text for word in row) for row in rows), 1, Box(50, 100, 300, 200), words=cells)


def _texts(page: PageContent) -> list[tuple[str, str]]:
    return [(block.kind.value, " / ".join(line.text for line in block.lines)) for block in page.blocks]


DOSE, ONE, MG, TEN = _word("Level", 60, 120), _word("1", 60, 140), _word("mg", 200, 120), _word("10", 200, 140)
TABLE = _table((DOSE, MG), (ONE, TEN))


def test_a_table_stands_between_the_caption_before_it_and_the_text_after_it() -> None:
    caption, after = _line(_word("Table", 60, 90), _word("3.", 95, 90)), _line(_word("After", 60, 220))
    page = place_tables(_page(_block(caption, _line(DOSE, MG), _line(ONE, TEN), after)), [TABLE])
    assert _texts(page) == [("paragraph", "Table 3."), ("table", "Level mg / 1 10"), ("paragraph", "After")]
    assert page.blocks[1].table is TABLE


def test_columns_that_were_read_one_after_the_other_become_one_table() -> None:
    page = place_tables(_page(_block(_line(DOSE), _line(ONE)), _block(_line(MG), _line(TEN))), [TABLE])
    assert _texts(page) == [("table", "Level / 1 / mg / 10")]


def test_a_word_beside_a_table_in_the_same_line_stays_text() -> None:
    beside = _word("beside", 400, 120)
    page = place_tables(_page(_block(_line(DOSE, MG, beside), _line(ONE, TEN))), [TABLE])
    assert sorted(_texts(page)) == [("paragraph", "beside"), ("table", "Level mg / 1 10")]


def test_a_word_inside_the_box_that_no_cell_has_is_not_lost() -> None:
    stray = _word("stray", 120, 130)
    page = place_tables(_page(_block(_line(DOSE, MG), _line(stray), _line(ONE, TEN))), [TABLE])
    assert ("paragraph", "stray") in _texts(page)


def test_two_tables_are_two_blocks_in_reading_order() -> None:
    other = _table((_word("A", 60, 300), _word("B", 200, 300)), (_word("2", 60, 320), _word("3", 200, 320)))
    lines = [_line(*(cell[0] for cell in row)) for table in (TABLE, other) for row in table.words]
    page = place_tables(_page(_block(*lines)), [TABLE, other])
    assert [block.table for block in page.blocks] == [TABLE, other]


def test_figures_and_pages_without_tables_stay_as_they_are() -> None:
    figure = Block(BlockKind.FIGURE, Box(0, 0, 9, 9), figure=Figure(Box(0, 0, 9, 9), FigureKind.FIGURE, 9, 9))
    page = _page(figure, _block(_line(DOSE, MG)))
    assert place_tables(page, []) is page
    assert place_tables(page, [TABLE]).blocks[0] is figure


def test_rulings_that_ocr_read_as_signs_are_dropped_and_counted() -> None:
    bar, outside = _word("|", 150, 120), _word("|", 150, 400)
    block = _block(_line(DOSE, bar, MG), _line(ONE, TEN), _line(outside))
    read = place_tables(replace(_page(block), outcome=PageOutcome.OCR), [TABLE])
    assert _texts(read) == [("table", "Level mg / 1 10"), ("paragraph", "|")]
    assert read.dropped == 1


def test_bars_of_a_text_layer_are_signs_like_others() -> None:
    page = place_tables(_page(_block(_line(DOSE, _word("|", 150, 120), MG), _line(ONE, TEN))), [TABLE])
    assert ("paragraph", "|") in _texts(page)
    assert page.dropped == 0
