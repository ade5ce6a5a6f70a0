"""What every ``VectorIndex`` must find: filters, scans in order of id, and ranked queries. Used like ``vector_index``."""

# ruff: noqa: D102, PT011, S101  # these are tests: their names say what they show
from __future__ import annotations

import random
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from pipeline.domain.errors import ForeignModelError
from pipeline.domain.points import DENSE, DenseModel, Point, PointFilter, SparseVector
from pipeline.domain.ports import VectorIndex, VectorQuery
from pipeline.domain.visibility import OPEN_ONLY, Limits, Visibility
from pipeline.domain.vocabulary import Section
from pipeline.testing.points import along_axis, make_document, make_payload, make_point, make_points, make_spec, unit_vector
from pipeline.testing.vector_index import VectorIndexFixtures

EVERYTHING = PointFilter()
SMALL = DenseModel("dense-small", "another model", 2, ("ems_protocol",))


def _mixed_points() -> list[Point]:
    exclusion = Section.EXCLUSION_CRITERION.value
    return [
        make_point(1, 1),
        make_point(1, 2, section=exclusion, is_exclusion=True),
        make_point(1, 3, section=Section.BRIEF_SUMMARY.value, is_exclusion=None),
        make_point(2, 1, overall_status="COMPLETED", phases=["PHASE1", "PHASE2"], conditions=["Other Disease", "Third"]),
        make_point(2, 2, section=exclusion, is_exclusion=True, overall_status="COMPLETED", phases=[], kind="guideline", source="files"),
        make_point(3, 1, generation=4, study_type="OBSERVATIONAL", nct_id=None),
    ]


class VectorIndexFilterContract(VectorIndexFixtures):
    """Filters mean the same in every engine."""

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            (EVERYTHING, 6),
            (PointFilter(document_ids=(make_document(1),)), 3),
            (PointFilter(document_ids=(make_document(1), make_document(3))), 4),
            (PointFilter(document_ids=(make_document(9),)), 0),
            (PointFilter(generation=4), 1),
            (PointFilter(generation_below=4), 5),
            (PointFilter(generation_below=5), 6),
            (PointFilter(generation=1, generation_below=1), 0),
            (PointFilter(sections=(Section.BRIEF_SUMMARY, Section.EXCLUSION_CRITERION)), 3),
            (PointFilter(is_exclusion=True), 2),
            (PointFilter(is_exclusion=False), 3),
            (PointFilter(exclude_exclusion_criteria=True), 4),
            (PointFilter(exclude_exclusion_criteria=True, is_exclusion=True), 0),
            (PointFilter(overall_status=("COMPLETED", "UNKNOWN")), 2),
            (PointFilter(overall_status=("completed",)), 0),
            (PointFilter(kinds=("guideline",)), 1),
            (PointFilter(sources=("files",)), 1),
            (PointFilter(nct_ids=("NCT90000002",)), 2),
            (PointFilter(phases=("PHASE1",)), 1),
            (PointFilter(phases=("PHASE2",)), 5),
            (PointFilter(study_types=("OBSERVATIONAL",)), 1),
            (PointFilter(conditions=("Third", "No Disease")), 1),
            (PointFilter(document_ids=(make_document(1),), exclude_exclusion_criteria=True, overall_status=("RECRUITING",)), 2),
        ],
    )
    def test_counts_scans_and_queries_agree_on_a_filter(self, index: VectorIndex, where: PointFilter, expected: int) -> None:
        index.upsert(_mixed_points())
        scanned = {each.id for each in index.scan(where)}
        found = index.query(dense=unit_vector(0), sparse=None, where=where, limit=10, candidates=10, rrf_k=60)
        assert index.count(where) == expected
        assert len(scanned) == expected
        assert {hit.id for hit in found} == scanned

    def test_a_filter_holds_for_a_payload_that_was_replaced(self, index: VectorIndex) -> None:
        point = make_point(1, 1, is_exclusion=False)
        index.upsert([point])
        index.set_payload([(point.id, make_payload(1, 1, is_exclusion=True))])
        assert index.count(PointFilter(is_exclusion=True)) == 1
        assert index.count(PointFilter(is_exclusion=False)) == 0
        index.set_payload([(point.id, make_payload(1, 1, is_exclusion=None))])
        assert index.count(PointFilter(is_exclusion=True)) == 0
        assert index.count(PointFilter(exclude_exclusion_criteria=True)) == 1


