"""Tables that go on over pages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Table, Word
from pipeline.stages.extract.tables.join import join_continued
from pipeline.stages.extract.tables.rows import write_rows

HEAD = ("Dose step", "Drug P (mg)", "Drug Q (mg/m2)")
FIRST = (HEAD, ("1", "12", "80"), ("2", "24", "80"))
REST = (("3", "48", "110"), ("-1", "6", "65"))


def _table(rows: Sequence[tuple[str, ...]], header_rows: int, *, top: float, shift: float = 0) -> Block:
    words = tuple(
        tuple(
            (Word(text, Box(60 + shift + 100 * column, top + 15 * number, 90 + shift + 100 * column, top + 15 * number + 10)),)
            for column, text in enumerate(row)
        )
        for number, row in enumerate(rows)
    )
    box = Box(60 + shift, top, 360 + shift, top + 15 * len(rows))
    lines = tuple(Line(tuple(word for cell in row for word in cell), box) for row in words)
    return Block(BlockKind.TABLE, box, lines, table=Table(tuple(rows), header_rows, box, words=words))


def _text(top: float, text: str = "Words between.") -> Block:
    box = Box(60, top, 200, top + 10)
    return Block(BlockKind.PARAGRAPH, box, (Line(tuple(Word(word, box) for word in text.split()), box),))


def _pages(*pages: Sequence[Block]) -> list[PageContent]:
    return [PageContent(number, 600, 800, PageOutcome.TEXT_LAYER, tuple(blocks)) for number, blocks in enumerate(pages, 1)]


def _tables(pages: Sequence[PageContent]) -> list[Table]:
    return [block.table for page in pages for block in page.blocks if block.table is not None]


def _written(pages: Sequence[PageContent]) -> list[str]:
    return [row.text for table in _tables(pages) for row in write_rows(table).rows]


WHOLE = [
    "Dose step; Drug P (mg); Drug Q (mg/m2)",
    "Dose step: 1; Drug P (mg): 12; Drug Q (mg/m2): 80",
    "Dose step: 2; Drug P (mg): 24; Drug Q (mg/m2): 80",
    "Dose step: 3; Drug P (mg): 48; Drug Q (mg/m2): 110",
    "Dose step: -1; Drug P (mg): 6; Drug Q (mg/m2): 65",
]


def test_rows_on_the_next_page_have_the_names_of_the_columns_above() -> None:
    pages = join_continued(_pages([_text(100), _table(FIRST, 1, top=700)], [_table(REST, 0, top=60), _text(300)]))
    assert _written(pages) == WHOLE
    assert [table.continues for table in _tables(pages)] == [False, True]
    assert pages[1].dropped == 0


def test_a_repeated_header_is_said_once_and_counted_as_dropped() -> None:
    pages = join_continued(_pages([_table(FIRST, 1, top=700)], [_table((HEAD, *REST), 1, top=60)]))
    assert _written(pages) == WHOLE
    assert pages[1].dropped == len("".join(HEAD))
    table = pages[1].blocks[0]
    assert [line.text for line in table.lines] == ["3 48 110", "-1 6 65"]


def test_a_header_that_was_not_seen_as_one_on_the_next_page_is_dropped_too() -> None:
    assert _written(join_continued(_pages([_table(FIRST, 1, top=700)], [_table((HEAD, *REST), 0, top=60)]))) == WHOLE


def test_a_table_goes_on_over_three_pages() -> None:
    pages = join_continued(_pages([_table(FIRST, 1, top=700)], [_table(REST[:1], 0, top=60)], [_table(REST[1:], 0, top=60)]))
    assert _written(pages) == WHOLE


def test_page_numbers_and_a_repeated_caption_do_not_part_it() -> None:
    pages = _pages(
        [_table(FIRST, 1, top=650), _text(770, "Page 7")],
        [_text(20, "Protocol"), _text(120, "Table 4 (continued)"), _table(REST, 0, top=150)],
    )
    assert [table.continues for table in _tables(join_continued(pages))] == [False, True]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param([_table(FIRST, 1, top=300), _text(400)], [_table(REST, 0, top=60)], id="text after the first"),
        pytest.param([_table(FIRST, 1, top=700)], [_text(200), _table(REST, 0, top=300)], id="text before the second"),
        pytest.param([_table(FIRST, 1, top=700)], [_table((("Visit", "Arm", "N"), *REST), 1, top=60)], id="another header"),
        pytest.param([_table(FIRST, 1, top=700)], [_table([row[:2] for row in REST], 0, top=60)], id="fewer columns"),
        pytest.param([_table(FIRST, 1, top=700)], [_table(REST, 0, top=60, shift=40)], id="columns elsewhere"),
        pytest.param([_text(700)], [_table(REST, 0, top=60)], id="no table before"),
    ],
)
def test_is_another_table(first: list[Block], second: list[Block]) -> None:
    assert not any(table.continues for table in _tables(join_continued(_pages(first, second))))


VISITS = (("Visit", "Day", "Instructions"), ("Baseline", "1", "The diary is handed out and"))


def test_the_rest_of_a_row_that_the_page_cuts_has_its_name() -> None:
    rest = (("", "", "read together."), ("Follow-up", "8", "By telephone."))
    pages = join_continued(_pages([_table(VISITS, 1, top=700)], [_table(rest, 0, top=60)]))
    assert _written(pages)[-2:] == [
        "Visit: Baseline; Instructions: read together.",
        "Visit: Follow-up; Day: 8; Instructions: By telephone.",
    ]


@pytest.mark.parametrize("rest", [("", "2", "Weight is taken."), ("", "", "Weight is taken.")])
def test_a_row_without_a_name_that_begins_anew_gets_none(rest: tuple[str, ...]) -> None:
    pages = join_continued(_pages([_table(VISITS, 1, top=700)], [_table((rest, ("Follow-up", "8", "By telephone.")), 0, top=60)]))
    assert "Visit: Baseline" not in _written(pages)[-2]
