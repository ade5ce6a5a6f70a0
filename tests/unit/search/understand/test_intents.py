import pytest

from pipeline.search.understand import understand
from pipeline.search.understand.model import Intent

STRONGEST = [
    ("epinephrine dose in anaphylaxis", Intent.MEDICATION_DOSING),
    ("how much amiodarone", Intent.MEDICATION_DOSING),
    ("ketamine", Intent.MEDICATION_DOSING),
    ("is nitro allowed after viagra", Intent.CONTRAINDICATION),
    ("contraindications of cpap", Intent.CONTRAINDICATION),
    ("is it safe in glaucoma", Intent.CONTRAINDICATION),
    ("croup in a toddler", Intent.PEDIATRIC),
    ("6 yo with croup", Intent.PEDIATRIC),
    ("ddx of syncope", Intent.DIFFERENTIAL),
    ("what else could cause altered mental status", Intent.DIFFERENTIAL),
    ("policy 510", Intent.PROTOCOL_LOOKUP),
    ("814", Intent.PROTOCOL_LOOKUP),
    ("ref no 1317.9", Intent.PROTOCOL_LOOKUP),
    ("how to insert a chest tube", Intent.PROCEDURE),
    ("needle decompression landmark", Intent.PROCEDURE),
    ("stroke assessment scale", Intent.ASSESSMENT),
    ("signs of tamponade", Intent.ASSESSMENT),
    ("recruiting trials for gout", Intent.TRIAL_SEARCH),
    ("phase 2 randomized placebo", Intent.TRIAL_SEARCH),
    ("heat exhaustion", Intent.GENERAL),
    ("jellyfish", Intent.GENERAL),
    ("COVID-19", Intent.GENERAL),
]


@pytest.mark.parametrize(("query", "intent"), STRONGEST)
def test_the_strongest_intent_comes_first(query, intent):
    assert understand(query).intents[0] is intent


def test_several_intents_may_hold():
    assert set(understand("pediatric fentanyl dose contraindications").intents) >= {
        Intent.PEDIATRIC,
        Intent.MEDICATION_DOSING,
        Intent.CONTRAINDICATION,
    }


def test_an_adults_age_is_not_pediatric():
    assert Intent.PEDIATRIC not in understand("45 yo with chest pain").intents


def test_an_abbreviation_speaks_for_what_it_means():
    assert Intent.PEDIATRIC in understand("fentanyl peds").intents
    assert Intent.DIFFERENTIAL in understand("ddx syncope").intents


def test_general_stands_alone():
    assert understand("jellyfish").intents == (Intent.GENERAL,)