def _labelled_points() -> list[Point]:
    return [
        make_point(1, 1),
        make_point(1, 2, kind="guideline", access="public"),
        make_point(1, 3, kind="guideline", access="internal", department="cardiology"),
        make_point(2, 1, kind="note"),
        make_point(2, 2, kind="note", access="public", patient="p1"),
        make_point(2, 3, kind="note", access="internal", department="cardiology", patient="p1"),
        make_point(3, 1, kind="note", access="internal", department="oncology", patient="p2"),
        make_point(3, 2, kind="note", access="restricted", department="cardiology", patient="p2"),
        make_point(3, 3, kind="kind of tomorrow"),
    ]


class VectorIndexVisibilityContract(VectorIndexFixtures):
    """What may not be seen is neither counted nor ranked. The other filters hold within what may."""

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            (PointFilter(visible=None), {1, 2, 3, 21, 22, 23, 31, 32, 33}),
            (PointFilter(visible=OPEN_ONLY), {1, 2}),
            (PointFilter(visible=Visibility(Limits(labels=()))), {1, 2}),
            (PointFilter(visible=Visibility(Limits(labels=("internal",)))), {1, 2, 3, 23, 31}),
            (PointFilter(visible=Visibility(Limits(labels=("internal", "restricted")))), {1, 2, 3, 23, 31, 32}),
            (PointFilter(visible=Visibility(Limits(labels=("internal",), departments=("cardiology",)))), {1, 2, 3, 23}),
            (PointFilter(visible=Visibility(Limits(patients=("p2",)))), {1, 2, 31, 32}),
            (PointFilter(visible=Visibility(Limits(labels=("internal",), patients=("p2",)))), {1, 2, 31}),
            (PointFilter(visible=Visibility(Limits(patients=("nobody",)))), {1, 2}),
            (PointFilter(visible=Visibility(Limits())), {1, 2, 3, 21, 22, 23, 31, 32, 33}),
            (PointFilter(visible=OPEN_ONLY, kinds=("note",)), set()),
            (PointFilter(visible=OPEN_ONLY, access=("internal",)), set()),
            (PointFilter(visible=Visibility(Limits(labels=("internal",))), kinds=("note",), patients=("p1",)), {23}),
        ],
    )
    def test_counts_scans_and_rankings_hold_what_may_be_seen(self, index: VectorIndex, where: PointFilter, expected: set[int]) -> None:
        points = dict(zip((1, 2, 3, 21, 22, 23, 31, 32, 33), _labelled_points(), strict=True))
        index.upsert(list(points.values()))
        wanted = {points[number].id for number in expected}
        assert {each.id for each in index.scan(where)} == wanted
        assert index.count(where) == len(wanted)
        queries = [VectorQuery(unit_vector(0)), VectorQuery(SparseVector((1,), (1.0,)))]
        assert [{point for point, _ in ranking} for ranking in index.rankings(queries, where=where, limit=20)] == [wanted, wanted]


