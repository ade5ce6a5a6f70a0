"""A patient's age and sex against limits of the registry."""

from __future__ import annotations

from typing import Literal

import pytest

from pipeline.search.patient import Patient
from pipeline.search.rerank.trial_limits import limit_signals
from pipeline.storage.study_limits import StudyLimits

YEAR = 365.25


def _patient(years: float | None = None, sex: Literal["male", "female"] | None = None) -> Patient:
    return Patient(age_years=years, sex=sex, problem="")


@pytest.mark.parametrize(
    ("years", "least", "most", "outside"),
    [
        (17, 18, None, 1),
        (18, 18, 18, 0),  # 18 years and some months
        (66, 18, 65, 1),
        (65, 18, 65, 0),
        (0.25, None, 1, 0),
        (40, None, None, 0),
        (None, 18, 65, 0),  # nothing is known of the patient
    ],
)
def test_an_age_outside_the_limits_is_told(years: float | None, least: float | None, most: float | None, outside: int) -> None:
    limits = StudyLimits(least and least * YEAR, most and most * YEAR, "ALL")
    assert limit_signals(_patient(years), [limits])["age_outside"].tolist() == [outside]


@pytest.mark.parametrize(
    ("sex", "takes", "other"),
    [("male", "FEMALE", 1), ("female", "FEMALE", 0), ("male", "ALL", 0), (None, "FEMALE", 0), ("female", None, 0)],
)
def test_a_trial_of_the_other_sex_is_told(sex: Literal["male", "female"] | None, takes: str | None, other: int) -> None:
    assert limit_signals(_patient(30, sex), [StudyLimits(None, None, takes)])["sex_other"].tolist() == [other]


def test_a_trial_without_fields_counts_neither_way() -> None:
    found = limit_signals(_patient(30, "male"), [None, StudyLimits(None, None, None)])
    assert {name: values.tolist() for name, values in found.items()} == {"age_outside": [0, 0], "sex_other": [0, 0]}
