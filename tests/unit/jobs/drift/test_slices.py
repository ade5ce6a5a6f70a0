"""Sums agree exactly where both sides hold the same points; whatever belongs to no slice is compared always."""

from __future__ import annotations

from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.digest import digest_of, slice_of
from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.points import StoredPoint, payload_hash
from pipeline.jobs.drift.slices import TruthSide, disagreeing, in_slices, index_side

DOCUMENTS = [uuid5(NAMESPACE, f"document {number}") for number in range(6)]


def point(document: int, ordinal: int, value: int = 0) -> StoredPoint:
    return StoredPoint(uuid5(DOCUMENTS[document], str(ordinal)), {"document_id": str(DOCUMENTS[document]), "value": value})


def truth(points: list[StoredPoint]) -> TruthSide:
    side = TruthSide()
    for document in DOCUMENTS:
        own = [(one.id, payload_hash(one.payload)) for one in points if one.payload["document_id"] == str(document)]
        side.points[slice_of(document)] += len(own)
        side.sums[slice_of(document)] += int(digest_of(own), 16)
    return side


places = st.tuples(st.integers(0, 5), st.integers(0, 2))


@given(st.sets(places), st.dictionaries(places, st.integers(0, 1)))
def test_slices_differ_where_their_points_do(expected: set[tuple[int, int]], found: dict[tuple[int, int], int]):
    side = index_side([point(*place, value) for place, value in sorted(found.items())])
    different = {place for place in expected if found.get(place) != 0} | set(found) - expected
    assert disagreeing(truth([point(*place) for place in sorted(expected)]), side) == {
        slice_of(DOCUMENTS[document]) for document, _ in different
    }
    assert side.strays == 0


def test_a_point_that_is_shown_twice_makes_its_slice_differ():
    one = point(0, 0)
    assert disagreeing(truth([one]), index_side([one, one])) == {slice_of(DOCUMENTS[0])}


def test_slices_that_truth_doubts_are_compared_although_they_agree():
    side = truth([])
    side.doubtful.add(7)
    assert disagreeing(side, index_side([])) == {7}


@pytest.mark.parametrize(
    "stray",
    [
        StoredPoint(5, {"document_id": str(DOCUMENTS[0])}),
        StoredPoint(UUID(int=5), {}),
        StoredPoint(UUID(int=5), {"document_id": 5}),
        StoredPoint(UUID(int=5), {"document_id": str(DOCUMENTS[0]).upper()}),
    ],
)
def test_points_that_name_no_document_are_counted_and_never_passed_over(stray: StoredPoint):
    side = index_side([stray, point(1, 1)])
    assert (side.strays, sum(side.points)) == (1, 1)
    assert list(in_slices([stray, point(1, 1), point(2, 1)], {slice_of(DOCUMENTS[2])})) == [stray, point(2, 1)]
