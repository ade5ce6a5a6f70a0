from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.stages.embed.batching import batches, distinct, thread_count, unit_rows


@given(st.lists(st.integers(1, 300)), st.integers(1, 1024))
def test_every_text_is_in_exactly_one_batch_within_the_budget(lengths, budget):
    made = list(batches(lengths, max_tokens=budget))

    assert sorted(index for batch in made for index in batch) == list(range(len(lengths)))
    for batch in made:
        assert len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= budget


def test_short_texts_come_first_so_that_padding_is_small():
    assert list(batches([5, 100, 5, 90], max_tokens=200)) == [[0, 2], [3, 1]]


def test_a_text_longer_than_the_budget_is_a_batch_of_its_own():
    assert list(batches([300, 300], max_tokens=10)) == [[0], [1]]


def test_no_texts_make_no_batch():
    assert list(batches([], max_tokens=10)) == []


@given(st.lists(st.sampled_from(["a", "b", "c", ""])))
def test_distinct_texts_rebuild_the_list_they_came_from(texts):
    unique, inverse = distinct(texts)

    assert [unique[place] for place in inverse] == texts
    assert len(set(unique)) == len(unique)


def test_rows_become_unit_length_and_zeros_stay():
    rows = unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32))

    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0]], rtol=1e-6)
    assert rows.dtype == np.float32


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux scheduler")
def test_zero_threads_means_the_cores_this_process_may_use():
    assert thread_count(0) == len(os.sched_getaffinity(0))
    assert thread_count(3) == 3
