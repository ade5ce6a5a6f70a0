"""What holds for every document: parts are covered, furniture is left out, the same text gives the same sections."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.domain.documents import FURNITURE_PART
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import FILE_KINDS, DocumentKind, Section
from pipeline.stages.sections import SectionFinder
from pipeline.testing.section_gold import deidentified
from tests.unit.stages.sections.conftest import spans

BITS = st.sampled_from(
    """HPI:|PLAN|Impression :|IMPRES SION|:|,|.|~|~~|  |1. |5.2 |## |**|- |[NAME]|he |Ärzte |HEENT: |TABLE OF CONTENTS| .... 12|EXCLUSION CRITERIA
A\u0301|I M P R E S S I O N|\t|Adult:|IV. """.replace("\n", "|").split("|")
).map(lambda bit: bit.replace("~", "\n"))


def covers(text, found):
    assert found[0].start == 0
    assert found[-1].end == len(text)
    assert all(one.end == other.start for one, other in pairwise(found))
    assert all(one.start < one.end and one.start <= one.heading_end <= one.end for one in found)
    assert all(len(entry) <= 120 for one in found for entry in one.path)


@settings(max_examples=200, deadline=None)
@given(bits=st.lists(BITS, min_size=1, max_size=40), kind=st.sampled_from(FILE_KINDS), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_sections_cover_the_text_without_gap_or_overlap(bits, kind, cuts):
    text = "".join(bits)
    marks = [Mark(min(a, b), max(a, b), MarkKind.HEADING, level=a % 4 + 1) for a, b in pairwise(min(cut, len(text)) for cut in cuts)]
    found = spans(text, kind, marks)
    covers(text, found)
    assert spans(text, kind, marks) == found


@pytest.mark.parametrize(
    "unit",
    [
        "A",
        "A ",
        "A. ",
        "PLAN:",
        "PLAN:,",
        ",PLAN",
        ":",
        ".",
        ")A",
        "# ",
        "**",
        "\n",
        " ",
        "\t\n",
        "1.",
        "1.1 ",
        "A" * 20 + " ",
        "HEENT: x.,",
        "[NAME]",
        "IMPRESSION" + "." * 300 + "x\n",
        "I M P ",
    ],
)
@pytest.mark.parametrize("kind", [DocumentKind.NOTE, DocumentKind.PROTOCOL])
def test_hostile_text_is_covered_too(unit, kind):
    text = unit * (100_000 // len(unit))
    covers(text, spans(text, kind))
    covers(text, spans(text, kind, [Mark(0, len(text), MarkKind.HEADING, level=1)]))


def test_a_part_without_heading_is_one_section():
    (found,) = spans("Seen today. Well.")
    assert (found.section, found.heading_end, found.level, found.path) == (Section.NOTE_TEXT, 0, 0, ())


def test_furniture_and_empty_parts_have_no_sections():
    document = deidentified("d", DocumentKind.NOTE, "PLAN: rest")
    part = document.parts[0]
    parts = (replace(part, name=FURNITURE_PART, text="PLAN: page 1"), replace(part, name="empty", text=""), part)
    assert [one.part for one in SectionFinder().sections(replace(document, parts=parts))] == ["text"]


def test_text_before_the_first_heading_is_a_title_page_where_the_kind_has_one():
    text = "A study of rest\n\n1. INTRODUCTION\nRest is good."
    assert spans(text, DocumentKind.PROTOCOL)[0].section is Section.TITLE_PAGE
    assert spans(text, DocumentKind.NOTE)[0].section is Section.NOTE_TEXT
    assert spans("A study of rest", DocumentKind.PROTOCOL)[0].section is Section.NOTE_TEXT


def test_no_text_stands_in_the_representation_of_a_section():
    (found,) = spans("PLAN FOR [NAME]:\nrest\n\nPLAN:\nsecret words")[-1:]
    assert "PLAN" not in repr(found).replace("Section.PLAN", "").replace("'PLAN'", "")
    assert "secret" not in repr(found)
