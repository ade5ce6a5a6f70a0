"""A dose is an amount that is said with a route or a schedule, beside the drug's name."""

from __future__ import annotations

import re

import pytest

from pipeline.search.rerank.document_query import drug_patterns
from pipeline.search.rerank.dosing import BESIDE, beside, by_weight, stated

KETAMINE = drug_patterns(("ketamine",))


@pytest.mark.parametrize(
    "text",
    [
        "Ketamine 2 mg/kg IM once",
        "give 0.5mg IV, may repeat",
        "12.5-25 g IV push",
        "5 mL via nebulizer every 20 minutes",
        "4 puffs via MDI",
        "6 mg rapid IV push",
        "10 mcg/kg/min infusion",
        "400 units SC daily",
    ],
)
def test_amounts_with_a_route_or_a_schedule_are_doses(text):
    assert len(stated(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "creatinine 1.4 mg/dL at the clinic",
        "a vial of 500 mg",
        "onset is 5 min IV",
        "systolic pressure below 90 mmHg",
        "protocol 1412, page 3, IV access",
        "version 2.5mgx every day",
        "",
    ],
)
def test_other_numbers_are_not(text):
    assert stated(text) == []


def test_a_dose_counts_beside_the_drug_that_was_asked_for():
    assert beside("Ketalar 2 mg/kg IM once", KETAMINE, about=False) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Morphine 4 mg IV once",
        "Ketamine is not carried.",
        "Ketamine may be considered. " + "The team writes down what was given. " * (BESIDE // 30) + "Morphine 4 mg IV once",
    ],
)
def test_another_drugs_dose_does_not(text):
    assert beside(text, KETAMINE, about=False) == 0.0


def test_in_a_drugs_own_reference_any_dose_is_its_own():
    assert beside("Adult: 2 mg/kg IM once", KETAMINE, about=True) == 1.0
    assert beside("Adult: a prefilled 100 mg pen", KETAMINE, about=True) == 0.5
    assert beside("Mechanism: blocks NMDA receptors", KETAMINE, about=True) == 0.0


def test_where_no_drug_was_named_any_dose_counts():
    no_drug: tuple[re.Pattern[str], ...] = ()
    assert beside("Morphine 4 mg IV once", no_drug, about=False) == 1.0


@pytest.mark.parametrize(("text", "expected"), [("0.1 mg/kg IM", True), ("2J/ kg", True), ("4 mg IM", False), ("weighs 12 kg", False)])
def test_amounts_by_body_weight(text, expected):
    assert by_weight(text) is expected
