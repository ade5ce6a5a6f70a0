"""Which lines are headers. Negative rows are sentences that speak about criteria."""

from __future__ import annotations

import pytest

from pipeline.stages.chunking.headers import read_header
from pipeline.stages.chunking.leadins import lead_in_polarity


@pytest.mark.parametrize(
    ("line", "is_exclusion", "scope"),
    [
        ("Inclusion Criteria:", False, None),
        ("EXCLUSION CRITERIA", True, None),
        ("**Inclusion Criteria:**", False, None),
        ("Key Exclusion Criteria :", True, None),
        ("Major Inclusion Criteria", False, None),
        ("Disease-specific exclusion criteria:", True, None),
        ("Main Criteria for Exclusion:", True, None),
        ("Exclusion:", True, None),
        ("INCLUSION", False, None),
        ("Inclution criteria：", False, None),
        ("Non-inclusion criteria:", True, None),
        ("Inclusion Criteria for Healthy Volunteers:", False, "Healthy Volunteers"),
        ("Exclusion Criteria - Cohort 2", True, "Cohort 2"),
        ("Inclusion Criteria: Part B only", False, "Part B only"),
        ("Part 1 additional inclusion criteria:", False, "Part 1"),
        ("Donor Exclusion Criteria:", True, "Donor"),
        ("The exclusion criteria for these volunteers will be:", True, "these volunteers"),
        ("Exclusion Criteria for all participants:", True, None),
        ("Key Exclusion Criteria include:", True, None),
        ("Inclusion Criteria (all of the following):", False, None),
        ("Inclusion and Exclusion Criteria:", None, None),
        ("Inclusion Criteria and Exclusion Criteria:", None, None),
    ],
)
def test_reads_headers_of_real_forms(line, is_exclusion, scope):
    header = read_header(line, bulleted=False, fresh=True)
    assert header is not None
    assert (header.is_exclusion, header.scope) == (is_exclusion, scope)
    assert header.length >= len(line.rstrip("*"))


@pytest.mark.parametrize(
    "line",
    [
        "Does not meet any exclusion criteria listed above",
        "Failure to fulfil the inclusion criteria",
        "Other protocol-defined Inclusion/Exclusion criteria may apply.",
        "Exclusion of secondary causes by imaging",
        "All inclusion criteria must be answered with yes",
        "Any participant not meeting inclusion criteria",
        "History of gout is not an exclusion criterion.",
        "Inclusion in another study within 30 days",
        "Patients are eligible for inclusion",
        "Further exclusion criteria apply.",
        "as stated in the inclusion criteria",
        "Willing to be included in a registry",
        "Age 18 to 50 years, inclusive",
    ],
)
@pytest.mark.parametrize("bulleted", [True, False])
def test_does_not_take_sentences_about_criteria_for_headers(line, bulleted):
    assert read_header(line, bulleted=bulleted, fresh=True) is None


def test_a_wrapped_line_in_small_letters_is_no_header():
    assert read_header("exclusion criteria", bulleted=False, fresh=False) is None


@pytest.mark.parametrize("line", ["Exclusion Criteria: Pregnant women", "Inclusion criteria: Adults"])
def test_text_after_a_header_stays_text(line):
    header = read_header(line, bulleted=False, fresh=True)
    assert header is not None
    assert line[header.length :] in {"Pregnant women", "Adults"}
    assert header.scope is None


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Criterios de exclusión:", "es"),
        ("Critères d'inclusion :", "fr"),
        ("Einschlusskriterien:", "de"),
        ("Critérios de inclusão", "pt"),
        ("Criteri di esclusione:", "it"),
        ("入选标准：", "zh"),
        ("除外基準", "ja"),
        ("선정 기준:", "ko"),
    ],
)
def test_takes_no_polarity_from_headers_in_other_languages(line, language):
    header = read_header(line, bulleted=False, fresh=True)
    assert header is not None
    assert (header.is_exclusion, header.language) == (None, language)


@pytest.mark.parametrize(
    ("line", "polarity"),
    [
        ("Volunteers are excluded if any of the following apply:", True),
        ("Persons with one of these conditions are not eligible:", True),
        ("A person is eligible if all of the following are met:", False),
        ("Patients must have the following:", None),
        ("Eligibility criteria:", None),
        ("Persons are eligible if none of the following applies:", None),
        ("Patients are excluded unless the following is met:", None),
    ],
)
def test_reads_polarity_only_of_lead_ins_that_state_it(line, polarity):
    assert lead_in_polarity(line) is polarity


def test_a_sentence_that_names_its_criteria_is_text():
    line = "The primary inclusion criteria for this study will be a score above 24 and consent. Others may join."
    assert read_header(line, bulleted=False, fresh=True) is None


def test_a_header_takes_no_criterion_with_it():
    line = "Inclusion Criteria: Cohort A: Gout that came back"
    header = read_header(line, bulleted=False, fresh=True)
    assert header is not None
    assert line[header.length :] == "Cohort A: Gout that came back"
