"""A person's employer, school, insurer and congregation, against bodies that are nobody's."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.organisations import Organisations
from pipeline.stages.deidentify.resolve import resolve


def found(text: str) -> list[str]:
    return [text[each.start : each.end] for each in resolve(Organisations().find(text, None))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("She works at Tolliver Foods Inc. and smokes", ["Tolliver Foods Inc."]),
        ("employed by Granby & Sons", ["Granby & Sons"]),
        ("works as a welder for Ironcastle Works", ["Ironcastle Works"]),
        ("retired from Boeing in 2010", ["Boeing"]),
        ("driver for Corvid Express. Denied tobacco", ["Corvid Express"]),
        ("works at National Harbor Supply", ["National Harbor Supply"]),
        ("Employer: Lowmoor Textiles", ["Lowmoor Textiles"]),
        ("sister at Holmwood Monastery", ["Holmwood Monastery"]),
        ("worked for Tolliver Foods for 11 years", ["Tolliver Foods"]),
        ("served with the 3rd Battalion, 7th Marines 2001-2005", ["3rd Battalion, 7th Marines"]),
        ("assigned HHC 2-87 Infantry, Fort", ["HHC 2-87 Infantry"]),
        ("Retired from his employer, Lowmoor Foundry.", ["Lowmoor Foundry"]),
        ("still working at Vextel?", ["Vextel"]),
        ("a teacher at Quarry Hill Elementary School", ["Quarry Hill Elementary School"]),
        ("a student at Tollgate University", ["Tollgate University"]),
        ("attends Ferncliff Academy", ["Ferncliff Academy"]),
        ("6 yo from Oakmere Elementary, febrile", ["Oakmere Elementary"]),
        ("Insurance: Aetna", ["Aetna"]),
        ("covered by Blue Cross Blue Shield of Texas", ["Blue Cross Blue Shield of Texas"]),
        ("has Humana", ["Humana"]),
        ("insured by Fernway Insurance Company", ["Fernway Insurance Company"]),
        ("active in Holmwood Baptist Church", ["Holmwood Baptist Church"]),
    ],
)
def test_finds_organisations_of_a_person(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "New York Heart Association class II",
        "Eastern Cooperative Oncology Group",
        "approved by the FDA, WHO and CDC",
        "manufactured by Novartis; assay by Roche Diagnostics",
        "works at night; works at home; works from home",
        "works for the state",
        "works with Physical Therapy",
        "Medicare and Medicaid; private insurance; Health Insurance",
        "no Insurance",
        "went to High School",
        "attended by Nursing; attends clinic weekly",
        "went to CT, then the OR",
        "retired in 2010",
        "a nurse for the School Department",
        "placed in position with Granby clamps",
        "Data Quality Assurance",
        "American College of Cardiology",
        "the drug works by blocking ACE",
        "Anthem was sung",
    ],
)
def test_leaves_bodies_that_are_nobodys(text: str) -> None:
    assert found(text) == []
