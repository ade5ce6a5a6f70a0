"""Sections fit what is asked, from -1 to 1."""

from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import Section
from pipeline.search.rerank.sections import section_fit
from pipeline.search.understand.model import Intent


@pytest.mark.parametrize(
    ("intent", "better", "worse"),
    [
        (Intent.CONTRAINDICATION, Section.CONTRAINDICATIONS, Section.DOSING),
        (Intent.PEDIATRIC, Section.PEDIATRIC, Section.ADULT),
        (Intent.MEDICATION_DOSING, Section.ADULT, Section.ADVERSE_EFFECTS),
        (Intent.PROCEDURE, Section.PROCEDURE, Section.DEFINITIONS),
        (Intent.ASSESSMENT, Section.ASSESSMENT, Section.TREATMENT),
        (Intent.PROTOCOL_LOOKUP, Section.PURPOSE, Section.REFERENCES),
        (Intent.GENERAL, Section.NOTE_TEXT, Section.TABLE_OF_CONTENTS),
    ],
)
def test_what_an_intent_wants(intent, better, worse):
    assert section_fit(better, (intent,)) > section_fit(worse, (intent,))


def test_a_second_intent_counts_half():
    first = section_fit(Section.PEDIATRIC, (Intent.PEDIATRIC,))
    second = section_fit(Section.PEDIATRIC, (Intent.GENERAL, Intent.PEDIATRIC))
    assert second == pytest.approx(first / 2)


def test_fits_stay_within_bounds():
    every = tuple(Intent)
    assert all(-1.0 <= section_fit(section, every) <= 1.0 for section in Section)
