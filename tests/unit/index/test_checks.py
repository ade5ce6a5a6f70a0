"""Checks before a write, batches and fusion."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from pipeline.index.checks import batches_of, check_dense, check_payload
from pipeline.index.fusion import fuse, id_order, ranked
from pipeline.testing.points import unit_vector


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [([], []), ([5], [[0]]), ([4, 4, 4], [[0, 1], [2]]), ([20, 1, 9, 1], [[0], [1, 2], [3]]), ([10, 10], [[0], [1]])],
)
def test_batches_stay_below_the_limit_and_an_oversize_item_goes_alone(sizes: list[int], expected: list[list[int]]) -> None:
    assert list(batches_of(range(len(sizes)), sizes, 10)) == expected


def test_unit_length_has_a_tolerance_of_a_thousandth() -> None:
    check_dense([unit_vector(1) * np.float32(1.0009)], 8)
    with pytest.raises(ValueError, match="1 of 2 vectors"):
        check_dense([unit_vector(1), unit_vector(2) * np.float32(1.0011)], 8)


def test_the_size_of_a_payload_is_that_of_its_json() -> None:
    assert check_payload({"a": "µ", "b": [1, None]}) == len('{"a":"µ","b":[1,null]}'.encode())


def test_errors_show_no_value() -> None:
    with pytest.raises(ValueError) as caught:
        check_payload({"secret field": {"secret value"}})
    assert "secret" not in str(caught.value)
    with pytest.raises(ValueError) as caught:
        check_payload({"x": "secret \ud800"})
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_fusion_adds_reciprocal_ranks_from_one() -> None:
    a, b, c = UUID(int=1), UUID(int=2), UUID(int=3)
    assert fuse([[a, b], [b, c]], k=60) == [(b, 1 / 62 + 1 / 61), (a, 1 / 61), (c, 1 / 62)]
    assert fuse([], k=60) == []
    assert fuse([[a], []], k=1) == [(a, 0.5)]


def test_ties_are_in_order_of_id() -> None:
    ids = [UUID(int=2), 7, UUID(int=1), 3]
    assert [each for each, _ in ranked([(each, 1.0) for each in ids])] == [3, 7, UUID(int=1), UUID(int=2)]
    assert id_order(2**64 - 1) < id_order(UUID(int=0))
