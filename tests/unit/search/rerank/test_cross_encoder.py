"""A model that reads pairs may change the order of those it reads, and of nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pipeline.search.rerank.cross_encoder import read_again


class CountsWords:
    """A ``PairScorer``: how many words of the query the passage holds."""

    fingerprint = "counts-words"

    def __init__(self) -> None:
        self.read: list[str] = []

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        self.read += passages
        return [100.0 * len(set(query.split()) & set(passage.split())) for passage in passages]


@pytest.fixture
def ranked(passage, group):
    texts = ["cold water", "warm water", "warm wet clothing", "warm wet dry clothing"]
    return [replace(group(f"d{number}", passage(text)), score=0.5 - number / 10) for number, text in enumerate(texts)]


def test_what_the_model_prefers_moves_up_and_says_so(ranked):
    again = read_again("warm wet clothing", ranked[:3], CountsWords(), documents=3)
    assert [one.document.title for one in again] == ["d2", "d1", "d0"]
    assert again[0].signals["cross_encoder"] > 0 > again[2].signals["cross_encoder"]
    assert all(0 < one.score < 1 for one in again)


def test_only_the_first_are_read_and_none_of_them_falls_below_the_rest(ranked):
    scorer = CountsWords()
    again = read_again("warm wet dry clothing", ranked, scorer, documents=2)
    assert scorer.read == ["cold water", "warm water"]
    assert {one.document.title for one in again[:2]} == {"d0", "d1"}
    assert [one.document.title for one in again[2:]] == ["d2", "d3"]
    assert [one.score for one in again] == sorted((one.score for one in again), reverse=True)


def test_a_model_that_sees_no_difference_changes_nothing(ranked):
    again = read_again("nothing of it", ranked, CountsWords(), documents=4)
    assert [one.score for one in again] == pytest.approx([one.score for one in ranked])


@pytest.mark.parametrize("count", [0, 1])
def test_a_single_document_is_not_read(ranked, count):
    scorer = CountsWords()
    assert read_again("warm", ranked[:count], scorer, documents=5) == ranked[:count]
    assert scorer.read == []
