"""Doses and negations that no cut goes through."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pipeline.stages.chunking.protected import doses, negates, negations


@pytest.mark.parametrize(
    ("text", "dose"),
    [
        ("Give 5 mg/kg IV q6h now", "Give 5 mg/kg IV q6h"),
        ("on 0.25 mg PO b.i.d. with food", "0.25 mg PO b.i.d."),
        ("metoprolol 25 mg twice daily and rest", "metoprolol 25 mg twice daily"),
        ("heparin 1,000 units/h over 30 minutes then stop", "heparin 1,000 units/h over 30 minutes"),
        ("amoxicillin 250-500 mg every 8 hours for 10 days, then", "amoxicillin 250-500 mg every 8 hours for 10 days"),
        ("insulin 10 units SC at bedtime.", "insulin 10 units SC at bedtime"),
        ("docetaxel 75 mg/m2 every 3 weeks", "docetaxel 75 mg/m2 every 3 weeks"),
        ("norepinephrine 0.05 mcg/kg/min infusion", "norepinephrine 0.05 mcg/kg/min infusion"),
        ("a 500-mg dose", "500-mg"),
    ],
)
def test_a_dose_reaches_from_the_drug_to_how_it_is_given(text: str, dose: str):
    found = [text[start:end] for start, end in doses(text, 0, len(text))]
    assert any(dose in one for one in found)


@pytest.mark.parametrize("text", ["5 patients", "in 2019", "room 12", "Figure 3", "D\n141\nD", "version 2.0", "protocol 55"])
def test_other_numbers_are_no_dose(text: str):
    assert doses(text, 0, len(text)) == []


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        ("There is no evidence of infection, bleeding, or pain. He rests.", "no evidence of infection, bleeding, or pain"),
        ("She denies chest pain, dyspnea, or fever but has a cough.", "denies chest pain, dyspnea, or fever"),
        ("healed without any sign of swelling; walks", "without any sign of swelling"),
        ("negative for masses\n- next item", "negative for masses"),
        ("He does not take 0.5 mg of it. Yes.", "not take 0.5 mg of it"),
    ],
)
def test_a_negation_reaches_to_the_end_of_its_clause(text: str, reach: str):
    ((start, _, end),) = negations(text, 0, len(text))
    assert text[start:end].strip() == reach


@pytest.mark.parametrize("text", ["nodule in the lung", "Notes of the nurse", "a noted rash", "The knot is tight", "He has a fever."])
def test_words_that_only_look_like_it_do_not_negate(text: str):
    assert not negates(text)


def test_reaches_never_overlap():
    found = negations("no no no pain, no fever without not a sign " * 50, 0, 2000)
    assert all(before[2] <= after[0] for before, after in pairwise(found))
