"""What every ``VectorIndex`` must do, as a test class: subclass it, override ``fresh``, ``reopen`` and ``write_raw``."""

# ruff: noqa: D102, PT011, S101  # these are tests: their names say what they show
from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar
from uuid import UUID, uuid4

import numpy as np
import pytest

from pipeline.domain.errors import CollectionMissingError, ForeignModelError, WriteVerificationError
from pipeline.domain.points import CollectionInfo, Point, PointFilter, SparseVector
from pipeline.domain.ports import VectorIndex
from pipeline.testing.points import (
    DIMENSIONS,
    make_document,
    make_payload,
    make_point,
    make_points,
    make_spec,
    unit_vector,
)

RawPoint = tuple[UUID | int, dict[str, Any]]


class VectorIndexFixtures:
    """How the contract's tests get at an index."""

    batch_bytes: ClassVar[int] = 4096  # some five points: every test of more points crosses a batch's end
    name: ClassVar[str] = "clindex"

    @pytest.fixture
    def fresh(self) -> Iterator[VectorIndex]:
        """An index whose collection was not made yet."""
        raise NotImplementedError

    def reopen(self, index: VectorIndex) -> VectorIndex:
        """Return a new object on the same collection, as another task would build it."""
        raise NotImplementedError

    def write_raw(self, index: VectorIndex, points: Sequence[RawPoint]) -> None:
        """Write points past the adapter, as somebody else's program would."""
        raise NotImplementedError

    @pytest.fixture
    def index(self, fresh: VectorIndex) -> Iterator[VectorIndex]:
        """An index with an empty collection, inside a session."""
        fresh.create(make_spec(self.name))
        with fresh.session():
            yield fresh


class VectorIndexCollectionContract(VectorIndexFixtures):
    """Making and describing a collection."""

    def test_describes_nothing_where_nothing_was_made(self, fresh: VectorIndex) -> None:
        assert fresh.describe() is None

    def test_every_use_of_a_missing_collection_says_so(self, fresh: VectorIndex) -> None:
        somewhere = PointFilter(document_ids=(make_document(1),))
        attempts: list[Callable[[], object]] = [
            lambda: fresh.upsert([make_point(1, 1)]),
            lambda: fresh.set_payload([(make_point(1, 1).id, {})]),
            lambda: fresh.delete_points([make_point(1, 1).id]),
            lambda: fresh.delete_matching(somewhere),
            fresh.count,
            lambda: fresh.retrieve([make_point(1, 1).id]),
            lambda: list(fresh.scan()),
            lambda: fresh.query(dense=unit_vector(1), sparse=None, where=PointFilter(), limit=1, candidates=1, rrf_k=60),
        ]
        for attempt in attempts:
            with fresh.session(), pytest.raises(CollectionMissingError) as caught:
                attempt()
            assert "clindex init" in str(caught.value.remedy)
        assert fresh.describe() is None

    def test_remembers_what_it_was_made_for(self, fresh: VectorIndex) -> None:
        fresh.create(make_spec(self.name))
        assert self.reopen(fresh).describe() == CollectionInfo(spec=make_spec(self.name), points=0, status="green")

    def test_making_it_again_keeps_its_points(self, index: VectorIndex) -> None:
        index.upsert(make_points(1, range(1, 4)))
        index.create(make_spec(self.name))
        assert index.count() == 3

    @pytest.mark.parametrize(
        "change", [{"model": "test-model-b"}, {"dimensions": DIMENSIONS + 1}, {"sparse": "other"}, {"payload_version": "0"}]
    )
    def test_refuses_to_pass_for_a_collection_of_another_spec(self, index: VectorIndex, change: dict[str, Any]) -> None:
        index.upsert([make_point(1, 1)])
        with pytest.raises(ForeignModelError):
            index.create(make_spec(self.name, **change))
        info = index.describe()
        assert info is not None
        assert (info.spec, info.points) == (make_spec(self.name), 1)
        uncounted = index.describe(count=False)
        assert uncounted is not None
        assert (uncounted.spec, uncounted.points) == (make_spec(self.name), None)

    def test_removed_it_is_gone_and_can_be_made_anew_for_another_model(self, fresh: VectorIndex) -> None:
        fresh.remove()
        fresh.create(make_spec(self.name))
        fresh.upsert(make_points(1, range(1, 4)))
        fresh.remove()
        assert fresh.describe() is None
        with pytest.raises(CollectionMissingError):
            fresh.count()
        fresh.create(make_spec(self.name, model="test-model-b"))
        assert fresh.count() == 0

    def test_two_who_make_it_at_once_both_succeed(self, fresh: VectorIndex) -> None:
        others = [self.reopen(fresh) for _ in range(4)]
        failures = _in_threads([lambda index=index: index.create(make_spec(self.name)) for index in others])
        assert failures == []
        info = fresh.describe()
        assert info is not None
        assert info.spec == make_spec(self.name)


