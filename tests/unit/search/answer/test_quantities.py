"""Numbers with their units and signs: which are one, and which are two."""

from __future__ import annotations

import pytest

from pipeline.search.answer.quantities import quantities, stands


def spelt(text: str) -> list[str]:
    return [f"{one.sign}{one.number} {one.unit}".strip() for one in quantities(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Epinephrine 0.01 mg/kg (0.1 mg/mL) IV every 3 to 5 minutes", ["0.01 mg/kg", "0.1 mg/ml", "3 min", "5 min"]),
        ("0.30 milligrams", ["0.3 mg"]),
        (".3mg", ["0.3 mg"]),
        ("5-10 µg/kg/min", ["5 ug/kg/min", "10 ug/kg/min"]),
        ("5 mcg per kg per minute", ["5 ug/kg/min"]),
        ("ages 5–11 years", ["5 year", "11 year"]),
        ("at least 18 years", ["≥18 year"]),
        ("≥18 yrs", ["≥18 year"]),
        ("not to exceed 1 mg", ["≤1 mg"]),
        ("maximum dose of 1 mg", ["≤1 mg"]),
        ("more than 3 doses", [">3 dose"]),
        ("below 60 mg/dL", ["<60 mg/dl"]),
        ("1,500 mcg", ["1500 ug"]),
        ("50 percent, 50%", ["50 %", "50 %"]),
        ("five mg twice daily", ["5 mg", "2"]),
        ("one dose", ["1 dose"]),
        ("14-gauge needle of 8 cm", ["14", "8 cm"]),
        ("one of them", []),
        ("HER2, IL-6, NCT01234567, H1N1, PD-L1", []),
        ("no number", []),
    ],
)
def test_numbers_of_a_text(text: str, found: list[str]):
    assert spelt(text) == found


@pytest.mark.parametrize(
    ("claim", "passage", "is_there"),
    [
        ("0.3 mg", "Give 0.30 mg IM", True),
        ("300 mcg", "Give 300 µg IM", True),
        ("3 minutes", "repeat every 3 to 5 min", True),
        ("18", "at least 18 years", True),
        ("at least 18 years", "Age ≥ 18 years", True),
        ("0.3 mg", "Give 0.3 mL IM", False),
        ("0.3 mg", "Give 0.3 mg/kg IM", False),
        ("0.3 mg/kg", "Give 0.3 mg IM", False),
        ("0.3 mg", "Give 3 mg IM", False),
        ("0.3 mg", "Give 0.03 mg IM", False),
        ("below 18 years", "at least 18 years", False),
        ("> 18 years", "≥ 18 years", False),
        ("1 g", "1000 mg", False),  # nothing is converted: a claim must say it as its passage does
        ("five mg", "5 mg", True),
        ("7", "17 or 70", False),
    ],
)
def test_what_a_claim_says_must_stand_so(claim: str, passage: str, is_there: bool):
    assert all(stands(one, quantities(passage)) for one in quantities(claim)) is is_there
