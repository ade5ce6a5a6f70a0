"""Health-plan numbers. The negatives are study groups, plans and years."""

from __future__ import annotations

import pytest

from pipeline.stages.deidentify.recognisers.health_plans import HealthPlans


def found(text):
    """The stretches found, overlapping ones united, in order."""
    stretches = []
    for start, end in sorted((each.start, each.end) for each in HealthPlans().find(text, None)):
        if stretches and start < stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return [text[start:end] for start, end in stretches]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Member ID: KX204417", ["KX204417"]),
        ("insurance ID is 98204417", ["98204417"]),
        ("(Insurance: KXP204417)", ["KXP204417"]),
        ("ins #789-204-417", ["#789-204-417"]),
        ("policy number is XZ-204417", ["XZ-204417"]),
        ("Group No. 204417", ["204417"]),
        ("member id KXX 8827 10441", ["KXX 8827 10441"]),
        ("Grp: 0071-441", ["0071-441"]),
        ("ID KX20441709 group 70021.", ["70021"]),
        ("1EG4-TE5-MK73", ["1EG4-TE5-MK73"]),
        ("Medicare 1EG4TE5MK72", ["1EG4TE5MK72"]),
        ("Medicaid ID 20441709", ["20441709"]),
        ("subscriber # W20441702", ["W20441702"]),
        ("What is your insurance ID?\nBo: Sure, it is KX20441.", ["KX20441"]),
        ("Member # is XQW 123 456 789", ["XQW 123 456 789"]),
        ("Medicaid: AB12345C", ["AB12345C"]),
    ],
)
def test_finds_values_without_their_labels(text, values):
    assert found(text) == values


@pytest.mark.parametrize(
    "text",
    [
        "group 2",
        "Group: 12 patients",
        "group 70 mg daily",
        "Group B streptococcus",
        "plan 3 visits",
        "plan: follow up in 12 weeks",
        "Medicare 2024",
        "group number 2",
        "policy of 2019",
        "insured since 2018",
        "insurance covers 80%",
        "members 12-18 years",
        "Plan: 1. aspirin 81 mg",
        "benefit of 25%",
        "Aetna 80 percent",
        "mci 24/30",
        "plan 1. continue 1200 mg",
        "insurance since 2019",
    ],
)
def test_leaves_other_numbers_and_words(text):
    assert found(text) == []
