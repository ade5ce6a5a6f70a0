"""A mark follows its vector through what engines do to it, and does not fit another vector."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.domain.points import SparseVector
from pipeline.domain.vector_marks import DENSE_TOLERANCE, NO_TERMS, SPARSE_TOLERANCE, dense_marks, sparse_marks


def vectors(count: int, dimensions: int = 384) -> np.ndarray:
    random = np.random.default_rng(7).standard_normal((count, dimensions))
    return np.asarray(random / np.linalg.norm(random, axis=1, keepdims=True), dtype=np.float32)


def test_marks_are_the_same_for_ever():
    row = np.arange(1, 13, dtype=np.float32)[None, :]
    assert dense_marks(row).tolist() == [pytest.approx(0.15463938004327019, abs=1e-12)]
    assert sparse_marks([SparseVector((5, 70000), (1.5, 0.25)), SparseVector((2**32 - 1,), (1.0,))]) == pytest.approx(
        [-0.19365635700288897, -0.09615377956662385], abs=1e-12
    )


@pytest.mark.parametrize("dimensions", [1, 7, 8, 384, 1024])
def test_a_mark_survives_normalising_again_and_another_length(dimensions: int):
    some = vectors(50, dimensions)
    again = np.asarray(some / np.linalg.norm(some, axis=1, keepdims=True), dtype=np.float32)
    assert dense_marks(again) == pytest.approx(dense_marks(some), abs=DENSE_TOLERANCE / 5)
    assert dense_marks(some * np.float32(1.0009)) == pytest.approx(dense_marks(some), abs=DENSE_TOLERANCE / 5)


def test_other_vectors_have_other_marks():
    marks = np.sort(dense_marks(vectors(200)))
    assert np.diff(marks).min() > DENSE_TOLERANCE
    assert marks.std() == pytest.approx(1.0, abs=0.2)


def test_vectors_of_few_distinct_numbers_are_told_from_their_own_in_another_order():
    rows = np.zeros((2000, 384), dtype=np.float32)
    random = np.random.default_rng(11)
    for row in rows:
        row[random.choice(384, size=16, replace=False)] = random.choice([-0.25, 0.25], size=16)
    assert np.abs(dense_marks(rows) - dense_marks(rows[:, ::-1])).min() > DENSE_TOLERANCE


@pytest.mark.parametrize(("place", "by"), [(0, 1e-3), (383, -1e-3), (100, 5e-4)])
def test_one_number_that_changed_moves_the_mark(place: int, by: float):
    before = vectors(1)
    after = before.copy()
    after[0, place] += np.float32(by)
    assert abs(dense_marks(after)[0] - dense_marks(before)[0]) > DENSE_TOLERANCE


def test_a_row_of_zeros_or_a_number_that_is_not_finite_has_no_mark():
    some = vectors(3)
    some[0] = 0
    some[1, 5] = np.nan
    some[2, 5] = np.inf
    assert np.isnan(dense_marks(some)).all()


def test_a_sparse_mark_does_not_depend_on_rounding_to_float32():
    exact = SparseVector((3, 9, 12), (0.123456789, 1.987654321, 2.2))
    rounded = SparseVector(exact.indices, tuple(float(np.float32(value)) for value in exact.values))
    assert sparse_marks([exact]) == pytest.approx(sparse_marks([rounded]), abs=SPARSE_TOLERANCE / 100)


def test_sparse_vectors_that_differ_have_other_marks_and_no_terms_have_none():
    some = [
        SparseVector((3, 9), (1.0, 2.0)),
        SparseVector((3, 9), (2.0, 1.0)),
        SparseVector((3, 10), (1.0, 2.0)),
        SparseVector((3,), (1.0,)),
        SparseVector((3, 9), (1.0, 2.001)),
        SparseVector((), ()),
    ]
    marks = sparse_marks(some)
    assert marks[-1] == NO_TERMS
    assert min(abs(a - b) for place, a in enumerate(marks) for b in marks[:place]) > SPARSE_TOLERANCE
    assert sparse_marks([]) == []
