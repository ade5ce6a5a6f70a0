"""Each guard is switched off once, in a process of its own: then the canaries are found, so the canary test watches that guard."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.testing.canaries import all_canaries, found_in, found_outside_landing
from tests.phi import canary_flow

#: Where a canary must turn up when a guard is off. ``held``: the other reader stops it, so the canary test misses the notes in the index.
FOUND_IN = {
    "no_detector": "held",
    "no_gate": "truth.sqlite",
    "no_detector_and_no_gate": "truth.sqlite",
    "no_known_identifiers": "truth.sqlite",
    "no_clinical_policy": "truth.sqlite",
    "no_key_hashing": "truth.sqlite",
    "no_pseudonyms": "truth.sqlite",
    "no_title_policy": "truth.sqlite",
    "no_department_list": "truth.sqlite",
    "no_error_translation": "shown",
    "no_class_of_error": "truth.sqlite",
    "no_quiet_sidecar": "shown",
    "no_quiet_log": "shown",
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def flows(run_flows) -> dict[str, Path]:
    return run_flows(*canary_flow.GUARDS)


def test_every_guard_has_its_expectation():
    assert set(FOUND_IN) == set(canary_flow.GUARDS)


@pytest.mark.parametrize("guard", FOUND_IN)
def test_without_this_guard_the_canary_test_fails(flows: dict[str, Path], guard: str):
    folder, place = flows[guard], FOUND_IN[guard]
    shown = (folder / "shown").read_bytes()
    if place == "held":
        assert found_outside_landing(folder / "home", all_canaries()) == {}
        assert b'"indexed": 3' not in shown
        assert b'"quarantined": 4' in shown
    elif place == "shown":
        assert found_in(shown, all_canaries())
    else:
        assert found_outside_landing(folder / "home", all_canaries()).get(place), "the canaries are not found without this guard"