class VectorIndexScanContract(VectorIndexFixtures):
    """A scan is a sorted stream."""

    @pytest.mark.parametrize("batch_size", [1, 7, 1000])
    def test_yields_integers_before_uuids_each_ascending(self, index: VectorIndex, batch_size: int) -> None:
        rng = random.Random(batch_size)  # noqa: S311  # a test's shuffle
        ids: list[UUID | int] = [UUID(int=rng.getrandbits(128)) for _ in range(40)]
        ids += [UUID(int=0), UUID(int=1), UUID(int=2**127), UUID(int=2**128 - 1)]
        ids += [0, 1, 9, 10, 100, 2**31, 2**63, 2**64 - 1]
        rng.shuffle(ids)
        self.write_raw(index, [(each, {"n": str(each)}) for each in ids])
        scanned = list(index.scan(batch_size=batch_size))
        expected: list[UUID | int] = sorted(each for each in ids if isinstance(each, int))
        expected += sorted(each for each in ids if isinstance(each, UUID))
        assert [each.id for each in scanned] == expected
        assert [each.payload for each in scanned] == [{"n": str(each)} for each in expected]

    def test_points_removed_while_it_runs_do_not_disturb_it(self, index: VectorIndex) -> None:
        index.upsert(make_points(1, range(1, 31)))
        everything = [each.id for each in index.scan()]
        seen = []
        for each in index.scan(batch_size=5):
            seen.append(each.id)
            index.delete_points([each.id])
        assert seen == everything
        assert index.count() == 0

    def test_a_date_known_to_the_month_is_in_every_range_that_it_may_be_in(self, index: VectorIndex) -> None:
        day = make_point(1, 1, dated_from=20310517, dated_to=20310517, scope=["Cohort A"])
        month = make_point(1, 2, dated_from=20310501, dated_to=20310531, scope=["Cohort A", "Part 2"])
        index.upsert([day, month, make_point(1, 3)])

        def found(**asked: Any) -> set[UUID | int]:
            return {each.id for each in index.scan(PointFilter(**asked))}

        assert found(dated_from=20310517) == {day.id, month.id}
        assert found(dated_from=20310518) == {month.id}
        assert found(dated_to=20310516) == {month.id}
        assert found(dated_from=20310601) == found(dated_to=20310430) == set()
        assert found(dated_from=20310517, dated_to=20310517) == {day.id, month.id}
        assert found(scopes=("Part 2", "Cohort B")) == {month.id}
        assert found(scopes=("Cohort A",), dated_to=20310516) == {month.id}

    def test_codes_encounter_and_status_of_a_resource_are_found_and_absent_ones_are_not(self, index: VectorIndex) -> None:
        lab = make_point(1, 1, loinc_codes=["4548-4", "17856-6"], encounter="e1", resource_status="final")
        drug = make_point(1, 2, rxnorm_codes=["314076"], snomed_codes=["59621000"], encounter="e1", resource_status="active")
        index.upsert([lab, drug, make_point(1, 3)])

        def found(**asked: Any) -> set[UUID | int]:
            return {each.id for each in index.scan(PointFilter(**asked))}

        assert found(loinc_codes=("17856-6", "2823-3")) == {lab.id}
        assert found(rxnorm_codes=("314076",)) == found(snomed_codes=("59621000",)) == {drug.id}
        assert found(encounters=("e1",)) == {lab.id, drug.id}
        assert found(encounters=("e1",), resource_status=("final",)) == {lab.id}
        assert found(loinc_codes=("4548",)) == found(resource_status=("fin",)) == set()