class VectorIndexWriteContract(VectorIndexFixtures):
    """Writing, replacing and deleting."""

    def test_reads_back_the_payload_that_was_written(self, index: VectorIndex) -> None:
        payload = make_payload(
            1, 1, is_exclusion=None, note='µg ≥ 5 \U0001f489 \\"\n', share=0.1, big=2**53, nested={"a": [1, None, {"b": True}]}, empty=[]
        )
        point = make_point(1, 1)
        index.upsert([Point(point.id, point.dense, point.sparse, payload)])
        (stored,) = index.retrieve([point.id])
        assert stored.id == point.id
        assert stored.payload == payload
        (scanned,) = index.scan()
        assert scanned == stored

    def test_writing_a_point_again_replaces_all_of_it(self, index: VectorIndex) -> None:
        point = make_point(1, 1, dense=unit_vector(1))
        index.upsert([point])
        index.upsert([Point(point.id, unit_vector(2), SparseVector((7,), (1.0,)), {"document_id": "x"})])
        assert index.count() == 1
        assert index.retrieve([point.id])[0].payload == {"document_id": "x"}
        (hit,) = index.query(dense=unit_vector(2), sparse=None, where=PointFilter(), limit=1, candidates=1, rrf_k=60)
        assert hit.score == pytest.approx(1.0, abs=1e-5)
        assert not index.query(dense=None, sparse=SparseVector((1,), (1.0,)), where=PointFilter(), limit=5, candidates=5, rrf_k=60)

    def test_nothing_to_write_is_no_error(self, index: VectorIndex) -> None:
        index.upsert([])
        index.set_payload([])
        index.delete_points([])
        assert index.count() == 0
        assert index.retrieve([]) == []

    def test_a_document_that_shrinks_leaves_no_stale_point(self, index: VectorIndex) -> None:
        index.upsert(make_points(1, range(1, 6)) + make_points(2, range(1, 3)))
        index.upsert(make_points(1, range(1, 4), generation=2))
        document = make_document(1)
        index.delete_matching(PointFilter(document_ids=(document,), generation_below=2))
        left = list(index.scan(PointFilter(document_ids=(document,))))
        assert {(each.payload["generation"], each.payload["ordinal"]) for each in left} == {(2, 1), (2, 2), (2, 3)}
        assert index.count() == 5

    @pytest.mark.parametrize(
        "bad",
        [
            np.full(DIMENSIONS, np.nan, dtype=np.float32),
            np.full(DIMENSIONS, np.inf, dtype=np.float32),
            np.zeros(DIMENSIONS, dtype=np.float32),
            unit_vector(1) * np.float32(1.01),
            unit_vector(1, DIMENSIONS + 1),
            unit_vector(1).reshape(2, -1),
        ],
        ids=["nan", "infinite", "zero", "too long", "other dimension", "other shape"],
    )
    def test_one_bad_vector_and_nothing_is_written(self, index: VectorIndex, bad: np.ndarray[Any, Any]) -> None:
        with pytest.raises(ValueError):
            index.upsert([*make_points(1, range(1, 20)), make_point(1, 20, dense=bad)])
        assert index.count() == 0

    @pytest.mark.parametrize(
        "bad",
        [{"x": uuid4()}, {"x": float("nan")}, {"x": "\ud800"}, {"x": 2**70}, {"x": {1: 2}}, {"x": b"bytes"}],
        ids=lambda bad: type(bad["x"]).__name__,
    )
    def test_a_payload_that_is_no_json_and_nothing_is_written(self, index: VectorIndex, bad: dict[str, Any]) -> None:
        with pytest.raises(ValueError):
            index.upsert([make_point(1, 1), make_point(1, 2, **bad)])
        assert index.count() == 0

    @pytest.mark.parametrize(
        "bad",
        [
            SparseVector((2, 1), (1.0, 1.0)),
            SparseVector((1, 1), (1.0, 1.0)),
            SparseVector((1,), ()),
            SparseVector((1,), (float("nan"),)),
            SparseVector((-1,), (1.0,)),
            SparseVector((2**32,), (1.0,)),
        ],
    )
    def test_a_sparse_vector_that_is_not_well_formed_is_refused(self, index: VectorIndex, bad: SparseVector) -> None:
        with pytest.raises(ValueError):
            index.upsert([make_point(1, 1, sparse=bad)])
        assert index.count() == 0

    def test_a_text_without_terms_is_found_by_its_dense_vector(self, index: VectorIndex) -> None:
        index.upsert([make_point(1, 1, dense=unit_vector(1), sparse=SparseVector((), ()))])
        (hit,) = index.query(dense=unit_vector(1), sparse=SparseVector((1,), (1.0,)), where=PointFilter(), limit=3, candidates=3, rrf_k=60)
        assert hit.id == make_point(1, 1).id

    def test_replacing_a_payload_drops_old_fields_and_keeps_vectors(self, index: VectorIndex) -> None:
        points = make_points(1, range(1, 30))
        index.upsert(points)
        payload = {key: value for key, value in make_payload(1, 1).items() if key != "phases"} | {"overall_status": "COMPLETED"}
        index.set_payload([(point.id, payload) for point in points])
        assert [each.payload for each in index.scan()] == [payload] * len(points)
        assert index.count(PointFilter(overall_status=("COMPLETED",))) == len(points)
        assert index.count(PointFilter(overall_status=("RECRUITING",))) == 0
        (hit,) = index.query(dense=points[4].dense, sparse=None, where=PointFilter(), limit=1, candidates=1, rrf_k=60)
        assert hit.id == points[4].id

    def test_the_payload_of_an_unknown_point_is_an_error_and_changes_nothing(self, index: VectorIndex) -> None:
        index.upsert([make_point(1, 1)])
        with pytest.raises(WriteVerificationError):
            index.set_payload([(make_point(1, 1).id, {"model": "x"}), (make_point(1, 2).id, {"model": "x"})])
        assert [each.payload for each in index.scan()] == [make_payload(1, 1)]

    def test_deletes_by_id_and_takes_unknown_ids_in_its_stride(self, index: VectorIndex) -> None:
        index.upsert(make_points(1, range(1, 4)))
        self.write_raw(index, [(17, {"x": 1})])
        index.delete_points([make_point(1, 2).id, make_point(5, 5).id, 17, 18])
        assert {each.payload["ordinal"] for each in index.scan()} == {1, 3}

    @pytest.mark.parametrize("where", [PointFilter(), PointFilter(generation=1), PointFilter(nct_ids=("NCT90000001",))])
    def test_refuses_a_delete_that_names_no_document(self, index: VectorIndex, where: PointFilter) -> None:
        index.upsert([make_point(1, 1)])
        with pytest.raises(ValueError):
            index.delete_matching(where)
        assert index.count() == 1

    def test_a_number_stored_as_text_is_not_matched_and_stays_visible_in_the_count(self, index: VectorIndex) -> None:
        self.write_raw(index, [(uuid4(), make_payload(1, 1) | {"generation": "1"})])
        document = make_document(1)
        index.delete_matching(PointFilter(document_ids=(document,), generation=1))
        assert index.count(PointFilter(document_ids=(document,))) == 1

    def test_threads_that_write_at_once_lose_nothing(self, fresh: VectorIndex) -> None:
        fresh.create(make_spec(self.name))

        def write(thread: int) -> None:
            for batch in range(20):
                with fresh.session() as index:
                    index.upsert(make_points(thread + 1, range(batch * 10 + 1, batch * 10 + 11)))

        assert _in_threads([lambda thread=thread: write(thread) for thread in range(8)]) == []
        with fresh.session():
            assert fresh.count() == 1600
            assert sum(1 for _ in fresh.scan()) == 1600

    def test_another_object_sees_what_was_written(self, fresh: VectorIndex) -> None:
        fresh.create(make_spec(self.name))
        with fresh.session() as index:
            index.upsert(make_points(1, range(1, 8)))
        assert self.reopen(fresh).count() == 7


def _in_threads(works: Sequence[Any]) -> list[str]:
    """Run all at once; return the names of the errors they ended with."""
    failures: list[str] = []

    def run(work: Any) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  # the test shows which
            failures.append(repr(error))

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures
