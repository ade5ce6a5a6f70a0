"""Headings by typography."""

from __future__ import annotations

import pytest

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import DocumentKind
from tests.unit.stages.sections.conftest import signed, spans

PROTOCOL, EMS, PAPER, NOTE = DocumentKind.PROTOCOL, DocumentKind.EMS_PROTOCOL, DocumentKind.PAPER, DocumentKind.NOTE


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            PROTOCOL,
            "⟦STUDY_POPULATION:1⟧5. STUDY POPULATION\n⟦INCLUSION_CRITERION:2⟧5.1.2 Inclusion Criteria\n1. Age\n⟦EXCLUSION_CRITERION:2⟧5.1.3 Key Exclusion Criteria\n1. Pregnancy\n",
        ),
        (
            PROTOCOL,
            "⟦DISCONTINUATION:1⟧7 Discontinuation of Study Intervention\na\n⟦STUDY_INTERVENTION:1⟧8 Labeling of the Study Drug\nb\n",
        ),
        (PROTOCOL, "⟦APPENDIX:1⟧Appendix B\na\n⟦SCHEDULE_OF_ACTIVITIES:1⟧Appendix C: Schedule of Activities\nb\n"),
        (
            PROTOCOL,
            "⟦STATISTICAL_ANALYSIS:1⟧IX. Statistical Considerations\n⟦SAMPLE_SIZE:2⟧A. Sample Size\na\n⟦STATISTICAL_ANALYSIS:2⟧B. Weights\nb\n",
        ),
        (
            EMS,
            "⟦INDICATIONS:1⟧INDICATIONS\na\n⟦ADULT:2⟧Adult Dosing\nb\n⟦PEDIATRIC:2⟧Pediatric (under 15 years)\nc\n⟦BASE_CONTACT:1⟧BASE CONTACT REQUIRED\nd\n",
        ),
        (PAPER, "⟦METHODS:1⟧2 Methods\n⟦METHODS:2⟧2.1 The river\na\n⟦RESULTS:1⟧3 Results\nb\n⟦NOTE_TEXT:1⟧4 The sea\nc\n"),
        (NOTE, "⟦MEDICATIONS:1⟧MEDICATIONS\na\n⟦ALLERGIES⟧Allergies: none\n⟦PLAN:1⟧PLAN\nb\n"),
    ],
)
def test_marked_headings_bound_sections_and_unknown_ones_inherit(kind, text):
    expected, found = signed(text, kind)
    assert found == expected


@pytest.mark.parametrize(
    "line",
    [
        "If the patient does not wake up within ten minutes, give the second dose.",
        "The use of other drugs on the study day must be written down",
        "and the rest of the sentence before",
        "Inclusion Criteria ............ 14",
        "Table 4: Dose Modifications",
        "Figure 2. Study Design",
        "12",
        "(EMT, PARAMEDIC)",
        "REVISED: [DATE]",
        "Give one dose. Call the base",
    ],
)
def test_a_mark_on_what_is_no_heading_bounds_nothing(line):
    expected, found = signed(f"⟦TREATMENT:1⟧TREATMENT\na\n⟦-:2⟧{line}\nb\n", EMS)
    assert found == expected


def test_a_heading_on_two_lines_is_one():
    text = "9 Analysis of\nSafety Data\nAll events are counted."
    marks = [Mark(0, 13, MarkKind.HEADING, level=1), Mark(14, 25, MarkKind.HEADING, level=1)]
    (found,) = spans(text, PROTOCOL, marks)
    assert text[found.heading_end :] == "All events are counted."


def test_items_of_a_list_that_look_like_chapters_stay_in_theirs():
    expected, found = signed(
        "⟦SAFETY:1⟧8 SAFETY\na\n⟦SAFETY:2⟧8.1 Definitions Used\nb\n⟦SAFETY:1⟧1. Ends in death\n⟦SAFETY:1⟧2. Is dangerous\n⟦ETHICS:1⟧9 ETHICS\nc\n".replace(
            "SAFETY:2⟧8.1 Definitions Used", "SAFETY:2⟧8.1 Words Used"
        ),
        PROTOCOL,
    )
    assert found == expected
    assert [name for name, _ in found][-1] == "ETHICS"


def test_a_heading_between_two_numbers_of_a_chapter_stands_inside_it_however_large_it_is():
    expected, found = signed(
        "⟦STATISTICAL_ANALYSIS:1⟧4 STATISTICAL ANALYSES\n⟦STATISTICAL_ANALYSIS:2⟧4.1 Words used\na\n"
        "⟦STATISTICAL_ANALYSIS:1⟧Day of the visit\nb\n⟦STATISTICAL_ANALYSIS:2⟧4.2 Days of rest\nc\n⟦NOTE_TEXT:1⟧Last words\nd\n",
        PROTOCOL,
    )
    assert found == expected


@pytest.mark.parametrize("heading", ["E L I G I B I L I T Y", "ELIGI BILITY", "ELIGIBILTY"])
def test_a_marked_heading_damaged_in_reading_is_known(heading):
    expected, found = signed(f"⟦STUDY_POPULATION:1⟧{heading}\na\n", PROTOCOL)
    assert found == expected


def test_the_text_after_a_known_heading_on_a_marked_line_is_body():
    text = "IMPRESSION: Mild edema."
    (found,) = spans(text, NOTE, [Mark(0, len(text), MarkKind.HEADING, level=1)])
    assert text[found.heading_end : found.end] == "Mild edema."


def test_numbers_and_marks_give_levels_and_paths():
    text = "5 STUDY POPULATION\n5.1 Inclusion Criteria\nage\nWho asks\nb\n6 ETHICS\nc"
    starts = [(text.index(line), line) for line in ("5 STUDY POPULATION", "5.1 Inclusion Criteria", "Who asks", "6 ETHICS")]
    marks = [
        Mark(start, start + len(line), MarkKind.HEADING, level=level) for (start, line), level in zip(starts, (1, 2, 3, 1), strict=True)
    ]
    found = spans(text, PROTOCOL, marks)
    assert [(one.level, one.path) for one in found] == [
        (1, ("5 STUDY POPULATION",)),
        (2, ("5 STUDY POPULATION", "5.1 Inclusion Criteria")),
        (3, ("5 STUDY POPULATION", "5.1 Inclusion Criteria", "Who asks")),
        (1, ("6 ETHICS",)),
    ]


def test_rows_of_tables_and_words_of_figures_are_no_headings():
    text = "PLAN:\nrest\n\nMEDICATIONS: aspirin; DOSE: 81 mg\nALLERGIES: none"
    table = Mark(text.index("MEDICATIONS"), text.index("\nALLERGIES"), MarkKind.TABLE, number=1)
    assert [str(one.section) for one in spans(text, NOTE, [table])] == ["PLAN", "ALLERGIES"]


def test_a_few_words_below_a_table_do_not_take_the_rest_of_a_chapter():
    expected, found = signed("⟦SAFETY:1⟧8 SAFETY\na\nAbbreviations: AE = adverse event\nThe text goes on.\n", PROTOCOL)
    assert found == expected


def test_criteria_under_a_heading_without_typography_are_found_in_a_marked_protocol():
    expected, found = signed(
        "⟦STUDY_POPULATION:1⟧5 STUDY POPULATION\n⟦INCLUSION_CRITERION⟧Inclusion Criteria:\n- age\n⟦ETHICS:1⟧6 ETHICS\nb\n", PROTOCOL
    )
    assert found == expected
