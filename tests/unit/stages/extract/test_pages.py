"""Pages become one text whose marks tile it and whose signs are all accounted for."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

from pipeline.domain.marks import Mark, MarkKind, of_kind
from pipeline.domain.reading import FigureKind, PageOutcome, ReadFile
from pipeline.stages.extract.content import Block, BlockKind, Box, Figure, Line, PageContent, Table, Word
from pipeline.stages.extract.pages import SourcePage, assemble

BOX = Box(72, 100, 540, 110)


def line(text: str, **word: object) -> Line:
    return Line(tuple(Word(part, BOX, **word) for part in text.split()), BOX)  # type: ignore[arg-type]


def block(*texts: str, kind: BlockKind = BlockKind.PARAGRAPH, level: int = 0, top: float = 100.0) -> Block:
    return Block(kind, replace(BOX, top=top, bottom=top + 10), tuple(line(text) for text in texts), level)


def page(number: int, *blocks: Block, outcome: PageOutcome = PageOutcome.TEXT_LAYER, dropped: int = 0) -> PageContent:
    signs = sum(len(word.text) for one in blocks for each in one.lines for word in each.words)
    return PageContent(number, 612, 792, outcome, tuple(blocks), characters=signs + dropped, dropped=dropped)


def read(*pages: PageContent) -> ReadFile:
    return assemble([SourcePage(one) for one in pages])


def shown(file: ReadFile, *kinds: MarkKind) -> list[tuple[str, int, int]]:
    return [(file.text[mark.start : mark.end], mark.number, mark.level) for mark in of_kind(file.marks, *kinds)]


def test_blocks_are_written_by_the_conventions() -> None:
    file = read(
        page(
            1,
            block("Study of Early Fluids", kind=BlockKind.TITLE),
            block("1 Background", kind=BlockKind.HEADING, level=1),
            block("Fluids are given", "early in sepsis:"),
            block("• crystalloids", kind=BlockKind.LIST_ITEM, level=1),
            block("• albumin", kind=BlockKind.LIST_ITEM, level=1),
            block("Both are compared."),
        )
    )
    assert file.text == (
        "Study of Early Fluids\n\n1 Background\n\nFluids are given early in sepsis:\n• crystalloids\n• albumin\n\nBoth are compared."
    )
    assert file.title == "Study of Early Fluids"
    assert shown(file, MarkKind.HEADING) == [("1 Background", 0, 1)]
    assert shown(file, MarkKind.LIST_ITEM) == [("• crystalloids", 0, 1), ("• albumin", 0, 1)]
    assert [mark for mark in file.marks if mark.kind is MarkKind.PAGE] == [
        Mark(0, len(file.text), MarkKind.PAGE, number=1, reading="text_layer")
    ]


def test_a_sentence_goes_on_over_the_page_with_the_boundary_inside_it() -> None:
    file = read(page(1, block("The dose was", "re-")), page(2, block("duced by half."), block("Next day.")))
    assert file.text == "The dose was reduced by half.\n\nNext day."
    assert [file.text[mark.start : mark.end] for mark in of_kind(file.marks, MarkKind.PAGE)] == [
        "The dose was re",
        "duced by half.\n\nNext day.",
    ]
    assert [(one.characters, one.body, one.dropped, one.unexplained) for one in file.pages] == [(13, 12, 1, 0), (20, 20, 0, 0)]


def test_a_sentence_goes_on_in_the_next_column() -> None:
    assert read(page(1, block("Fluids were", top=700), block("given early.", top=80))).text == "Fluids were given early."


def test_paragraphs_below_each_other_stay_apart() -> None:
    assert read(page(1, block("Fluids were", top=80), block("given early.", top=200))).text == "Fluids were\n\ngiven early."


def test_no_paragraph_goes_on_after_a_full_stop_or_before_a_capital() -> None:
    assert read(page(1, block("Given early.")), page(2, block("mL are counted."))).text == "Given early.\n\nmL are counted."
    assert read(page(1, block("Given early")), page(2, block("Then held."))).text == "Given early\n\nThen held."


def test_page_marks_tile_the_text_and_pages_without_text_are_there() -> None:
    blank, failed = page(2, outcome=PageOutcome.BLANK), page(5, outcome=PageOutcome.FAILED)
    file = read(page(1, block("One.")), blank, page(3, block("Three.")), page(4, block("Four.")), failed)
    marks = of_kind(file.marks, MarkKind.PAGE)
    assert [mark.number for mark in sorted(marks, key=lambda mark: mark.number)] == [1, 2, 3, 4, 5]
    covered = sorted(marks, key=lambda mark: mark.number)
    assert covered[0].start == 0
    assert covered[-1].end == len(file.text)
    assert all(one.end == following.start for one, following in pairwise(covered))


def table_block(*rows: tuple[str, ...], header_rows: int = 1, continues: bool = False) -> Block:
    lines = tuple(line(" ".join(row)) for row in rows[header_rows if continues else 0 :])
    return Block(BlockKind.TABLE, BOX, lines, table=Table(tuple(rows), header_rows, BOX, continues))


def test_a_table_over_two_pages_is_one_table() -> None:
    first = table_block(("Drug", "Dose"), ("Amoxil", "250 mg"))
    rest = table_block(("Drug", "Dose"), ("Zinc", "20 mg"), continues=True)
    file = read(page(1, first), page(2, rest))
    assert file.text == "Drug; Dose\nDrug: Amoxil; Dose: 250 mg\nDrug: Zinc; Dose: 20 mg"
    assert shown(file, MarkKind.TABLE) == [(file.text, 1, 0)]
    assert [(number, level) for _, number, level in shown(file, MarkKind.TABLE_ROW)] == [(1, 1), (2, 0), (3, 0)]
    assert [text for text, _, level in shown(file, MarkKind.TABLE_CELL) if not level] == ["Amoxil", "250 mg", "Zinc", "20 mg"]
    assert [one.unexplained for one in file.pages] == [0, 0]
    assert [one.tables for one in file.pages] == [1, 1]


def test_a_sign_that_no_cell_has_is_unexplained() -> None:
    lost = replace(table_block(("Drug", "Dose"), ("Zinc", "20 mg")), table=Table((("Drug", "Dose"), ("Zinc", "2 mg")), 1, BOX))
    assert read(page(1, lost)).pages[0].unexplained == 1


def test_a_hyphen_that_a_cell_repaired_is_dropped_and_a_word_that_it_lost_is_unexplained() -> None:
    broken, minus = (Word("infu-", BOX), Word("sion", BOX)), (Word("-5", BOX),)
    lines = (Line((*broken, *minus), BOX),)
    content = page(1, Block(BlockKind.TABLE, BOX, lines, table=Table((("infusion", "5"),), 0, BOX, words=((broken, minus),))))
    counted = read(content).pages[0]
    assert (counted.dropped, counted.unexplained) == (1, len("-5"))


def test_a_value_that_is_said_in_two_rows_does_not_hide_a_lost_one() -> None:
    dose, first, second, lost = (Word(text, BOX) for text in ("5", "morning", "evening", "5"))
    lines = (Line((dose, first, second, lost), BOX),)
    words = (((dose,), (first,)), ((dose,), (second,)))
    carried = Table((("5", "morning"), ("5", "evening")), 0, BOX, words=words)
    assert read(page(1, Block(BlockKind.TABLE, BOX, lines, table=carried))).pages[0].unexplained == 1


def test_a_head_over_two_columns_does_not_hide_a_lost_sign() -> None:
    head, left, right, one, two, lost = (Word(text, BOX) for text in ("Dose", "low", "high", "1", "2", "Dose"))
    lines = (Line((head, left, right, one, two, lost), BOX),)
    rows = (("Dose", "Dose"), ("low", "high"), ("1", "2"))
    words = (((head,), (head,)), ((left,), (right,)), ((one,), (two,)))
    table = Table(rows, 2, BOX, words=words)
    assert read(page(1, Block(BlockKind.TABLE, BOX, lines, table=table))).pages[0].unexplained == len("Dose")


def test_a_word_that_stands_nowhere_is_unexplained_even_where_another_stands_twice() -> None:
    content = page(1, block("Given twice."), block("Given twice."))
    file = assemble([SourcePage(content, signs=Counter("Giventwice.Heldonce."))])
    assert file.pages[0].unexplained > 0


def test_signs_that_the_text_layer_has_and_no_word_are_unexplained() -> None:
    assert read(replace(page(1, block("Given early.")), characters=15)).pages[0].unexplained == 4


def test_furniture_is_kept_beside_the_text_and_counted() -> None:
    content = page(2, block("Given early."))
    file = assemble([SourcePage(replace(content, characters=17), (line("Page 2"),), Counter("Givenearly.Page2"))])
    assert file.text == "Given early."
    assert (file.furniture, file.furniture_marks) == ("Page 2\n", (Mark(0, 7, MarkKind.PAGE, number=2),))
    counted = file.pages[0]
    assert (counted.characters, counted.body, counted.furniture, counted.unexplained) == (17, 11, 5, 1)


def test_words_of_ocr_keep_their_confidence_and_doubts() -> None:
    words = (Word("Give", BOX, 0.96), Word("50mg", BOX, 0.4, suspect=True))
    content = PageContent(1, 612, 792, PageOutcome.OCR, (Block(BlockKind.PARAGRAPH, BOX, (Line(words, BOX),)),), characters=8)
    file = read(content)
    assert [(file.text[mark.start : mark.end], mark.confidence) for mark in of_kind(file.marks, MarkKind.WORD)] == [
        ("Give", 0.96),
        ("50mg", 0.4),
    ]
    assert [file.text[mark.start : mark.end] for mark in of_kind(file.marks, MarkKind.SUSPECT)] == ["50mg"]
    assert (file.pages[0].confidence, file.pages[0].lowest, file.pages[0].suspects) == (0.68, 0.4, 1)
    assert of_kind(file.marks, MarkKind.PAGE)[0].reading == "ocr"


def test_doubts_stay_on_numbers_within_tables_of_scans() -> None:
    words = (Word("Sodium", BOX, 0.9), Word("139", BOX, 0.5, suspect=True))
    block = Block(BlockKind.TABLE, BOX, (Line(words, BOX),), table=Table((("Sodium", "139"),), 0, BOX, words=(((words[0],), (words[1],)),)))
    file = read(PageContent(1, 612, 792, PageOutcome.OCR, (block,), characters=9))
    assert [file.text[mark.start : mark.end] for mark in of_kind(file.marks, MarkKind.SUSPECT)] == ["139"]


def figure_block(kind: FigureKind, caption: str, text: str) -> Block:
    figure = Figure(BOX, kind, 300, 200, b"png", caption, text, captioned_by="printed")
    return Block(BlockKind.FIGURE, BOX, (line(caption),) if caption else (), figure=figure)


def test_figures_are_numbered_and_decoration_is_in_no_text() -> None:
    file = read(page(1, figure_block(FigureKind.REPEATED, "", ""), figure_block(FigureKind.FIGURE, "Figure 2. Flow", "Screened 40")))
    assert file.text == "Figure 2. Flow Screened 40"
    assert shown(file, MarkKind.FIGURE) == [(file.text, 1, 0)]
    assert [(one.number, one.kind) for one in file.figures] == [(0, FigureKind.REPEATED), (1, FigureKind.FIGURE)]
    assert (file.pages[0].unexplained, file.pages[0].figures, file.pages[0].characters) == (0, 1, 22)


def test_no_pages_make_an_empty_file() -> None:
    assert assemble([]).text == ""


def test_a_sentence_goes_on_over_the_page_past_a_picture_without_text() -> None:
    logo = figure_block(FigureKind.REPEATED, "", "")
    file = read(page(1, block("Fluids were"), logo), page(2, logo, block("given early.")))
    assert file.text == "Fluids were given early."
    assert [(one.page, one.number) for one in file.figures] == [(1, 0), (2, 0)]


def test_no_sentence_goes_on_past_a_figure() -> None:
    figure = figure_block(FigureKind.FIGURE, "Figure 2. Flow", "Screened 40")
    assert read(page(1, block("Fluids were"), figure), page(2, block("given early."))).text.startswith("Fluids were\n\nFigure 2.")
