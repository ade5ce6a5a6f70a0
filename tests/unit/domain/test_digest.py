"""Digests add up to the same whatever the order, and to something else whatever is missing, added, changed or there twice."""

from __future__ import annotations

from uuid import UUID, uuid4, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.digest import SLICES, digest_of, point_digest, slice_bounds, slice_of, slice_of_text, to_hex
from pipeline.domain.identifiers import NAMESPACE

points = st.lists(
    st.tuples(st.uuids(), st.integers(0, 2**128 - 1).map(lambda n: f"{n:032x}")), min_size=1, max_size=8, unique_by=lambda p: p[0]
)


@given(points, st.randoms())
def test_the_order_of_points_does_not_matter(some, random):
    other = list(some)
    random.shuffle(other)
    assert digest_of(other) == digest_of(some)


@given(points)
def test_a_point_less_more_twice_or_changed_gives_another_digest(some):
    first, content = some[0]
    changed = "0" * 32 if content != "0" * 32 else "1" * 32
    others = [some[1:], [*some, (uuid4(), content)], [*some, some[0]], [(first, changed), *some[1:]], [(uuid4(), content), *some[1:]]]
    assert digest_of(some) not in {digest_of(other) for other in others}


def test_two_points_that_exchange_their_payloads_give_another_digest():
    a, b = UUID(int=1), UUID(int=2)
    assert digest_of([(a, "0" * 32), (b, "1" * 32)]) != digest_of([(a, "1" * 32), (b, "0" * 32)])


def test_the_digest_of_documents_is_the_sum_of_theirs():
    one, two = [(UUID(int=1), "0" * 32)], [(UUID(int=2), "1" * 32)]
    assert to_hex(int(digest_of(one), 16) + int(digest_of(two), 16)) == digest_of(one + two)


def test_digests_are_the_same_for_ever():
    assert digest_of([]) == "0" * 32
    assert f"{point_digest(UUID(int=1), '00' * 16):032x}" == digest_of([(UUID(int=1), "00" * 16)]) == "7094a3bfb8dc87cc1238c09da5742ff8"


def test_every_document_is_in_the_one_slice_whose_bounds_hold_its_id():
    documents = [uuid5(NAMESPACE, str(number)) for number in range(200)] + [UUID(int=0), UUID(int=2**128 - 1)]
    for document in documents:
        first, last = slice_bounds(slice_of(document))
        assert first <= document <= last
        assert slice_of_text(str(document)) == slice_of(document)
    assert (slice_bounds(0)[0], slice_bounds(SLICES - 1)[1]) == (UUID(int=0), UUID(int=2**128 - 1))


@pytest.mark.parametrize(
    "other", [None, 5, "", "no id", str(UUID(int=5)).replace("-", ""), str(UUID(int=10)).upper(), str(UUID(int=5)) + "\n"]
)
def test_an_id_that_is_not_written_as_ours_belongs_to_no_slice(other):
    assert slice_of_text(other) is None
