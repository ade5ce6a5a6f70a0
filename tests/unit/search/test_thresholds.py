"""Sites may ask for more before a hit is shown, by what a query is after."""

from __future__ import annotations

import pytest

from pipeline.domain.errors import ConfigurationError
from pipeline.search.thresholds import threshold_of
from pipeline.search.understand.model import Intent

DOSING, GENERAL = Intent.MEDICATION_DOSING, Intent.GENERAL


@pytest.mark.parametrize(
    ("intents", "by_intent", "asked", "expected"),
    [
        ((DOSING,), {}, 0.0, 0.0),
        ((DOSING,), {"medication_dosing": 0.5}, 0.0, 0.5),
        ((DOSING,), {"medication_dosing": 0.5}, 0.7, 0.7),
        ((GENERAL, DOSING), {"medication_dosing": 0.5}, 0.1, 0.1),
    ],
)
def test_the_higher_one_of_the_sites_and_the_callers_holds(intents, by_intent, asked, expected):
    assert threshold_of(intents, by_intent, asked=asked) == expected


@pytest.mark.parametrize("by_intent", [{"dosing": 0.5}, {"medication_dosing": 1.5}, {"medication_dosing": -0.1}])
def test_an_unknown_intent_or_no_probability_is_refused(by_intent):
    with pytest.raises(ConfigurationError, match=next(iter(by_intent))):
        threshold_of((DOSING,), by_intent, asked=0.0)
