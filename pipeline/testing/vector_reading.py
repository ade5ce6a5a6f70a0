"""What every ``VectorIndex`` must give back of its vectors, and take again. Used like ``vector_index``."""

# ruff: noqa: D102, PT011, S101  # these are tests: their names say what they show
from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import numpy as np
import pytest

from pipeline.domain.errors import CollectionMissingError
from pipeline.domain.points import SparseVector, StoredPoint, StoredVectors
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vector_marks import DENSE_TOLERANCE, SPARSE_TOLERANCE, dense_marks, sparse_marks
from pipeline.testing.points import make_point, make_points, unit_vector
from pipeline.testing.vector_index import VectorIndexFixtures

TERMS = SparseVector((4, 9), (0.1, 2.2))


class VectorIndexReadingContract(VectorIndexFixtures):
    """Vectors read back, points put back, vectors that are lacking."""

    def test_a_missing_collection_is_said(self, fresh: VectorIndex) -> None:
        point = StoredPoint(UUID(int=1), {}, StoredVectors([1.0], None))
        attempts: list[Callable[[], object]] = [
            lambda: fresh.restore([point]),
            lambda: fresh.lacking(dense=True),
            lambda: list(fresh.scan(vectors=True)),
        ]
        for attempt in attempts:
            with fresh.session(), pytest.raises(CollectionMissingError):
                attempt()

    def test_vectors_are_read_back_as_they_were_written(self, index: VectorIndex) -> None:
        points = {number: make_point(1, number, dense=unit_vector(number), sparse=TERMS) for number in range(1, 30)}
        index.upsert(list(points.values()))
        stored = list(index.scan(vectors=True))
        assert [one.id for one in stored] == [one.id for one in index.scan()]
        by_id = {one.id: one for one in stored}
        for point in points.values():
            vectors = by_id[point.id].vectors
            assert vectors is not None
            assert vectors.dense == pytest.approx(point.dense.tolist(), abs=1e-6)
            assert vectors.sparse == SparseVector(TERMS.indices, pytest.approx(TERMS.values, abs=1e-6))  # type: ignore[arg-type]
            assert by_id[point.id].payload == point.payload
        (one,) = index.retrieve([points[3].id], vectors=True)
        assert one == by_id[points[3].id]

    def test_marks_of_what_is_read_back_are_those_of_what_was_written(self, index: VectorIndex) -> None:
        dense = np.stack([unit_vector(number) * np.float32(1 + number / 30_000) for number in range(20)])
        sparse = [SparseVector((number, 5000 + number), (0.1 * (number + 1), 1 / 3)) for number in range(20)]
        points = [make_point(1, number + 1, dense=dense[number], sparse=sparse[number]) for number in range(20)]
        index.upsert(points)
        stored = {one.id: one.vectors for one in index.scan(vectors=True)}
        read = [stored[point.id] for point in points]
        assert dense_marks(np.asarray([one.dense for one in read if one], dtype=np.float32)) == pytest.approx(
            dense_marks(dense), abs=DENSE_TOLERANCE
        )
        assert sparse_marks([one.sparse for one in read if one and one.sparse]) == pytest.approx(sparse_marks(sparse), abs=SPARSE_TOLERANCE)

    def test_vectors_are_read_only_where_asked(self, index: VectorIndex) -> None:
        index.upsert([make_point(1, 1)])
        assert [one.vectors for one in index.scan()] == [None]
        assert index.retrieve([make_point(1, 1).id])[0].vectors is None

    @pytest.mark.parametrize("batch_size", [1, 7, 1000])
    def test_a_scan_begins_at_the_id_it_is_told(self, index: VectorIndex, batch_size: int) -> None:
        index.upsert(make_points(1, range(1, 31)))
        self.write_raw(index, [(17, {"x": 1})])
        everything = [one.id for one in index.scan() if isinstance(one.id, UUID)]
        for place in (0, 12, 29):
            assert [one.id for one in index.scan(batch_size=batch_size, after=everything[place])] == everything[place:]
        between = UUID(int=everything[12].int + 1)
        assert [one.id for one in index.scan(batch_size=batch_size, after=between)] == everything[13:]
        assert list(index.scan(after=UUID(int=2**128 - 1))) == []

    def test_a_point_is_put_back_as_it_was(self, index: VectorIndex) -> None:
        index.upsert(make_points(1, range(1, 30)))
        before = list(index.scan(vectors=True))
        index.delete_points([one.id for one in before[:20]])
        index.restore(before[:20])
        index.restore([])
        after = list(index.scan(vectors=True))
        assert [(one.id, one.payload) for one in after] == [(one.id, one.payload) for one in before]
        for old, new in zip(before, after, strict=True):
            assert old.vectors is not None
            assert new.vectors is not None
            assert new.vectors.dense == pytest.approx(old.vectors.dense, abs=1e-6)
            assert new.vectors.sparse == old.vectors.sparse

    def test_putting_back_takes_what_writing_would_refuse(self, index: VectorIndex) -> None:
        dense = unit_vector(1).tolist()
        points = [
            StoredPoint(5, {"somebody": "else's"}, StoredVectors(dense, None)),
            StoredPoint(UUID(int=6), {}, StoredVectors([0.0] * len(dense), TERMS)),
            StoredPoint(UUID(int=7), {}, StoredVectors(None, TERMS)),
        ]
        index.restore(points)
        assert [one.id for one in index.scan()] == [5, UUID(int=6), UUID(int=7)]
        assert {one.id: one.vectors and one.vectors.dense is None for one in index.scan(vectors=True)} == {
            5: False,
            UUID(int=6): False,
            UUID(int=7): True,
        }

    def test_a_point_without_its_vectors_is_not_put_back(self, index: VectorIndex) -> None:
        index.upsert([make_point(1, 1)])
        with pytest.raises(ValueError):
            index.restore([StoredPoint(make_point(1, 1).id, {"x": 1})])
        assert index.retrieve([make_point(1, 1).id])[0].payload == make_point(1, 1).payload

    def test_points_that_lack_a_vector_are_counted(self, index: VectorIndex) -> None:
        index.upsert([*make_points(1, range(1, 20)), make_point(1, 20, sparse=SparseVector((), ()))])
        assert (index.lacking(dense=True), index.lacking(dense=False)) == (0, 1)
        dense = unit_vector(1).tolist()
        index.restore(
            [
                StoredPoint(make_point(1, 1).id, {}, StoredVectors(None, TERMS)),
                StoredPoint(make_point(1, 2).id, {}, StoredVectors(dense, None)),
                StoredPoint(make_point(1, 3).id, {}, StoredVectors(None, None)),
            ]
        )
        assert (index.lacking(dense=True), index.lacking(dense=False)) == (2, 3)
        index.restore([StoredPoint(make_point(1, 1).id, {}, StoredVectors(dense, TERMS))])
        assert (index.lacking(dense=True), index.lacking(dense=False)) == (1, 3)
