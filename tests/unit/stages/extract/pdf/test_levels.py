from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Word
from pipeline.stages.extract.pdf.levels import relevel


def block(kind: BlockKind, text: str, size: float, *, bold: bool = False, top: float = 100, level: int = 2) -> Block:
    box = Box(50, top, 500, top + size)
    line = Line(tuple(Word(word, box) for word in text.split()), box, size, bold)
    return Block(kind, box, (line,), level if kind is BlockKind.HEADING else 0)


def page(number: int, *blocks: Block) -> PageContent:
    return PageContent(number, 595, 842, PageOutcome.TEXT_LAYER, blocks)


BODY = block(BlockKind.PARAGRAPH, "words of the body that are most of what the pages hold " * 4, 10)
HEADING = BlockKind.HEADING


def levels(pages: list[PageContent]) -> list[tuple[str, int]]:
    return [(one.lines[0].words[0].text, one.level) for content in pages for one in content.blocks if one.kind is HEADING]


def test_a_number_decides_over_size() -> None:
    read = relevel([page(1, block(HEADING, "3.2.1 Doses", 16), BODY, block(HEADING, "4 Visits", 11, bold=True), BODY)])
    assert levels(read) == [("3.2.1", 3), ("4", 1)]


def test_headings_without_a_number_take_the_level_of_numbered_ones_that_look_alike() -> None:
    read = relevel(
        [page(1, block(HEADING, "1 Aims", 14), BODY), page(2, block(HEADING, "1.1 First", 12), block(HEADING, "Summary", 12), BODY)]
    )
    assert levels(read) == [("1", 1), ("1.1", 2), ("Summary", 2)]


def test_without_numbers_the_rank_of_the_size_decides_over_all_pages() -> None:
    small, large = block(HEADING, "Small one", 11, bold=True), block(HEADING, "Large one", 12.2)
    assert levels(relevel([page(1, small, BODY), page(2, large, BODY)])) == [("Small", 2), ("Large", 1)]


def test_levels_go_no_deeper_than_six() -> None:
    many = [block(HEADING, f"S{size} head", size) for size in range(30, 12, -2)]
    assert {level for _, level in levels(relevel([page(1), page(2), page(3, *many, BODY)]))} == {1, 2, 3, 4, 5, 6}


def test_the_largest_type_of_the_first_page_is_the_title() -> None:
    title = block(BlockKind.PARAGRAPH, "A study of one drug", 20, bold=True, top=200)
    read = relevel([page(1, block(HEADING, "Sponsor Example Works", 14), title, BODY), page(2, block(HEADING, "Not The Title", 24), BODY)])
    assert [one.lines[0].text for content in read for one in content.blocks if one.kind is BlockKind.TITLE] == ["A study of one drug"]


def test_there_is_no_title_where_nothing_is_larger() -> None:
    read = relevel([page(1, block(BlockKind.PARAGRAPH, "Dear colleague of mine", 10), BODY)])
    assert all(one.kind is BlockKind.PARAGRAPH for one in read[0].blocks)


def test_what_stands_low_on_the_page_is_no_title() -> None:
    read = relevel([page(1, block(HEADING, "Please turn over now", 20, top=800), BODY)])
    assert all(one.kind is not BlockKind.TITLE for one in read[0].blocks)


def test_a_section_below_a_title_of_one_word_is_no_title() -> None:
    sections = [block(HEADING, text, 13, top=top) for text, top in (("Aims", 150), ("Children", 250), ("When to call us", 350))]
    read = relevel([page(1, block(HEADING, "Nosebleed", 16), *sections, BODY)])
    assert levels(read) == [("Nosebleed", 1), ("Aims", 2), ("Children", 2), ("When", 2)]


def titles(pages: list[PageContent]) -> list[str]:
    return [
        " ".join(line.text for line in one.lines) for content in relevel(pages) for one in content.blocks if one.kind is BlockKind.TITLE
    ]


def test_a_title_over_blocks_of_one_look_is_one_title() -> None:
    lines = [block(HEADING, text, 16, bold=True, top=top) for text, top in (("Dry socks and", 100), ("cold feet of crews", 120))]
    assert titles([page(1, *lines, block(HEADING, "A. Alder", 12, top=140), BODY)]) == ["Dry socks and cold feet of crews"]


def test_a_line_far_below_or_in_other_type_is_no_part_of_the_title() -> None:
    title = block(HEADING, "Dry socks for crews", 16, top=100)
    assert titles([page(1, title, block(HEADING, "Harbour Rescue Press", 16, top=300), BODY)]) == ["Dry socks for crews"]
    assert titles([page(1, title, block(HEADING, "Harbour Rescue Press", 13, top=120), BODY)]) == ["Dry socks for crews"]
