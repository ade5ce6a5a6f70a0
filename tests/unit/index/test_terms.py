"""What a lexical search of clinical text keeps apart and brings together."""

from __future__ import annotations

import pytest

from pipeline.index.terms import terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n—…", []),
        ("the and of", []),
        ("No prior therapy", ["no", "prior", "therapy"]),
        ("not without", ["not", "without"]),
        ("Age ≥ 18 years", ["age", "18", "≥18", "years"]),
        ("less than 5 mg", ["less", "than", "5", "mg"]),
        ("1.50 mg, 2.0 g", ["1.5", "mg", "2", "g"]),
        ("1,500 cells", ["1500", "cells"]),
        ("grades 1, 2", ["grades", "1", "2"]),
        ("ages 18-75", ["ages", "18", "ages18", "75"]),
        ("non-small-cell", ["nonsmallcell", "non", "small", "cell"]),
        ("and/or", []),
        ("mg/dL", ["mg", "dl"]),
        ("Sjögren's", ["sjogren"]),
        ("can't", ["cant"]),
        ("18F-FDG", ["18ffdg", "18f", "fdg"]),
        ("≥18岁", ["18", "≥18", "岁"]),
        ("\ud800 x", ["x"]),
    ],
)
def test_cuts_text_into_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "spellings",
    [
        ["PD-L1", "PDL1", "pd l1", "PD‑L1", "pd–l1"],
        ["COVID-19", "covid19", "Covid 19"],
        ["IL-6", "il6", "IL 6"],
        ["CTLA-4 positive", "CTLA4 positive"],
        ["PD-L1-positive", "PDL1"],
        ["5 µg", "5 μg", "5 mcg", "5ug", "5mcg"],
        ["10⁹/L", "10^9/L", "10*9/L"],
        ["≥ 18", ">= 18", "=> 18", "⩾18", "≥18"],
        ["≤ 5", "<=5", "=<5"],
        ["TNF-α", "TNF-alpha", "tnf alpha"],
        ["naïve", "naive"],
        ["CD4+", "cd4"],
        ["1,000", "1000"],
    ],
    ids=lambda spellings: spellings[0],
)
def test_spellings_of_one_thing_share_a_telling_term(spellings: list[str]) -> None:
    numbers_aside = [{term for term in terms(each) if term != "1"} for each in spellings]
    assert set.intersection(*numbers_aside)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("no prior chemotherapy", "prior chemotherapy"),
        ("≥ 18", "≤ 18"),
        ("> 18", "≥ 18"),
        ("with metastases", "without metastases"),
        ("5 mg", "5 µg"),
        ("10^9", "10^6"),
        ("1.5", "15"),
        ("IL-6", "IL-2"),
        ("HER2-positive", "HER2-negative"),
    ],
)
def test_opposites_differ(left: str, right: str) -> None:
    assert set(terms(left)) != set(terms(right))


def test_il_6_is_not_joined_over_a_comparison() -> None:
    assert "egfr60" not in terms("eGFR ≥ 60")


def test_a_mile_of_hyphens_is_not_joined() -> None:
    assert max(map(len, terms("-".join(["word"] * 20)))) == 4
