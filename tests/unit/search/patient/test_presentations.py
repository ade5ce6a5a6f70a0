"""Findings of invented patients against the rows of classic presentations."""

from __future__ import annotations

import pytest

from pipeline.search.patient.presentations import MOST, parse_row, presentations, suspected


@pytest.mark.parametrize(
    ("findings", "age", "sex", "name"),
    [
        (["Thirst and frequent urination for weeks.", "He lost weight, and ketones are high."], 12, "male", "type 1 diabetes"),
        (["Resting tremor of one hand and a shuffling gait."], 70, "male", "parkinson disease"),
        (["A barking cough at night with stridor."], 2, "female", "croup"),
        (["Crushing headache with a stiff neck.", "High fever since yesterday."], 20, None, "meningitis"),
        (["Silvery scales over the elbows."], 35, None, "psoriasis"),
        (["The right calf is swollen after a long flight, with calf tenderness."], 50, "female", "deep vein thrombosis"),
    ],
)
def test_a_classic_presentation_is_named(findings: list[str], age: float, sex: str | None, name: str) -> None:
    assert name in [names[0] for names in suspected(findings, age_years=age, sex=sex)]


@pytest.mark.parametrize(
    ("findings", "age", "name"),
    [
        (["She denies a resting tremor; her gait is not shuffling."], 70, "parkinson disease"),  # denied
        (["Resting tremor of one hand."], 70, "parkinson disease"),  # one finding is not enough
        (["Projectile vomiting; the infant seems hungry."], 30, "pyloric stenosis"),  # has to be an infant
        (["He walked his dog and felt well."], 40, "meningitis"),
    ],
)
def test_what_is_denied_too_little_or_of_another_age_names_nothing(findings: list[str], age: float, name: str) -> None:
    assert name not in [names[0] for names in suspected(findings, age_years=age, sex=None)]


def test_no_more_than_a_few_are_named() -> None:
    everything = [
        "Fever, chills, cough, diarrhea, vomiting, rash, headache and a stiff neck after travel to Africa.",
        "Chest pain, dyspnea, edema, tremor, jaundice, hematuria and weight loss with night sweats.",
    ]
    assert len(suspected(everything, age_years=50, sex="male")) == MOST


def test_every_row_can_be_met() -> None:
    rows = presentations()
    assert len(rows) > 300
    assert all(row.names and 0 < row.needed <= len(row.findings) for row in rows)
    assert len({row.names[0] + str(row.needed) for row in rows}) > 300


@pytest.mark.parametrize("row", ["gout = 3 : big toe, uric acid", "gout = 0 : big toe", "gout : big toe"])
def test_a_row_that_asks_for_the_impossible_is_refused(row: str) -> None:
    with pytest.raises(ValueError, match=r"needs|unpack"):
        parse_row(row)


def test_words_joined_by_plus_must_stand_in_one_sentence() -> None:
    row = parse_row("carpal tunnel syndrome = 1 : numb~ + hand")
    assert len(row.findings[0].together) == 1
    assert "carpal tunnel syndrome" in [
        names[0] for names in suspected(["Numbness of the hand.", "Worse when typing."], age_years=40, sex=None)
    ]
