"""Headings inside a line."""

from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import DocumentKind
from tests.unit.stages.sections.conftest import bodies


def test_headings_whose_line_breaks_were_lost_are_found():
    text = "CHIEF COMPLAINT:, Cough.,PAST MEDICAL HISTORY: , Gout, asthma.,ALLERGIES:,  None.,Plan Of Care:,  Rest."
    assert bodies(text) == [
        ("CHIEF_COMPLAINT", "Cough."),
        ("PAST_MEDICAL_HISTORY", "Gout, asthma."),
        ("ALLERGIES", "None."),
        ("PLAN", "Rest."),
    ]


def test_a_heading_that_lost_its_colon_too_is_found():
    text = "PREOPERATIVE DIAGNOSES,1.  Hernia.,2.  Obesity.,PROCEDURE PERFORMED,Repair of the hernia."
    assert bodies(text) == [("DIAGNOSIS", "1.  Hernia.,2.  Obesity."), ("PROCEDURE", "Repair of the hernia.")]


def test_an_unknown_heading_after_a_lost_line_break_ends_its_section():
    text = "ALLERGIES:, None that he knows of.,BOWLING SCORE:, 210.,PLAN:, Rest."
    assert bodies(text) == [("ALLERGIES", "None that he knows of."), ("NOTE_TEXT", "210."), ("PLAN", "Rest.")]


def test_a_heading_known_by_its_words_is_taken_after_a_lost_line_break():
    text = "ALLERGIES:, None.,DETAILS OF THE SHOULDER REPAIR:, Three anchors."
    assert bodies(text)[-1] == ("PROCEDURE", "Three anchors.")


def test_labels_of_an_exam_stay_in_it_and_lead_back_to_it():
    assert [name for name, _ in bodies("PHYSICAL EXAMINATION:, GENERAL:  Thin.,LUNGS:  Clear.")] == ["PHYSICAL_EXAM"]
    text = "PHYSICAL EXAMINATION:,VITAL SIGNS:  Normal.,LUNGS:  Clear.,PLAN:,  Rest."
    assert [name for name, _ in bodies(text)] == ["PHYSICAL_EXAM", "VITAL_SIGNS", "PHYSICAL_EXAM", "PLAN"]


def test_headings_after_a_sentence_are_found_in_reports():
    text = "Findings: Clear lungs. Impression: Normal. Recommendation: None."
    assert bodies(text, DocumentKind.RADIOLOGY_REPORT) == [
        ("FINDINGS", "Clear lungs."),
        ("IMPRESSION", "Normal."),
        ("RECOMMENDATION", "None."),
    ]


def test_capitals_in_a_joined_paragraph_are_found():
    assert [name for name, _ in bodies("MEDICATIONS: aspirin 81 mg daily ALLERGIES: penicillin")] == ["MEDICATIONS", "ALLERGIES"]


def test_a_structured_abstract_is_cut_but_no_other_paragraph_of_a_paper():
    text = "ABSTRACT\nMethods: We asked. Results: They told. Conclusion: Good.\n\nDISCUSSION\nWe saw one thing. Results: may differ."
    found = [name for name, _ in bodies(text, DocumentKind.PAPER)]
    assert found == ["ABSTRACT", "METHODS", "RESULTS", "CONCLUSION", "DISCUSSION"]


@pytest.mark.parametrize(
    "sentence",
    [
        "As said under FINDINGS: the lungs are clear.",
        "Take it with food, Plan: unknown to me.",
        "He said his past medical history: was none of our business.",
        "It was his turn (Impression: good).",
        "Given at 10:30 and 11:45, A: 5 mg, B: 6 mg.",
    ],
)
def test_what_stands_in_a_sentence_is_no_heading(sentence):
    text = f"HPI: {sentence}"
    assert bodies(text) == [("HISTORY_OF_PRESENT_ILLNESS", sentence)]
