"""Sections inside sections of plain text."""

from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import DocumentKind
from tests.unit.stages.sections.conftest import spans


def paths(text, kind=DocumentKind.NOTE):
    return [one.path for one in spans(text, kind)]


def test_parts_of_a_soap_note_stand_below_its_letters():
    found = spans("S: Well.\nO:\nVS: normal\nLungs: clear\nLabs: normal\nA: Better.\nP: Home.")
    assert [(str(one.section), one.level) for one in found] == [
        ("SUBJECTIVE", 1),
        ("OBJECTIVE", 1),
        ("VITAL_SIGNS", 2),
        ("PHYSICAL_EXAM", 2),
        ("LABORATORY_RESULTS", 2),
        ("ASSESSMENT", 1),
        ("PLAN", 1),
    ]


def test_a_plan_printed_smaller_than_the_assessment_stands_inside_it():
    assert paths("ASSESSMENT:\nGout.\nPlan: colchicine")[-1] == ("ASSESSMENT", "Plan")
    assert paths("ASSESSMENT:\nGout.\nPLAN: colchicine")[-1] == ("PLAN",)
    assert paths("Assessment: Gout.\nPlan: colchicine")[-1] == ("Plan",)


def test_problems_of_an_assessment_and_plan_keep_it_as_parent():
    found = paths("ASSESSMENT AND PLAN:\nGout\nAssessment: worse\nPlan: colchicine\nFever\nAssessment: gone")
    assert found == [
        ("ASSESSMENT AND PLAN",),
        ("ASSESSMENT AND PLAN", "Assessment"),
        ("ASSESSMENT AND PLAN", "Plan"),
        ("ASSESSMENT AND PLAN", "Assessment"),
    ]


def test_labels_of_a_review_are_no_sections_even_when_known_elsewhere():
    assert [str(one.section) for one in spans("REVIEW OF SYSTEMS:\nGENERAL: well\nSKIN: dry\nCARDIOVASCULAR: no pain")] == [
        "REVIEW_OF_SYSTEMS"
    ]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        (
            "# Clinic letter\n\n## Plan\n\ntext\n\n### Left knee\n\ntext\n\n## Allergies\n\nnone",
            [("NOTE_TEXT", 1), ("PLAN", 2), ("PLAN", 3), ("ALLERGIES", 2)],
        ),
        ("1.0 INTRODUCTION\na\n1.1 Rivers\nb\n2.0 OBJECTIVES\nc", [("BACKGROUND", 1), ("BACKGROUND", 2), ("OBJECTIVES_ENDPOINTS", 1)]),
    ],
)
def test_hashes_and_numbers_give_levels(text, levels):
    kind = DocumentKind.NOTE if text.startswith("#") else DocumentKind.PROTOCOL
    assert [(str(one.section), one.level) for one in spans(text, kind)] == levels
