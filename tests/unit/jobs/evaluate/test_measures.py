"""Measures against values worked out by hand, and a random floor against many random orders."""

from __future__ import annotations

import random
from math import log2

import pytest

from pipeline.jobs.evaluate.floor import random_floor
from pipeline.jobs.evaluate.intervals import figure_of, overall, paired
from pipeline.jobs.evaluate.measures import MEANINGS, measure, pair_accuracy


def run_of(*documents: str) -> dict[str, float]:
    return {name: 1.0 / rank for rank, name in enumerate(documents, start=1)}


def test_measures_of_a_ranking_worked_out_by_hand():
    found = measure({"q": run_of("x", "b", "n", "a")}, {"q": {"a": 2, "b": 1, "n": 0, "c": 1}})["q"]

    ideal = 3 + 1 / log2(3) + 1 / log2(4)
    assert found["ndcg@10"] == pytest.approx((1 / log2(3) + 3 / log2(5)) / ideal)
    assert found["ndcg_linear@10"] == pytest.approx((1 / log2(3) + 2 / log2(5)) / (2 + 1 / log2(3) + 1 / log2(4)))
    assert found["ndcg_condensed@10"] == pytest.approx((1 + 3 / log2(4)) / ideal)
    assert found["recall@3"] == pytest.approx(1 / 3)
    assert found["recall@10"] == pytest.approx(2 / 3)
    assert found["precision@1"] == 0
    assert found["precision@10"] == pytest.approx(0.2)
    assert found["success@1"] == 0
    assert found["success@3"] == 1
    assert found["mrr"] == 0.5
    assert found["pair_accuracy"] == 0.5  # a stands below b and above c, which was not found
    assert found.keys() == MEANINGS.keys()


@pytest.mark.parametrize("labels", [{"a": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 3, "b": 0, "c": 2}])
def test_linear_and_exponential_gains_do_not_get_each_others_values(labels: dict[str, int]):
    ranked = ["b", "a", "c"]

    def ndcg(gain) -> float:
        places = [gain(labels.get(one, 0)) / log2(rank + 1) for rank, one in enumerate(ranked, start=1)]
        ideal = [gain(label) / log2(rank + 1) for rank, label in enumerate(sorted(labels.values(), reverse=True), start=1)]
        return sum(places) / sum(ideal)

    found = measure({"q": run_of(*ranked)}, {"q": labels})["q"]
    assert found["ndcg@10"] == pytest.approx(ndcg(lambda label: 2**label - 1))
    assert found["ndcg_linear@10"] == pytest.approx(ndcg(lambda label: label))


def test_equal_scores_keep_the_order_of_the_run():
    qrels = {"q": {"a": 1}}
    assert measure({"q": {"a": 1.0, "z": 1.0}}, qrels)["q"]["mrr"] == 1
    assert measure({"q": {"z": 1.0, "a": 1.0}}, qrels)["q"]["mrr"] == 0.5


def test_a_query_that_found_nothing_counts_with_zeros():
    found = measure({}, {"q": {"a": 1}})
    assert found["q"]["recall@10"] == 0
    assert "pair_accuracy" not in found["q"]


def test_a_query_without_a_relevant_document_is_not_measured():
    assert measure({"q": run_of("a")}, {"q": {"a": 0}}) == {}


def test_relevance_may_ask_for_eligible_ones_only():
    found = measure({"q": run_of("b", "a")}, {"q": {"a": 2, "b": 1}, "r": {"b": 1}}, relevant_from=2)
    assert found.keys() == {"q"}
    assert found["q"]["mrr"] == 0.5


@pytest.mark.parametrize(
    ("ranked", "share"),
    [(["e", "x"], 1.0), (["x", "e"], 0.0), (["e"], 1.0), (["x"], 0.0), ([], None), (["other"], None)],
)
def test_an_eligible_document_must_stand_above_an_excluded_one(ranked: list[str], share: float | None):
    assert pair_accuracy(ranked, {"e": 2, "x": 1, "n": 0}) == share


def test_random_floor_is_what_random_orders_score_on_average():
    qrels = {"q": {"d0": 2, "d1": 1, "d2": 0, "d3": 1}, "r": {"d5": 1}}
    documents = [f"d{number}" for number in range(12)]
    dice = random.Random(5)
    sums: dict[str, list[float]] = {}
    for _ in range(3000):
        run = {query: run_of(*dice.sample(documents, len(documents))) for query in qrels}
        for name, figure in overall(measure(run, qrels), resamples=1).items():
            sums.setdefault(name, []).append(figure.value)
    floor = random_floor(qrels, len(documents))
    assert floor.keys() == sums.keys()
    for name, values in sums.items():
        assert floor[name] == pytest.approx(sum(values) / len(values), abs=0.015), name


def test_intervals_hold_the_mean_and_are_the_same_in_any_order():
    rows = {f"q{number}": {"mrr": (number % 4) / 3} for number in range(40)}
    figure = overall(rows)["mrr"]
    assert figure.low < figure.value < figure.high
    assert figure == overall(dict(reversed(rows.items())))["mrr"]
    assert figure_of([1.0]).low == 1.0


def test_a_paired_difference_is_narrower_than_the_two_runs_apart():
    before = {f"q{number}": {"mrr": (number % 5) / 5} for number in range(50)}
    after = {query: {"mrr": row["mrr"] + 0.1} for query, row in before.items()} | {"only-here": {"mrr": 0.0}}
    change = paired(before, after)["mrr"]
    assert change.queries == 50
    assert (change.wins, change.losses, change.ties) == (50, 0, 0)
    assert change.value == pytest.approx(0.1)
    assert change.high - change.low < 1e-9
    assert paired(after, before)["mrr"].losses == 50
    assert paired(before, before)["mrr"].ties == 50
