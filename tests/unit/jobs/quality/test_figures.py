"""Figures of distributions: how far they are from earlier ones, and when nothing can be said."""

from __future__ import annotations

import pytest

from pipeline.jobs.quality.docs_site import offline
from pipeline.jobs.quality.figures import shifts
from pipeline.jobs.quality.model import Figures
from pipeline.jobs.quality.sample import folded_hash

USUAL = Figures(
    lengths=[500, 500],
    sections={"PLAN": 500, "FINDINGS": 500},
    model="m",
    centroid=[1.0, 0.0],
    spread=0.5,
    vectors=100,
    searches=100,
    zero_hits=5,
)


def changed(**values: object) -> dict[str, float | None]:
    return shifts(USUAL.model_copy(update=values), [USUAL])


def test_equal_figures_have_no_shift():
    assert all(value == pytest.approx(0.0) for name, value in changed().items() if name != "zero_hit_rate")


def test_a_shift_is_the_share_of_chunks_that_lie_elsewhere():
    assert changed(lengths=[900, 100])["length_shift"] == pytest.approx(0.4)
    assert changed(sections={"PLAN": 500, "FINDINGS": 400, "POLICY": 100})["section_shift"] == pytest.approx(0.1)
    assert changed(sections={"POLICY": 1000})["section_shift"] == pytest.approx(1.0)


def test_embeddings_shift_by_direction_and_spread():
    assert changed(centroid=[0.0, 1.0])["centroid_shift"] == pytest.approx(1.0)
    assert changed(centroid=[3.0, 0.0])["centroid_shift"] == pytest.approx(0.0)
    assert changed(spread=0.4)["spread_shift"] == pytest.approx(0.2)


def test_only_more_empty_searches_are_a_shift_upwards():
    assert changed(zero_hits=25)["zero_hit_shift"] == pytest.approx(0.2)
    assert changed(zero_hits=0)["zero_hit_shift"] == pytest.approx(-0.05)


def test_too_little_says_nothing():
    assert set(shifts(Figures(), [USUAL]).values()) == {None}
    assert {name for name, value in shifts(USUAL, []).items() if value is not None} == {"zero_hit_rate"}


def test_another_models_embeddings_are_not_compared():
    assert changed(model="other")["centroid_shift"] is None


def test_the_mean_of_several_checks_is_what_counts():
    other = USUAL.model_copy(update={"lengths": [1000, 0]})
    assert shifts(USUAL, [USUAL, other])["length_shift"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Hemoglobin 9.1 g/dL.", "hemoglobin 12.4 g/dL", True),
        ("[NAME] was seen", "was seen", True),
        ("no fever", "fever", False),
        ("left knee", "right knee", False),
    ],
)
def test_texts_that_differ_in_numbers_and_punctuation_read_alike(one: str, other: str, alike: bool):
    assert (folded_hash(one) == folded_hash(other)) is alike


def test_a_page_keeps_links_to_follow_and_loses_what_it_would_load():
    page = '<head><link href="https://cdn.test/a.css" rel=stylesheet><link href="static/a.css"></head><script src="https://cdn.test/x.js"></script><a href="https://b.test">b</a><img src="https://c.test/p.png">'
    shown = offline(page)
    assert "cdn.test" not in shown
    assert "c.test" not in shown
    assert "<link" not in shown
    assert '<a href="https://b.test">b</a>' in shown
