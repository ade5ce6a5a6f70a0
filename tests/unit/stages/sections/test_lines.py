"""Headings at the start of a line."""

from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import DocumentKind
from tests.unit.stages.sections.conftest import bodies, spans

NOTE, RADIOLOGY, PROTOCOL, SUMMARY = DocumentKind.NOTE, DocumentKind.RADIOLOGY_REPORT, DocumentKind.PROTOCOL, DocumentKind.DISCHARGE_SUMMARY


@pytest.mark.parametrize(
    "text",
    [
        "IMPRESSION Mild edema.",
        "Impression\nMild edema.",
        "Impression :Mild edema.",
        "impression: Mild edema.",
        "**Impression:** Mild edema.",
        "**Impression**\nMild edema.",
        "__IMPRESSION:__ Mild edema.",
        "## Impression\n\nMild edema.",
        "# Impression: Mild edema.",
        "2.4  Impression\nMild edema.",
        "1. IMPRESSION:\nMild edema.",
        "IV. IMPRESSION\nMild edema.",
        "I M P R E S S I O N: Mild edema.",
        "I M P R E S S I O N\nMild edema.",
        "IMPRES SION:\nMild edema.",
        "IMPRESION:\nMild edema.",
        "IMPRESISON: Mild edema.",
        "FINAL IMPRESSION:\nMild edema.",
        "IMPRESSION: \n\n\nMild edema.",
        "   IMPRESSION:   Mild edema.",
        "IMPRESSION - Mild edema.",
        "[NAME]\n\nIMPRESSION: Mild edema.",
    ],
)
def test_a_heading_in_any_dress_is_found_and_stands_outside_the_body(text):
    assert bodies(text, RADIOLOGY)[-1] == ("IMPRESSION", "Mild edema.")


@pytest.mark.parametrize(
    "text",
    [
        "He told us that his past medical history: none of note, and his family history: unknown.",
        "There are no findings: that would explain the pain.",
        "The Impression of the committee was good.",
        "Impression of the committee: good.",
        "We reviewed the plan of care with her daughter.",
        "IMPRESSION OF THE TEAM was good.",
        "FINDINGS OF THE PANEL were sent.",
        "Her allergies are worse in spring.",
        "- Assessment: as above",
        "• Plan: as above",
        "see http://plan.example: it is there",
        "LAST NAME: [NAME]\nMRN: [ID]\nDATE OF BIRTH: [DATE]",
        "MRI lumbar spine",
        "Plan, as discussed.",
        "2.5 mg of the drug were given",
    ],
)
def test_what_stands_in_a_sentence_a_list_or_a_label_is_no_heading(text):
    assert bodies(text) == [("NOTE_TEXT", text)]


def test_a_word_that_a_line_of_running_text_begins_with_is_no_heading():
    text = "She was sent home, and the nurse who saw her wrote down that her\nplan: is to rest"
    assert [name for name, _ in bodies(text)] == ["NOTE_TEXT"]


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("CC", "CHIEF_COMPLAINT"),
        ("HPI", "HISTORY_OF_PRESENT_ILLNESS"),
        ("PMHx", "PAST_MEDICAL_HISTORY"),
        ("PSH", "PAST_SURGICAL_HISTORY"),
        ("FHx", "FAMILY_HISTORY"),
        ("SHx", "SOCIAL_HISTORY"),
        ("Meds", "MEDICATIONS"),
        ("Rx", "MEDICATIONS"),
        ("ROS", "REVIEW_OF_SYSTEMS"),
        ("PE", "PHYSICAL_EXAM"),
        ("Dx", "DIAGNOSIS"),
        ("A/P", "ASSESSMENT_AND_PLAN"),
        ("A&P", "ASSESSMENT_AND_PLAN"),
        ("Assessment & Plan", "ASSESSMENT_AND_PLAN"),
        ("IMPRESSION/PLAN", "ASSESSMENT_AND_PLAN"),
        ("F/U", "FOLLOW_UP"),
        ("Current home medications", "MEDICATIONS"),
        ("PHYSICAL EXAM ON ADMISSION", "PHYSICAL_EXAM"),
        ("PAST MEDICAL HISTORY (continued)", "PAST_MEDICAL_HISTORY"),
        ("Review of Systems (of the heart)", "REVIEW_OF_SYSTEMS"),
        ("Triage Vital Signs (on arrival)", "VITAL_SIGNS"),
    ],
)
def test_abbreviations_and_qualified_headings_are_known(heading, section):
    assert bodies(f"{heading}: as before") == [(section, "as before")]


def test_empty_sections_that_follow_each_other_are_all_kept():
    text = "Family history:\nSocial history:\nLives alone.\n\nPlan:\nrest"
    assert bodies(text) == [("FAMILY_HISTORY", ""), ("SOCIAL_HISTORY", "Lives alone."), ("PLAN", "rest")]


