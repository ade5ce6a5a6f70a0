"""Weights are checked when they are read; scores are log-odds and probabilities."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from pipeline.domain.errors import ConfigurationError
from pipeline.search.rerank.linear import Family, LinearModel, packaged_models, parse_weights, probability

MODEL: dict[str, Any] = {"intercept": -1.0, "weights": {"cosine": 2.0}}


def weights(**changes: Any) -> str:
    return json.dumps({"version": 1, "document": MODEL, "passage": MODEL} | changes)


def test_log_odds_are_the_intercept_and_each_signal_times_its_weight():
    model = LinearModel(-1.0, {"cosine": 2.0, "short": -0.5})
    assert model.log_odds({"cosine": 0.5, "short": 1.0}) == pytest.approx(-0.5)
    assert model.log_odds({}) == -1.0


def test_a_signal_that_nobody_weighed_is_an_error():
    with pytest.raises(KeyError):
        LinearModel(0.0, {"cosine": 1.0}).log_odds({"cosin": 1.0})


@pytest.mark.parametrize(("odds", "expected"), [(0.0, 0.5), (math.log(3), 0.75), (-math.log(3), 0.25)])
def test_probability_of_log_odds(odds, expected):
    assert probability(odds) == pytest.approx(expected)


def test_probabilities_stay_between_0_and_1_and_in_order():
    values = [probability(odds) for odds in (-1000.0, -29.0, 0.0, 29.0, 1000.0)]
    assert values == sorted(values)
    assert 0.0 < values[0] < values[-1] < 1.0


def test_a_file_of_weights_is_read():
    models = parse_weights(weights())
    assert models.document.intercept == -1.0
    assert models.passage.weights == {"cosine": 2.0}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "malformed"),
        ("[]", "malformed"),
        (weights(version=2), "version 2"),
        (weights(document={"intercept": 1.0}), "document.weights"),
        (weights(passage={**MODEL, "bias": 1}), "passage.bias"),
        (weights(document={"intercept": "NaN", "weights": {}}), "document.intercept"),
        (weights(document={"intercept": 0.0, "weights": {"Cosine": 1.0}}), "document.weights"),
        (json.dumps({"version": 1, "document": MODEL}), "passage"),
    ],
)
def test_a_file_that_is_no_such_file_is_refused_by_name(content, told):
    with pytest.raises(ConfigurationError, match=told):
        parse_weights(content)


@pytest.mark.parametrize("family", Family)
def test_packaged_weights_are_valid(family):
    models = packaged_models(family)
    assert models.document.weights
    assert all(math.isfinite(value) for model in (models.document, models.passage) for value in model.weights.values())
