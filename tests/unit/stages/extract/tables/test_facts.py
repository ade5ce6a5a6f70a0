"""Facts above a table never name its columns, whether the page was printed or scanned; names of columns with a colon still do."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Table, Word
from pipeline.stages.extract.tables.facts import states_facts
from pipeline.stages.extract.tables.find import find_tables
from pipeline.stages.extract.tables.join import join_continued
from pipeline.stages.extract.tables.place import place_tables
from pipeline.stages.extract.tables.rows import write_rows

_WIDE = (72.0, 220.0, 330.0, 440.0)  # points: where the columns begin
_HEAD = ("Analyte", "Value", "Units", "Interval")
_BODY = (
    ("Ferritin", "212", "ug/L", "30-400"),
    ("Lipase", "48", "U/L", "13-60"),
    ("Magnesium", "0.84", "mmol/L", "0.70-1.00"),
    ("Urate", "391", "umol/L", "200-430"),
)
_FACTS = (
    ("Client: Thessaly Vandermeer", "", "", "MRN: 5520-918"),
    ("Client Thessaly Vandermeer", "", "", "MRN 5520-918"),
    ("Client:", "Vandermeer", "Ward:", "Larch"),
    ("Bay: Larch", "", "", "Consultant: Vandermeer"),
    ("Drawn 03/11/2031", "", "", "Accession L-553018"),
)


def _page(rows: Sequence[tuple[str, ...]], *, number: int = 1, outcome: PageOutcome = PageOutcome.TEXT_LAYER) -> PageContent:
    """Return a page that sets each cell at its column, 5 points a letter."""
    lines = []
    for index, row in enumerate(rows):
        words, top = [], 20.0 + 16 * index
        for left, cell in zip(_WIDE, row, strict=True):
            x = left
            for text in cell.split():
                words.append(Word(text, Box(x, top, x + 5 * len(text), top + 10)))
                x += 5 * len(text) + 3
        box = Box(words[0].box.x0, top, words[-1].box.x1, top + 10)
        lines.append(Line(tuple(words), box))
    box = Box(72, 20, 500, lines[-1].box.bottom)
    return PageContent(number=number, width=595, height=842, outcome=outcome, blocks=(Block(BlockKind.PARAGRAPH, box, tuple(lines)),))


def _tables(page: PageContent) -> list[Table]:
    return [block.table for block in page.blocks if block.table is not None]


@pytest.mark.parametrize("outcome", [PageOutcome.TEXT_LAYER, PageOutcome.OCR])
@pytest.mark.parametrize("facts", _FACTS)
def test_facts_above_a_table_stay_text_and_its_own_names_name_its_columns(facts: tuple[str, ...], outcome: PageOutcome) -> None:
    page = _page([facts, _HEAD, *_BODY], outcome=outcome)
    (table,) = find_tables(page)
    assert (table.rows, table.header_rows) == ((_HEAD, *_BODY), 1)
    placed = place_tables(page, [table])
    assert [line.text for block in placed.blocks if block.table is None for line in block.lines] == [" ".join(" ".join(facts).split())]


@pytest.mark.parametrize("facts", _FACTS)
def test_facts_right_above_values_are_said_over_none_of_them(facts: tuple[str, ...]) -> None:
    for table in find_tables(_page([facts, *_BODY])):
        assert table.header_rows == 0
        assert all(row.text.count(":") == 0 for row in write_rows(table).rows if "Lipase" in row.text)


def test_facts_repeated_on_the_next_page_are_no_names_there() -> None:
    pages = [_page([_FACTS[0], _HEAD, *_BODY], number=number) for number in (1, 2)]
    placed = join_continued([place_tables(page, find_tables(page)) for page in pages])
    assert len(_tables(placed[1])) == 1
    for page in placed:
        for table in _tables(page):
            assert table.rows[0] == _HEAD
            assert "5520" not in write_rows(table).text


@pytest.mark.parametrize("facts", _FACTS)
def test_is_a_row_of_facts(facts: tuple[str, ...]) -> None:
    assert states_facts([cell for cell in facts if cell])


@pytest.mark.parametrize(
    "names",
    [
        _HEAD,
        ("Endpoint", "Arm A: placebo", "Arm B: varlexin"),
        ("Arm A: placebo", "Arm B: varlexin"),
        ("Outcome", "Sex: male", "Sex: female"),
        ("Placebo: N = 1041", "Varlexin: N = 1038"),
        ("Patient number", "Age (years)", "Sample"),
        ("Parameter:", "Week 104:", "Week 208:"),
        ("Visit", "Study 301", "Study 302"),
    ],
)
def test_names_columns(names: tuple[str, ...]) -> None:
    assert not states_facts(names)


def test_a_head_with_colons_stays_a_head() -> None:
    head = ("Outcome", "Arm A: low", "Arm B: high", "Both")
    rows = tuple(_of_numbers(row) for row in _BODY)
    (table,) = find_tables(_page([head, *rows]))
    assert (table.rows[0], table.header_rows) == (head, 1)


def _of_numbers(row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row of numbers."""
    return (row[0], "14", "22", "36")