def test_headings_with_blanks_in_their_words_are_mended_in_capitals_only():
    text = "INCLU SION CRITERIA\n1. Asthma\nEXCLUSI ON CRI TERIA\n1. Pregnancy\nSTATIS TICAL ANALY SIS\nA t-test is used."
    assert [name for name, _ in bodies(text, PROTOCOL)] == ["INCLUSION_CRITERION", "EXCLUSION_CRITERION", "STATISTICAL_ANALYSIS"]
    assert [name for name, _ in bodies("exclu sion cri teria\n1. Pregnancy", PROTOCOL)] == ["NOTE_TEXT"]


def test_items_of_a_numbered_list_are_no_headings():
    text = "ASSESSMENT AND PLAN:\n1. Allergies\n2. MEDICATIONS: continue\n3. Follow-up: in May"
    assert [name for name, _ in bodies(text)] == ["ASSESSMENT_AND_PLAN"]
    text = "5.2 Exclusion Criteria\n1. Pregnancy\n2. Safety\n3. Other Exclusions"
    assert [name for name, _ in bodies(text, PROTOCOL)] == ["EXCLUSION_CRITERION"]


def test_an_unknown_heading_in_capitals_ends_a_section_but_not_a_plan_or_exam():
    assert [name for name, _ in bodies("ALLERGIES:\nnone\n\nSPIRITUAL NEEDS:\nnone")] == ["ALLERGIES", "NOTE_TEXT"]
    assert [name for name, _ in bodies("PLAN:\nrest\n\nLEFT KNEE:\nice")] == ["PLAN"]


def test_capitals_say_nothing_in_a_text_that_is_all_in_capitals():
    text = "PATIENT SEEN TODAY AND DOES WELL AFTER THE FALL.\nNO NEW EVENTS TODAY\nPLAN: REST AND ICE FOR THE KNEE."
    assert bodies(text) == [
        ("NOTE_TEXT", "PATIENT SEEN TODAY AND DOES WELL AFTER THE FALL.\nNO NEW EVENTS TODAY"),
        ("PLAN", "REST AND ICE FOR THE KNEE."),
    ]


def test_a_heading_with_nothing_known_after_it_is_no_longer_heading():
    assert bodies("ALLERGIES NKDA\n\nMEDICATIONS only a vitamin") == [("ALLERGIES", "NKDA"), ("MEDICATIONS", "only a vitamin")]


def test_the_same_word_is_read_by_the_kind_of_document():
    assert bodies("HISTORY: Fall.", RADIOLOGY) == [("INDICATION", "Fall.")]
    assert bodies("HISTORY: Fall.", NOTE) == [("HISTORY_OF_PRESENT_ILLNESS", "Fall.")]
    assert bodies("Complications:\nBleeding", DocumentKind.EMS_PROTOCOL) == [("ADVERSE_EFFECTS", "Bleeding")]
    assert bodies("COMPLICATIONS:\nBleeding", NOTE) == [("PROCEDURE", "Bleeding")]
    assert bodies("INSTRUCTIONS:\nRest", SUMMARY) == [("DISCHARGE_INSTRUCTIONS", "Rest")]


def test_entries_of_a_list_of_contents_are_no_headings():
    text = "TABLE OF CONTENTS\n1 SYNOPSIS ........ 3\n5.1 Inclusion Criteria . . . . 12\nSAFETY 40\n\n1 SYNOPSIS\nShort."
    assert [name for name, _ in bodies(text, PROTOCOL)] == ["TABLE_OF_CONTENTS", "SYNOPSIS"]


def test_a_radiology_report_that_begins_with_a_sentence_begins_with_its_findings():
    text = "The lungs are clear and the heart is small.\nIMPRESSION: Normal."
    assert [name for name, _ in bodies(text, RADIOLOGY)] == ["FINDINGS", "IMPRESSION"]
    assert [name for name, _ in bodies(f"FINDINGS: None.\n{text}", RADIOLOGY)] == ["FINDINGS", "IMPRESSION"]
    assert [name for name, _ in bodies("XR CHEST\n\nIMPRESSION: Normal.", RADIOLOGY)] == ["NOTE_TEXT", "IMPRESSION"]


def test_a_path_holds_the_printed_headings_and_at_most_120_characters_of_each():
    assert [span.path for span in spans("SUBJECTIVE:\nHPI: cough\n\nOBJECTIVE:\n[NAME]")] == [
        ("SUBJECTIVE",),
        ("SUBJECTIVE", "HPI"),
        ("OBJECTIVE",),
    ]
    long = spans("# " + "word " * 23 + "\ntext")
    assert [len(entry) for entry in long[0].path] == [114]
