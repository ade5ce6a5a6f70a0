"""Descriptions of patients, all invented here, read into facts."""

from __future__ import annotations

import pytest

from pipeline.search.patient import Patient, read_patient
from pipeline.search.patient.read import FEWEST_WORDS, age_in, sex_in
from pipeline.search.patient.wordings import about, others, wordings
from pipeline.search.understand.model import Why

REFERRAL = (
    "A 61-year-old retired teacher was referred for a second opinion. She was diagnosed with follicular lymphoma two years ago and has had "
    "two lines of immunochemotherapy. She denies fever and night sweats. Her brother had leukemia. She takes metformin for diabetes."
)
FORM = "Patient with chronic migraine. definitive diagnosis: migraine without aura; attacks a month: 9; prior botulinum toxin: no; pregnancy: none."


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("A 61-year-old woman", 61),
        ("72 yo M with", 72),
        ("55 y/o man", 55),
        ("an 8 month old boy", 8 / 12),
        ("a 3-week-old infant", 3 / 52),
        ("age: 44; sex: male", 44),
        ("64F with dyspnea", 64),
        ("pain for 3 years", None),
        ("bitten 2 days before", None),
        ("smoked 40 pack years", None),
        ("no age given", None),
    ],
)
def test_reads_an_age_and_no_duration(text: str, years: float | None) -> None:
    assert age_in(text) == (None if years is None else pytest.approx(years))


@pytest.mark.parametrize(
    ("text", "sex"),
    [
        ("A woman whose husband died", "female"),
        ("The man and his wife", "male"),
        ("a pregnant patient", "female"),
        ("70M with chest pain", "male"),
        ("the patient recovered", None),
        ("human immunodeficiency", None),
    ],
)
def test_reads_the_sex_that_is_said_first(text: str, sex: str | None) -> None:
    assert sex_in(text) == sex


def test_a_short_query_is_no_patient() -> None:
    assert read_patient("pembrolizumab in non-small cell lung cancer with brain metastases") is None
    assert read_patient(" ".join(["word"] * (FEWEST_WORDS - 1))) is None


def test_the_stated_diagnosis_comes_first_and_neither_the_denied_nor_a_relatives_is_the_patients() -> None:
    patient = read_patient(REFERRAL)
    assert patient is not None
    assert patient.conditions[0].name == "follicular lymphoma"
    named = {one.name for one in patient.conditions}
    assert "diabetes" in named
    assert "leukemia" not in named
    assert "night sweats" not in patient.present
    assert (patient.age_years, patient.sex) == (61, "female")


def test_a_questionnaire_gives_its_disorder_and_the_answers_that_say_something() -> None:
    patient = read_patient(FORM)
    assert patient is not None
    assert patient.problem == "chronic migraine"
    assert ("attacks a month", "9") in patient.answers
    assert "botulinum" not in patient.present
    assert about(patient) == "chronic migraine; migraine without aura"


def test_the_description_is_searched_with_as_it_was_asked_and_by_what_it_is_about() -> None:
    patient = read_patient(REFERRAL)
    assert patient is not None
    described, focus = wordings(REFERRAL, patient)
    assert (described.text, described.why) == (REFERRAL, Why.ORIGINAL)
    assert focus.why is Why.FOCUS
    assert focus.text.startswith("follicular lymphoma")
    assert len(focus.text) < len(REFERRAL) / 2


def test_what_else_the_patient_has_counts_less_than_what_brings_the_patient() -> None:
    query = REFERRAL.replace("has had", "has gout and has had").replace("She takes", "She has a history of asthma. She takes")
    patient = read_patient(query)
    assert patient is not None
    weights = {words: weight for one in wordings(query, patient)[1:] for words, weight in one.terms}
    assert max(weight for words, weight in weights.items() if "follicular lymphoma" in words) == 1
    assert max(weight for words, weight in weights.items() if "gout" in words) < 1
    assert not any("leukemia" in words or "asthma" in words for words in weights)  # a brother's, and the past


def test_every_name_of_what_the_findings_point_to_is_searched_with() -> None:
    patient = Patient(None, None, "tired", suspected=(("alpha", "beta", "gamma"), ("delta",)))
    assert about(patient) == "alpha; beta"
    assert others(patient) == "alpha; beta; gamma"


def test_an_abbreviation_is_written_out_as_well() -> None:
    patient = read_patient("Patient with COPD. airflow: obstructed; exacerbations: two; smoking: former.")
    assert patient is not None
    assert about(patient) == "COPD; chronic obstructive pulmonary disease"


def test_without_any_name_the_first_sentences_are_the_problem() -> None:
    text = "A man came in on a Tuesday and spoke of his garden. He was tired. " + "Nothing else was of any note in the long talk. " * 3
    patient = read_patient(text)
    assert patient is not None
    assert not patient.conditions
    assert about(patient) == patient.problem != ""


def test_what_is_shown_of_a_patient_holds_none_of_its_words() -> None:
    assert "lymphoma" not in repr(read_patient(REFERRAL))