class VectorIndexQueryContract(VectorIndexFixtures):
    """Ranking."""

    def test_dense_scores_are_cosines_best_first(self, index: VectorIndex) -> None:
        index.upsert([make_point(1, ordinal, dense=along_axis(0, tilt=tilt, towards=1)) for ordinal, tilt in enumerate([0.5, 0.0, 2.0], 1)])
        hits = index.query(dense=along_axis(0), sparse=None, where=EVERYTHING, limit=2, candidates=2, rrf_k=60)
        assert [hit.payload["ordinal"] for hit in hits] == [2, 1]
        assert [hit.score for hit in hits] == pytest.approx([1.0, (1 + 0.5**2) ** -0.5], abs=1e-5)

    def test_a_rare_term_outweighs_a_frequent_one(self, index: VectorIndex) -> None:
        points = [make_point(1, ordinal, sparse=SparseVector((5,), (1.0,))) for ordinal in range(1, 10)]
        index.upsert([*points, make_point(1, 10, sparse=SparseVector((6,), (1.0,)))])
        hits = index.query(dense=None, sparse=SparseVector((5, 6), (1.0, 1.0)), where=EVERYTHING, limit=10, candidates=10, rrf_k=60)
        assert hits[0].payload["ordinal"] == 10
        assert len(hits) == 10
        assert hits[0].score > 2 * hits[1].score > 0

    def test_terms_that_no_text_has_find_nothing(self, index: VectorIndex) -> None:
        index.upsert(make_points(1, range(1, 4)))
        assert index.query(dense=None, sparse=SparseVector((999,), (1.0,)), where=EVERYTHING, limit=3, candidates=3, rrf_k=60) == []
        assert index.query(dense=None, sparse=SparseVector((), ()), where=EVERYTHING, limit=3, candidates=3, rrf_k=60) == []

    def test_fuses_reciprocal_ranks_from_one(self, index: VectorIndex) -> None:
        # by cosine 1, 2, 3; by weight of the term 3, 1 (the second text does not have it)
        weights = {1: 1.0, 2: None, 3: 3.0}
        index.upsert(
            [
                make_point(
                    1,
                    ordinal,
                    dense=along_axis(0, tilt=ordinal / 4, towards=1),
                    sparse=SparseVector((4,), (1.0,)) if weight is None else SparseVector((5,), (weight,)),
                )
                for ordinal, weight in weights.items()
            ]
        )
        hits = index.query(dense=along_axis(0), sparse=SparseVector((5,), (1.0,)), where=EVERYTHING, limit=3, candidates=3, rrf_k=10)
        assert [(hit.payload["ordinal"], hit.score) for hit in hits] == [
            (1, 1 / 11 + 1 / 12),
            (3, 1 / 13 + 1 / 11),
            (2, 1 / 12),
        ]

    def test_rankings_stand_in_the_order_of_their_queries(self, index: VectorIndex) -> None:
        index.upsert([make_point(1, ordinal, sparse=SparseVector((5,), (float(ordinal),))) for ordinal in (1, 2)])
        terms, nothing, absent = SparseVector((5,), (1.0,)), SparseVector((), ()), SparseVector((999,), (1.0,))
        asked = [VectorQuery(nothing), VectorQuery(terms), VectorQuery(along_axis(0)), VectorQuery(absent)]
        none, by_terms, by_cosine, nobody = index.rankings(asked, where=EVERYTHING, limit=1)
        assert (none, nobody) == ([], [])
        assert [point for point, _ in by_terms] == [make_point(1, 2).id]
        assert len(by_cosine) == 1
        assert index.rankings([], where=EVERYTHING, limit=1) == []

    def test_each_model_s_vectors_are_ranked_alone(self, fresh: VectorIndex) -> None:
        fresh.create(make_spec(self.name, further=(SMALL,)))
        own, other = make_point(1, 1), replace(make_point(2, 1), dense=np.array([0.6, 0.8], dtype=np.float32), vector=SMALL.vector)
        fresh.upsert([own, other])
        by_own, by_small, neither = (
            VectorQuery(own.dense),
            VectorQuery(np.array([1.0, 0.0], dtype=np.float32), using=SMALL.vector),
            VectorQuery(own.dense, using="dense-of-nobody"),
        )
        (first,), (second,) = fresh.rankings([by_own, by_small], where=EVERYTHING, limit=5)
        assert (first[0], second[0]) == (own.id, other.id)
        assert [first[1], second[1]] == pytest.approx([1.0, 0.6], abs=1e-5)
        held = {point.id: point.vectors for point in fresh.scan(vectors=True)}
        assert {key: (vectors.vector, len(vectors.dense or ())) for key, vectors in held.items() if vectors} == {
            own.id: (DENSE, len(own.dense)),
            other.id: (SMALL.vector, 2),
        }
        assert fresh.lacking(dense=True) == 0
        for wrong in (replace(own, vector=SMALL.vector), replace(own, vector="dense-of-nobody")):
            with pytest.raises(ValueError):
                fresh.upsert([wrong])
        with pytest.raises(ValueError):
            fresh.rankings([neither], where=EVERYTHING, limit=5)
        with pytest.raises(ForeignModelError):
            fresh.create(make_spec(self.name))

    def test_a_point_of_another_model_is_restored_as_it_was(self, fresh: VectorIndex) -> None:
        fresh.create(make_spec(self.name, further=(SMALL,)))
        fresh.upsert([replace(make_point(2, 1), dense=np.array([0.6, 0.8], dtype=np.float32), vector=SMALL.vector)])
        (before,) = fresh.scan(vectors=True)
        fresh.delete_points([before.id])
        fresh.restore([before])
        assert list(fresh.scan(vectors=True)) == [before]

    def test_candidates_bound_each_ranking_before_the_fusion(self, index: VectorIndex) -> None:
        index.upsert(
            [
                make_point(1, ordinal, dense=along_axis(0, tilt=ordinal / 4, towards=1), sparse=SparseVector((5,), (float(ordinal),)))
                for ordinal in range(1, 6)
            ]
        )
        hits = index.query(dense=along_axis(0), sparse=SparseVector((5,), (1.0,)), where=EVERYTHING, limit=5, candidates=1, rrf_k=60)
        assert {hit.payload["ordinal"] for hit in hits} == {1, 5}

    @pytest.mark.parametrize(("dense", "sparse"), [(True, False), (False, True), (True, True)])
    def test_a_filter_holds_inside_each_ranking(self, index: VectorIndex, *, dense: bool, sparse: bool) -> None:
        far = make_point(2, 1, dense=along_axis(0, tilt=9.0, towards=1), sparse=SparseVector((5,), (0.01,)), overall_status="COMPLETED")
        near = [make_point(1, ordinal, dense=along_axis(0), sparse=SparseVector((5,), (5.0,))) for ordinal in range(1, 30)]
        index.upsert([far, *near])
        (hit,) = index.query(
            dense=along_axis(0) if dense else None,
            sparse=SparseVector((5,), (1.0,)) if sparse else None,
            where=PointFilter(overall_status=("COMPLETED",)),
            limit=3,
            candidates=3,
            rrf_k=60,
        )
        assert hit.id == far.id
        assert hit.payload == far.payload

    def test_equal_scores_come_in_order_of_id(self, index: VectorIndex) -> None:
        points = [make_point(1, ordinal, dense=along_axis(0), sparse=SparseVector((5,), (1.0,))) for ordinal in range(1, 9)]
        index.upsert(points)
        expected = sorted((point.id for point in points), key=lambda each: each.int)
        for dense, sparse in ((along_axis(0), None), (None, SparseVector((5,), (1.0,))), (along_axis(0), SparseVector((5,), (1.0,)))):
            hits = index.query(dense=dense, sparse=sparse, where=EVERYTHING, limit=8, candidates=8, rrf_k=60)
            assert [hit.id for hit in hits] == expected

    def test_a_query_without_or_with_a_bad_vector_is_refused(self, index: VectorIndex) -> None:
        index.upsert([make_point(1, 1)])
        for dense, sparse in (
            (None, None),
            (unit_vector(1, 5), None),
            (unit_vector(1) * 2, None),
            (None, SparseVector((3, 2), (1.0, 1.0))),
        ):
            with pytest.raises(ValueError):
                index.query(dense=dense, sparse=sparse, where=EVERYTHING, limit=1, candidates=1, rrf_k=60)
