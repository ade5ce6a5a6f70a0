"""A text keeps its signs; of Markdown, headings and list items are marked where they stand."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import RecordError
from pipeline.domain.marks import MarkKind
from pipeline.domain.reading import ReadFile
from pipeline.stages.extract.office.text import read_markdown, read_text


def marked(read: ReadFile, kind: MarkKind) -> list[tuple[int, str]]:
    return [(mark.level, read.text[mark.start : mark.end]) for mark in read.marks if mark.kind is kind]


def headings(text: str) -> list[tuple[int, str]]:
    return marked(read_markdown(text.encode()), MarkKind.HEADING)


def test_a_plain_text_has_no_marks_even_where_it_looks_like_markdown():
    read = read_text(b"# 1 tablet\r\n- daily\r\n")
    assert (read.text, read.marks, read.title) == ("# 1 tablet\n- daily\n", (), "")


def test_markdown_stays_as_it_is_written():
    text = "# Plan #\n\n*Give* `5 mg` &amp; 10⁹/L\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert read_markdown(text.encode()).text == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Plan", [(1, "Plan")]),
        ("###### Deep ##", [(6, "Deep")]),
        ("   ## Indented", [(2, "Indented")]),
        ("Plan\n====", [(1, "Plan")]),
        ("x\n\nPlan\n----\ny", [(2, "Plan")]),
        ("# One\n## Two", [(1, "One"), (2, "Two")]),
        ("#Plan", []),
        ("####### Seven", []),
        ("    # code", []),
        ("#", []),
        ("```\n# code\n```\n# Plan", [(1, "Plan")]),
        ("~~~\n```\n# code\n~~~", []),
        ("two lines\nof text\n----", []),  # a rule below a paragraph
        ("\n----\n", []),
        ("- item\n----", []),
        ("Dose: 5 # 3", []),
    ],
)
def test_headings_are_marked_by_commonmark(text: str, expected: list[tuple[int, str]]):
    assert headings(text) == expected


def test_the_first_heading_of_level_1_is_the_title():
    assert read_markdown(b"## Under\n# The  plan\n# Other").title == "The plan"
    assert read_markdown(b"## Under").title == ""


def test_list_items_are_marked_with_their_nesting():
    read = read_markdown(b"- one\n  - two\n1. three\n\t* four\n-none\n2031. \n")
    assert marked(read, MarkKind.LIST_ITEM) == [(1, "- one"), (2, "- two"), (1, "1. three"), (3, "* four")]


@pytest.mark.parametrize("read", [read_text, read_markdown])
@pytest.mark.parametrize(("data", "category"), [(b"", "no_text"), ("Zoë".encode("latin-1"), "not_utf8")])
def test_what_is_no_text_fails_by_name(read, data: bytes, category: str):
    with pytest.raises(RecordError) as refused:
        read(data)
    assert refused.value.category == category
