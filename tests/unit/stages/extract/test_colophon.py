"""Feet and heads of single pages: dates, page counts and signatures go; sentences that hold a date stay."""

import pytest

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.colophon import colophon_rows
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Word
from pipeline.stages.extract.furniture import strip_furniture


@pytest.mark.parametrize(
    "row",
    [
        "EFFECTIVE: 04-01-11 REVISED: 09-30-25 Page 1",
        "Revised: 03/2024",
        "SUPERSEDES: NEW",
        "Form HX-20 Page 1 of 2 (Rev. 05/2019)",
        "LAST REVISED: 12-01-23 (or when the radio plan takes effect)",
        "Effective date: 1 March 2024",
        "Page 1 / 3",
    ],
)
def test_a_foot_that_dates_or_counts_is_furniture(row: str) -> None:
    assert colophon_rows([row], 1, is_top=False) == 1


@pytest.mark.parametrize(
    "row",
    [
        "Revised 03-02-24 was the dose of insulin that the ward had asked for.",
        "The drug was effective 2 March 2024 and was given again.",
        "See page 4 of 9 for the dose of a child",
        "Page 2 of 3",
        "Continue with the second page",
        "Reviewed with the family",
        "Approved dose 5 mg",
    ],
)
def test_a_sentence_a_reference_or_another_pages_number_is_none(row: str) -> None:
    assert colophon_rows([row], 1, is_top=False) == 0


def test_signatures_below_the_row_that_counts_pages_go_with_it() -> None:
    rows = [
        "Chief of Rescue Medical Director",
        "APPROVED: ______ ______",
        "REVISED: 09-30-25",
        "EFFECTIVE: 04-01-11 PAGE 1 OF 4",
        "Give 5 mg again.",
    ]
    assert colophon_rows(rows, 1, is_top=False) == 4


def test_at_the_top_only_rows_that_match_go() -> None:
    rows = ["Harbour Rescue Service", "Revised: 03-02-24 Page 1 of 2"]
    assert colophon_rows(rows, 1, is_top=True) == 0
    assert colophon_rows(rows[1:], 1, is_top=True) == 1


def test_a_long_tail_below_a_page_count_is_text() -> None:
    rows = [*(f"Row {number} of the dosing card" for number in range(9)), "Page 1 of 4"]
    assert colophon_rows(rows, 1, is_top=False) == 0


def line(text: str, top: float, x: float = 72.0) -> Line:
    word = Word(text, Box(x, top, x + 5.0 * len(text), top + 10))
    return Line((word,), word.box, size=10)


def test_a_single_page_loses_its_foot_and_the_foot_is_kept_as_furniture() -> None:
    lines = (
        line("Give 5 mg.", 300),
        line("Repeat once.", 690),
        line("EFFECTIVE: 04-01-11", 730),
        line("PAGE 1 OF 1", 730, 480),
        line("REVISED: 09-30-25", 742),
    )
    page = PageContent(1, 612, 792, PageOutcome.TEXT_LAYER, tuple(Block(BlockKind.PARAGRAPH, one.box, (one,)) for one in lines))
    stripped = strip_furniture([page])[0]
    assert [one.text for one in stripped.furniture] == ["EFFECTIVE: 04-01-11", "PAGE 1 OF 1", "REVISED: 09-30-25"]
    assert [one.text for block in stripped.content.blocks for one in block.lines] == ["Give 5 mg.", "Repeat once."]
