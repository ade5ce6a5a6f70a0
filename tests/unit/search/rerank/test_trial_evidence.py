"""Signals of trials from the similarities of their passages."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.domain.vocabulary import Section
from pipeline.search.rerank.linear import Family, packaged_models
from pipeline.search.rerank.trial_evidence import Passages, Similarity, signals

INCLUSION, EXCLUSION, TITLE = Section.INCLUSION_CRITERION.value, Section.EXCLUSION_CRITERION.value, Section.TITLE_CONDITIONS.value


def _signals(trial: list[int], sections: list[str], dense: list[float], sparse: list[float] | None = None) -> dict[str, np.ndarray]:
    passages = Passages.of(trial, sections, [section == EXCLUSION for section in sections])
    near = Similarity(np.asarray(dense), np.asarray(sparse or [0.0] * len(dense)))
    return signals(passages, near, near, np.full(max(trial) + 1, 0.01))


def test_a_match_in_an_exclusion_criterion_is_no_merit() -> None:
    found = _signals([0, 0, 1, 1], [INCLUSION, EXCLUSION, INCLUSION, INCLUSION], [0.2, 0.9, 0.2, 0.6])
    assert found["description_dense"][1] > found["description_dense"][0]


def test_a_trial_that_fits_throughout_beats_one_with_a_lucky_passage_among_many() -> None:
    found = _signals([0] * 8 + [1] * 3, [INCLUSION] * 11, [0.6, *[0.05] * 7, 0.55, 0.5, 0.5])
    assert found["problem_dense"][1] > found["problem_dense"][0]


def test_a_trial_without_a_title_is_neither_preferred_nor_punished_for_it() -> None:
    found = _signals([0, 1, 2], [TITLE, TITLE, INCLUSION], [0.9, 0.1, 0.5])
    assert found["description_about"][0] > found["description_about"][2] > found["description_about"][1]


def test_signals_are_standardised_and_finite() -> None:
    found = _signals([0, 1, 2], [TITLE, INCLUSION, INCLUSION], [0.9, 0.1, 0.5], [3.0, 0.0, 1.0])
    for name, values in found.items():
        assert np.isfinite(values).all(), name
        assert values.mean() == pytest.approx(0.0, abs=1e-9), name


def test_equal_trials_get_no_signal() -> None:
    found = _signals([0, 1], [INCLUSION, INCLUSION], [0.5, 0.5])
    assert not any(values.any() for values in found.values())


def test_every_signal_has_a_weight_and_none_speaks_against_a_match() -> None:
    weights = packaged_models(Family.TRIAL).document.weights
    names = _signals([0, 1], [TITLE, INCLUSION], [0.5, 0.4])
    assert set(names) <= set(weights)
    assert all(weights[name] >= 0 for name in names)
