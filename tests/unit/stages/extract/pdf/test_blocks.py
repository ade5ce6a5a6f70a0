"""Lists of drugs and doses as printed: headings set in, items without bullets, lists over pages. Lines by their left edges, no PDF."""

from collections.abc import Sequence

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Word
from pipeline.stages.extract.paragraphs import join_lines
from pipeline.stages.extract.pdf.blocks import Placed, blocks_of
from pipeline.stages.extract.pdf.levels import relevel
from pipeline.stages.extract.pdf.nesting import renest

SIZE = 10.0
SIGN = 5.0  # width of a sign in points
WIDE = "The crew writes down what was given, when it was given and what it changed, in the record of the call that it"


def placed(text: str, x0: float, base: float, *, bold: bool = False) -> Placed:
    words, left = [], x0
    for part in text.split():
        words.append(Word(part, Box(left, base - SIZE, left + SIGN * len(part), base)))
        left += SIGN * (len(part) + 1)
    line = Line(tuple(words), Box(x0, base - SIZE, left - SIGN, base), SIZE, bold)
    return Placed(line, x0, left - SIGN, base, SIGN * len(words[0].text), bold, is_tabular=False)


def blocks(*rows: tuple[str, float] | tuple[str, float, bool], step: float = 12.0) -> list[Block]:
    lines = [placed(row[0], row[1], 100 + step * number, bold=len(row) > 2) for number, row in enumerate(rows)]
    return blocks_of([lines])


def shown(found: Sequence[Block]) -> list[tuple[BlockKind, int, str]]:
    return [(block.kind, block.level, join_lines(block.lines).text) for block in found]


def headings(found: Sequence[Block]) -> list[tuple[str, int]]:
    return [(text, level) for kind, level, text in shown(found) if kind is BlockKind.HEADING]


def test_a_drugs_heading_inside_an_item_is_one_and_holds_those_set_in_below_it() -> None:
    found = blocks(
        (WIDE, 50),
        ("4. Choose one drug for pain:", 60),
        ("Sunfenol Dosing", 80, True),
        ("Adult Dose", 105, True),
        ("5mg slow push, repeat once", 140),
        ("Child Dose", 105, True),
        ("0.1mg/kg slow push", 140),
    )
    assert headings(found) == [("Sunfenol Dosing", 2), ("Adult Dose", 3), ("Child Dose", 3)]


def test_levels_of_headings_set_in_last_when_the_whole_document_is_seen() -> None:
    found = blocks(("Sunfenol Dosing", 80, True), ("Adult Dose", 105, True), ("5mg", 140), (WIDE, 140), (WIDE, 140))
    page = PageContent(1, 595, 842, PageOutcome.TEXT_LAYER, tuple(found))
    assert headings(relevel([page])[0].blocks) == [("Sunfenol Dosing", 1), ("Adult Dose", 2)]


def test_a_bold_line_in_an_item_without_text_set_in_below_it_is_no_heading() -> None:
    assert headings(blocks((WIDE, 50), ("4. Choose:", 60), ("Call The Base", 80, True), ("Repeat once.", 80), (WIDE, 50))) == []


def test_bold_doses_remarks_in_brackets_and_bullets_head_nothing() -> None:
    found = blocks((WIDE, 50), ("5mg (1mL) slow push", 50, True), ("(all crews)", 50, True), ("• Loss of pulse", 50, True), (WIDE, 50))
    assert headings(found) == []
    assert (BlockKind.LIST_ITEM, 1, "• Loss of pulse") in shown(found)


def test_lines_that_each_begin_with_a_capital_are_items_of_a_list_without_bullets() -> None:
    items = [
        f"{first} of a patient whom the crew has to keep safe on the way {last}"
        for first, last in (("Sedation", "in"), ("Seizure", "now"), ("Tremor", "at"))
    ]
    items = [item.rsplit(" ", 1)[0] + " home" for item in items]
    found = blocks(*((item, 80.0) for item in items))
    assert [text for _, _, text in shown(found)] == items


def test_prose_whose_lines_happen_to_begin_with_names_stays_one_paragraph() -> None:
    lines = [
        "Harbour Rescue and the crews of the North Shore answer all calls that",
        "Dock Street and its wards make. They are sent by the desk of the city of",
        "Pinewater.",
    ]
    assert len(blocks(*((line, 80.0) for line in lines))) == 1
    names = [
        "Anna Alder, Bo Birch, Cleo Cedar, Dora Dogwood, Enid Elm, Fay Fir and",
        "Greta Gorse, Hal Hazel, Ivo Ivy, Jan Juniper, Kit Kapok, Lea Larch,",
        "Mo Maple",
    ]
    assert len(blocks(*((line, 80.0) for line in names))) == 1


def test_a_line_set_back_before_another_dose_begins_a_new_item() -> None:
    found = blocks(
        ("5mg slow push, repeat once in five minutes, at most two doses before the crew calls the base", 120),
        ("Tremor of a patient who is awake and asks for help", 80),
        ("2mg slow push", 120),
    )
    assert [text.split()[0] for _, _, text in shown(found)] == ["5mg", "Tremor", "2mg"]


def test_lines_spaced_wider_than_a_tables_beside_them_are_still_one_paragraph() -> None:
    text = [placed(WIDE if number == 0 else WIDE.lower(), 50, 100 + 12 * number) for number in range(3)]
    cells = [placed("1 mg", 50, 160 + 6.5 * number) for number in range(12)]
    assert len(shown(blocks_of([[*text, *cells]])[:1])[0][2]) > 2 * len(WIDE)


def test_steps_of_three_lines_are_not_taken_for_centred_ones() -> None:
    found = blocks((WIDE, 50), ("Sunfenol Dosing", 80, True), ("Adult Dose", 92.5, True), ("5mg slow push", 120), (WIDE, 50))
    assert [text for text, _ in headings(found)] == ["Sunfenol Dosing", "Adult Dose"]


def item(text: str, x0: float, level: int, kind: BlockKind = BlockKind.LIST_ITEM) -> Block:
    line = placed(text, x0, 100).line
    return Block(kind, line.box, (line,), level)


def page(number: int, *found: Block, rotation: int = 0) -> PageContent:
    return PageContent(number, 595, 842, PageOutcome.TEXT_LAYER, found, rotation=rotation)


def levels(pages: Sequence[PageContent]) -> list[list[int]]:
    return [[one.level for one in content.blocks] for content in pages]


def test_a_list_goes_on_over_the_page_at_its_own_depth() -> None:
    first = page(1, item("I. Doses", 50, 1), item("A. Adults", 80, 2), item("1. By mouth", 110, 3))
    second = page(2, item("2. By vein", 110, 1), item("B. Children", 80, 1), item("II. Calls", 50, 1))
    assert levels(renest([first, second])) == [[1, 2, 3], [3, 2, 1]]


def test_a_heading_a_paragraph_to_the_left_and_a_turned_page_end_a_list() -> None:
    first = page(1, item("I. Doses", 50, 1), item("A. Adults", 80, 2))
    for between in (item("Calls", 50, 2, BlockKind.HEADING), item("Text.", 50, 0, BlockKind.PARAGRAPH)):
        assert levels(renest([first, page(2, between, item("1. One", 80, 1))]))[1][1] == 1
    assert levels(renest([first, page(2, item("1. One", 80, 1), rotation=90)]))[1] == [1]


def test_a_page_that_begins_further_left_begins_a_list_of_its_own() -> None:
    assert levels(renest([page(1, item("A. Adults", 80, 1)), page(2, item("1. One", 50, 1), item("a. Two", 80, 2))]))[1] == [1, 2]
