"""Stretches of keys hold about equal bytes, never too many of them, and every key once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.jobs.byte_batches import balanced
from pipeline.jobs.fetch import KeyRange


def test_keys_are_cut_where_the_next_file_would_pass_the_limit():
    sizes = [("a", 30), ("b", 30), ("c", 50), ("d", 10)]
    assert balanced(sizes, max_bytes=60, max_batches=10) == [KeyRange("a", "b"), KeyRange("c", "d")]


def test_a_file_beyond_the_limit_is_alone():
    sizes = [("a", 10), ("b", 500), ("c", 10)]
    assert balanced(sizes, max_bytes=60, max_batches=100) == [KeyRange("a", "a"), KeyRange("b", "b"), KeyRange("c", "c")]


def test_nothing_changed_is_no_batch():
    assert balanced([], max_bytes=60, max_batches=10) == []


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=60), st.integers(1, 2000), st.integers(1, 8))
def test_every_key_is_in_one_stretch_and_there_are_never_too_many(sizes: list[int], max_bytes: int, max_batches: int):
    keys = [f"{index:03}" for index in range(len(sizes))]
    ranges = balanced(list(zip(keys, sizes, strict=True)), max_bytes=max_bytes, max_batches=max_batches)
    assert len(ranges) <= max_batches
    assert [key for one in ranges for key in keys if one.first <= key <= one.last] == keys


@pytest.mark.parametrize("count", [1, 999, 5000])
def test_a_thousand_tasks_are_never_passed(count: int):
    sizes = [(f"{index:05}", 20_000) for index in range(count)]
    assert len(balanced(sizes, max_bytes=1, max_batches=1000)) <= 1000
