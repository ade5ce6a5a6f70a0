"""The rules that turn criteria around: each sense, and lines that must stay as they are."""

from __future__ import annotations

import pytest

from bench.polarity.pairs import SIDE, pairs_of
from bench.polarity.rules import flips_of


@pytest.mark.parametrize(
    ("rule", "line", "flipped", "query"),
    [
        ("marker", "HER2-positive disease", "HER2-negative disease", "HER2+ breast cancer"),
        ("marker", "HR negative tumour", "HR positive tumour", "HR- breast cancer"),
        ("prior", "No prior taxane", "Prior taxane", "breast cancer, never had taxane"),
        ("prior", "Previous radiotherapy", "No previous radiotherapy", "breast cancer, already treated with radiotherapy"),
        ("comparison", "Platelets >= 100 x 10^9/L", "Platelets < 100 x 10^9/L", "Platelets higher than 100 x"),
        ("comparison", "Creatinine ≤ 1.5 mg/dL", "Creatinine > 1.5 mg/dL", "Creatinine lower than 1.5 mg/dL"),
        ("comparison", "At least 18 years", "less than 18 years", "higher than 18 years"),
        ("pregnancy", "Not pregnant", "pregnant", "breast cancer women who are not expecting a child"),
        ("pregnancy", "A pregnant woman", "A not pregnant woman", "breast cancer women who are expecting a child"),
        ("cohort", "Cohort A: stage II", "Cohort B: stage II", "who may enter cohort A, breast cancer"),
    ],
)
def test_a_criterion_is_turned_around_and_asked_for_in_other_words(rule: str, line: str, flipped: str, query: str):
    (found,) = [flip for flip in flips_of(line, "breast cancer") if flip.rule == rule]
    assert (found.flipped, found.query) == (flipped, query)


@pytest.mark.parametrize(
    "line", ["Written consent", "Cohort study", "Prior to surgery", "Stage IV", "Positive attitude", "Part of the liver"]
)
def test_a_line_without_a_sense_to_turn_stays_as_it_is(line: str):
    assert list(flips_of(line, "gout")) == []


def test_a_condition_that_names_the_marker_does_not_give_the_answer_away():
    (flip,) = flips_of("HER2-positive tumour", "HER2-positive Breast Cancer")
    assert flip.query == "HER2+ Breast Cancer"


STUDY = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT99000001", "nctIdAliases": ["NCT99800001"]},
        "conditionsModule": {"conditions": ["Gout"]},
        "eligibilityModule": {
            "eligibilityCriteria": "Inclusion Criteria:\n\n* Two flares within a year\n* No prior colchicine\n\nExclusion Criteria:\n\n* Pregnancy"
        },
    }
}


def test_pairs_differ_in_one_criterion_alone_and_have_ids_of_their_own():
    pairs = {pair.rule: pair for pair in pairs_of([STUDY], most=5)}
    assert pairs.keys() == {"prior", SIDE}
    texts = {name: pair.record["protocolSection"]["eligibilityModule"]["eligibilityCriteria"] for name, pair in pairs.items()}
    assert "* Prior colchicine\n" in texts["prior"]
    assert texts[SIDE].index("Exclusion Criteria") < texts[SIDE].index("Two flares")
    ids = {pair.record["protocolSection"]["identificationModule"]["nctId"] for pair in pairs.values()}
    assert len(ids | {"NCT99000001"}) == 3
    assert all("nctIdAliases" not in pair.record["protocolSection"]["identificationModule"] for pair in pairs.values())
    assert STUDY["protocolSection"]["identificationModule"]["nctId"] == "NCT99000001"


def test_no_more_pairs_of_a_rule_than_asked_for():
    assert len([pair for pair in pairs_of([STUDY] * 4, most=2) if pair.rule == "prior"]) == 2
