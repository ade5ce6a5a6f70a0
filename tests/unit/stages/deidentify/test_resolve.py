"""Overlaps become places apart, and nothing that was found is uncovered again."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.resolve import resolve

PLACES = st.lists(
    st.builds(
        lambda start, length, category, score: Found(start, start + length, category, score, "test"),
        st.integers(0, 60),
        st.integers(1, 20),
        st.sampled_from(IdentifierClass),
        st.floats(0, 1),
    ),
    max_size=12,
)


def covered(places: list[Found]) -> set[int]:
    return {index for each in places for index in range(each.start, each.end)}


@given(PLACES)
def test_exactly_what_was_found_is_covered_in_order_and_apart(places: list[Found]):
    resolved = resolve(places)
    assert covered(resolved) == covered(places)
    assert all(first.end <= second.start for first, second in itertools.pairwise(resolved))


def test_the_surest_finder_gives_the_class():
    loose = Found(0, 20, IdentifierClass.OTHER_ID, 0.5, "loose")
    sure = Found(5, 12, IdentifierClass.SSN, 0.95, "sure")
    assert resolve([loose, sure]) == [Found(0, 20, IdentifierClass.SSN, 0.95, "sure")]


def test_neighbours_stay_apart():
    first, second = Found(0, 5, IdentifierClass.NAME, 0.9, "a"), Found(5, 9, IdentifierClass.DATE, 0.9, "b")
    assert resolve([second, first]) == [first, second]
