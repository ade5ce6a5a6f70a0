"""What is said of a point's vectors, and of the batches they are measured in."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from pipeline.domain.points import SparseVector, StoredPoint, StoredVectors
from pipeline.domain.vector_marks import dense_marks, sparse_marks
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.drift.examine import Seen, examine
from pipeline.storage.chunks import ExpectedPoint

DENSE = np.asarray([0.6, 0.8, 0.0, 0.0], dtype=np.float32)
TERMS = SparseVector((3, 9), (1.0, 0.5))
NAN, INFINITE = float("nan"), float("inf")
WITH_TERMS = ExpectedPoint(UUID(int=1), UUID(int=2), 1, "", "", float(dense_marks(DENSE[None, :])[0]), sparse_marks([TERMS])[0])
WITHOUT_TERMS = ExpectedPoint(UUID(int=1), UUID(int=2), 1, "", "", WITH_TERMS.dense_mark, 0.0)
UNMARKED = ExpectedPoint(UUID(int=1), UUID(int=2), 1, "", "", None, None)


def seen(dense: object, sparse: SparseVector | None) -> Seen:
    vectors = StoredVectors(None if dense is None else list(dense), sparse)  # type: ignore[call-overload]
    (one,) = examine([StoredPoint(UUID(int=1), {"a": 1}, vectors)], dimensions=4)
    return one


@pytest.mark.parametrize(
    ("dense", "sparse", "expected", "drift"),
    [
        (DENSE, TERMS, WITH_TERMS, DriftClass.OK),
        (DENSE, TERMS, UNMARKED, DriftClass.OK),
        (DENSE, None, WITHOUT_TERMS, DriftClass.OK),
        (DENSE, SparseVector((), ()), WITHOUT_TERMS, DriftClass.OK),
        (DENSE, None, UNMARKED, DriftClass.OK),  # whether the text has terms is not known
        (None, TERMS, WITH_TERMS, DriftClass.MISSING_DENSE),
        (None, None, UNMARKED, DriftClass.MISSING_DENSE),
        (DENSE[:3], TERMS, WITH_TERMS, DriftClass.WRONG_DIMENSIONS),
        ([*DENSE, 0.0], TERMS, UNMARKED, DriftClass.WRONG_DIMENSIONS),
        ([], TERMS, WITH_TERMS, DriftClass.WRONG_DIMENSIONS),
        ([0.0] * 4, TERMS, UNMARKED, DriftClass.ZERO_VECTOR),
        ([NAN] * 4, TERMS, UNMARKED, DriftClass.NON_FINITE_VECTOR),
        ([INFINITE, 0, 0, 0], TERMS, WITH_TERMS, DriftClass.NON_FINITE_VECTOR),
        (DENSE, SparseVector((3,), (NAN,)), UNMARKED, DriftClass.NON_FINITE_VECTOR),
        (DENSE, None, WITH_TERMS, DriftClass.MISSING_SPARSE),
        (DENSE, SparseVector((), ()), WITH_TERMS, DriftClass.MISSING_SPARSE),
        (DENSE[::-1], TERMS, WITH_TERMS, DriftClass.VECTOR_DRIFT),
        (DENSE, SparseVector((3, 9), (1.0, 0.6)), WITH_TERMS, DriftClass.VECTOR_DRIFT),
        (DENSE, TERMS, WITHOUT_TERMS, DriftClass.VECTOR_DRIFT),
        ([0.0] * 4, None, WITH_TERMS, DriftClass.ZERO_VECTOR),  # of two faults one is named; both are written anew
    ],
)
def test_vectors_are_in_the_class_of_what_is_wrong_with_them(dense, sparse, expected, drift):
    point = seen(dense, sparse)
    assert point.vectors is not None
    assert point.vectors.compared_with(expected) is drift


def test_one_bad_vector_says_nothing_of_those_measured_with_it():
    vectors = [StoredVectors(list(DENSE), TERMS)] * 600
    vectors[3] = StoredVectors([NAN] * 4, TERMS)
    vectors[599] = StoredVectors(None, TERMS)
    points = [StoredPoint(UUID(int=number), {"n": number}, one) for number, one in enumerate(vectors)]
    measured = list(examine(points, dimensions=4))
    assert [one.id for one in measured] == [point.id for point in points]
    assert [one.payload for one in measured] == [point.payload for point in points]
    faults = {place: one.vectors.compared_with(WITH_TERMS) for place, one in enumerate(measured) if one.vectors}
    assert {place for place, drift in faults.items() if drift is not DriftClass.OK} == {3, 599}


def test_points_read_without_vectors_are_not_measured():
    (one,) = examine([StoredPoint(UUID(int=1), {})], dimensions=4)
    assert one.vectors is None
    assert list(examine([], dimensions=4)) == []
