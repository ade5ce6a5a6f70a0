"""Differences between runs on the trial collection."""

from __future__ import annotations

import pytest

from bench.trial_eval.collection import Collection, Query
from bench.trial_eval.scores import differences, score
from pipeline.jobs.evaluate.measures import NDCG, PAIR_ACCURACY

COLLECTION = Collection(
    [Query("a1", "made", "first"), Query("b2", "made", "second"), Query("c3", "sigir", "third")],
    {query: {"good": 2, "shut": 1, "off": 0} for query in ("a1", "b2", "c3")},
)
RIGHT = {query: ["good", "shut", "off"] for query in ("a1", "b2", "c3")}
WRONG = {query: ["off", "shut", "good"] for query in ("a1", "b2", "c3")}


def test_a_run_that_ranks_eligible_studies_first_leads_in_every_part() -> None:
    found = differences({"ours": RIGHT, "other": WRONG}, "ours", COLLECTION)
    assert found["made"]["other"][PAIR_ACCURACY]["value"] == pytest.approx(1.0)
    for part in found.values():
        assert part["other"][NDCG]["low"] > 0
        assert part["other"][NDCG]["losses"] == 0


def test_a_run_does_not_lead_over_itself() -> None:
    found = differences({"ours": RIGHT, "same": RIGHT}, "ours", COLLECTION)
    assert found["all"]["same"][NDCG]["value"] == 0
    assert found["all"]["same"][NDCG]["ties"] == 3


def test_pair_accuracy_is_not_said_where_labels_say_nothing_of_eligibility() -> None:
    assert PAIR_ACCURACY not in differences({"ours": RIGHT, "other": WRONG}, "ours", COLLECTION)["sigir"]["other"]
    assert PAIR_ACCURACY not in score(RIGHT, COLLECTION)["sigir"]
