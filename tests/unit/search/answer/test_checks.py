"""What a model may say of its passages, and what it may not."""

from __future__ import annotations

import pytest

from pipeline.search.answer.checks import LONGEST, check_reply
from pipeline.search.answer.claims import claims_of
from tests.unit.search.answer.conftest import passage

FENCE = "#0123456789ab"
PASSAGES = [
    passage(1, "1. Give epinephrine 0.3 mg IM into the thigh. Repeat every 5 minutes.\nDo not give it to patients with beta blockade."),
    passage(2, "Children below 30 kg: epinephrine 0.01 mg/kg IM, at most 0.3 mg.", about="Anaphylaxis\nPediatric"),
    passage(4, "Pregnancy is an exclusion criterion."),
    passage(5, "Pregnant or breast-feeding women", about="A trial in gout", kind="trial", is_exclusion=True),
]


def wrong(reply: str) -> str | None:
    checked = check_reply(reply, claims_of(reply), PASSAGES, fence=FENCE)
    assert (checked.wrong is None) == all(one.passed for one in checked.checks)
    return checked.wrong.value if checked.wrong else None


@pytest.mark.parametrize(
    "reply",
    [
        "Give epinephrine 0.3 mg IM into the thigh [P1].",
        "Give epinephrine 0.30 milligrams IM [P1]. Repeat every five minutes. [P1]",
        "Children below 30 kg: 0.01 mg/kg IM [P2]. Adults: epinephrine 0.3 mg IM [P1][P2].",
        "In anaphylaxis give epinephrine into the thigh [P1].",
        "Pregnant women are excluded [P5].",
        "Do not give epinephrine with beta blockade [P1].",
    ],
)
def test_what_the_passages_say_passes(reply: str):
    assert wrong(reply) is None


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("[P1]", "empty"),
        ("Give epinephrine 0.3 mg IM into the thigh.", "no_citation"),
        ("Give epinephrine 0.3 mg IM [P1]. Then call somebody.", "no_citation"),
        ("Give epinephrine 0.3 mg IM [P3].", "unknown_passage"),
        ("Give epinephrine 0.3 mg IM [P1][P9].", "unknown_passage"),
        ("Give epinephrine 0.5 mg IM into the thigh [P1].", "number_not_in_passage"),
        ("Give epinephrine 0.3 mg/kg IM into the thigh [P1].", "number_not_in_passage"),
        ("Give epinephrine 0.01 mg/kg IM into the thigh [P1].", "number_not_in_passage"),  # it is the other passage that says so
        ("Children above 30 kg: epinephrine 0.01 mg/kg IM [P2].", "number_not_in_passage"),
        ("Amiodarone relaxes skeletal muscle and quillwort tea helps [P1].", "not_supported"),
        ("Do not give children below 30 kg epinephrine IM [P2].", "negation_differs"),
        ("Give it to patients with beta blockade [P1].", "negation_differs"),
        ("Pregnancy is a criterion [P4].", "negation_differs"),
        ("Pregnant women or breast-feeding women may take part [P5].", "negation_differs"),
        (f"{FENCE} P1 begins. Give epinephrine 0.3 mg IM [P1].", "fence_repeated"),
        ("Give epinephrine 0.3 mg IM [P1]. " * (LONGEST // 20), "too_long"),
    ],
)
def test_what_they_do_not_say_does_not(reply: str, reason: str):
    assert wrong(reply) == reason


def test_every_check_says_how_much_it_looked_at():
    reply = "Give epinephrine 0.3 mg IM [P1]. Repeat every 5 minutes [P9]."
    made = {one.name: (one.looked_at, one.failed) for one in check_reply(reply, claims_of(reply), PASSAGES, fence=FENCE).checks}
    assert (made["citations_known"], made["citations_given"], made["numbers_stand"]) == ((2, 1), (2, 0), (2, 1))
