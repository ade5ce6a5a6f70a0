"""The merge puts every point of both sides into exactly one class."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.identifiers import NAMESPACE
from pipeline.domain.points import payload_hash
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.drift.examine import Seen, SeenVectors
from pipeline.jobs.drift.merge import DocumentFact, Finding, Tally, merge, order_key
from pipeline.storage.chunks import ExpectedPoint

MODEL = "model-a"
DOCUMENT = uuid5(NAMESPACE, "document")
OTHER = uuid5(NAMESPACE, "other document")


def payload(document: UUID = DOCUMENT, generation: int = 2, **more: object) -> dict[str, object]:
    return {"document_id": str(document), "generation": generation, "fingerprint": "f", "model": MODEL, "section": "OUTCOME", **more}


def seen(identifier: UUID | int, content: dict[str, object], vectors: SeenVectors | None = None) -> Seen:
    return Seen(identifier, content, payload_hash(content), vectors)


def stored(number: int, **values: object) -> Seen:
    return seen(UUID(int=number), payload(**values))  # type: ignore[arg-type]


def expected(number: int, content: dict[str, object] | None = None, document: UUID = DOCUMENT) -> ExpectedPoint:
    content = payload(document) if content is None else content
    return ExpectedPoint(UUID(int=number), document, 2, payload_hash(content), "f")


def run(
    want: list[ExpectedPoint],
    have: list[Seen],
    facts: dict[UUID, DocumentFact] | None = None,
    behind: dict[UUID, DriftClass] | None = None,
) -> tuple[Tally, list[Finding]]:
    tally = Tally()
    known = {DOCUMENT: DocumentFact(2)} if facts is None else facts
    findings = list(
        merge(
            want,
            have,
            model=lambda _: MODEL,
            behind=behind or {},
            lookup=lambda ids: {key: known[key] for key in ids if key in known},
            tally=tally,
        )
    )
    assert tally.sums_close
    return tally, findings


def classes(tally: Tally) -> dict[str, int]:
    return {name.value: count for name, count in tally.classes.items() if count}


def test_equal_sides_are_all_ok_and_yield_no_finding():
    tally, findings = run([expected(1), expected(2)], [stored(1), stored(2)])
    assert classes(tally) == {"ok": 2}
    assert findings == []


@pytest.mark.parametrize(
    ("point", "drift"),
    [
        (stored(1, section="TITLE_CONDITIONS"), DriftClass.PAYLOAD_DRIFT),
        (stored(1, extra="field"), DriftClass.PAYLOAD_DRIFT),
        (stored(1, fingerprint="g"), DriftClass.STALE_FINGERPRINT),
        (stored(1, model="model-b"), DriftClass.FOREIGN_MODEL),
        (seen(UUID(int=1), {}), DriftClass.UNREADABLE),
        (seen(UUID(int=1), {"document_id": "no uuid", "generation": 2}), DriftClass.UNREADABLE),
        (seen(UUID(int=1), {**payload(), "generation": "2"}), DriftClass.UNREADABLE),
    ],
)
def test_an_expected_point_with_another_payload_is_classified_by_what_differs(point: Seen, drift: DriftClass):
    tally, findings = run([expected(1)], [point])
    assert classes(tally) == {drift.value: 1}
    (finding,) = findings
    assert (finding.drift, finding.point_id, finding.document_id, finding.expected) == (drift, UUID(int=1), DOCUMENT, True)
    assert (finding.generation_expected, finding.hash_expected, finding.hash_found) == (2, payload_hash(payload()), point.content)


@pytest.mark.parametrize(
    ("point", "facts", "drift"),
    [
        (stored(7), {}, DriftClass.ORPHAN_DOCUMENT),  # truth does not know it
        (stored(7), {DOCUMENT: DocumentFact(None)}, DriftClass.ORPHAN_DOCUMENT),  # nothing of it is live
        (stored(7, generation=1), None, DriftClass.OLD_GENERATION),
        (stored(7, generation=3), None, DriftClass.OLD_GENERATION),  # a killed writer's, not live either
        (stored(7), None, DriftClass.ORPHAN_POINT),
        (stored(7, model="model-b"), None, DriftClass.FOREIGN_MODEL),
        (seen(7, payload()), None, DriftClass.UNREADABLE),  # we never write integer ids
        (seen(UUID(int=7), {"text": "somebody else's"}), None, DriftClass.UNREADABLE),
    ],
)
def test_a_point_that_nobody_expects_is_classified_by_what_truth_says_of_its_document(point, facts, drift):
    tally, findings = run([], [point], facts)
    assert classes(tally) == {drift.value: 1}
    assert [one.expected for one in findings] == [False]


def test_a_missing_point_is_counted_for_its_document():
    tally, findings = run([expected(1), expected(2), expected(3)], [stored(2)])
    assert classes(tally) == {"ok": 1, "missing_point": 2}
    assert tally.missing_by_document == {DOCUMENT: 2}
    assert [one.point_id for one in findings] == [UUID(int=1), UUID(int=3)]


def test_points_of_a_document_that_truth_has_changed_are_not_ok():
    tally, _ = run([expected(1)], [stored(1)], behind={DOCUMENT: DriftClass.STALE_FINGERPRINT})
    assert classes(tally) == {"stale_fingerprint": 1}


def test_integer_ids_sort_before_uuids():
    assert sorted([UUID(int=1), 5, UUID(int=0), 2], key=order_key) == [2, 5, UUID(int=0), UUID(int=1)]


@given(
    st.sets(st.integers(0, 60)),
    st.dictionaries(st.integers(0, 60), st.sampled_from(["same", "drift", "foreign", "old", "stranger", "junk"])),
)
def test_every_point_lands_in_exactly_one_class_whatever_the_sides_hold(want: set[int], have: dict[int, str]):
    make = {
        "same": lambda n: stored(n),
        "drift": lambda n: stored(n, section="BRIEF_SUMMARY"),
        "foreign": lambda n: stored(n, model="model-b"),
        "old": lambda n: stored(n, generation=1),
        "stranger": lambda n: stored(n, document=OTHER),
        "junk": lambda n: seen(UUID(int=n), {"x": 1}),
    }
    left = [expected(n) for n in sorted(want)]
    right = [make[have[n]](n) for n in sorted(have)]
    tally, findings = run(left, right)
    assert tally.expected == len(want)
    assert tally.found == len(have)
    assert sum(tally.classes.values()) == len(want | set(have))
    assert tally.classes[DriftClass.OK] == sum(1 for n in want if have.get(n) == "same")
    assert len(findings) == len(want | set(have)) - tally.classes[DriftClass.OK]


def test_the_sums_do_not_close_when_a_class_is_miscounted():
    tally, _ = run([expected(1), expected(2)], [stored(1)])
    broken = replace(tally, expected=3)
    assert not broken.sums_close


GOOD = SeenVectors(None, 0.5, 2.0, has_terms=True)


@pytest.mark.parametrize(
    ("point", "behind", "drift"),
    [
        (seen(UUID(int=1), payload(), replace(GOOD, fault=DriftClass.ZERO_VECTOR)), DriftClass.OK, DriftClass.ZERO_VECTOR),
        (seen(UUID(int=1), payload(), replace(GOOD, dense_mark=0.6)), DriftClass.PAYLOAD_DRIFT, DriftClass.VECTOR_DRIFT),
        (seen(UUID(int=1), payload(extra=1), replace(GOOD, dense_mark=0.6)), DriftClass.OK, DriftClass.VECTOR_DRIFT),
        (seen(UUID(int=1), payload(extra=1), GOOD), DriftClass.OK, DriftClass.PAYLOAD_DRIFT),
        (seen(UUID(int=1), payload(), GOOD), DriftClass.PAYLOAD_DRIFT, DriftClass.PAYLOAD_DRIFT),
        (seen(UUID(int=1), payload(), replace(GOOD, dense_mark=0.6)), DriftClass.STALE_FINGERPRINT, DriftClass.STALE_FINGERPRINT),
        (seen(UUID(int=1), payload(model="b"), replace(GOOD, dense_mark=0.6)), DriftClass.OK, DriftClass.FOREIGN_MODEL),
        (seen(UUID(int=1), {}, replace(GOOD, dense_mark=0.6)), DriftClass.STALE_FINGERPRINT, DriftClass.UNREADABLE),
        (seen(UUID(int=1), payload(), GOOD), DriftClass.OK, DriftClass.OK),
    ],
)
def test_of_several_differences_the_one_counts_whose_repair_mends_all(point: Seen, behind: DriftClass, drift: DriftClass):
    tally, _ = run([replace(expected(1), dense_mark=0.5, sparse_mark=2.0)], [point], behind={DOCUMENT: behind})
    assert classes(tally) == {drift.value: 1}


def test_a_point_that_the_index_shows_twice_is_a_duplicate_once():
    tally, findings = run([expected(1), expected(2)], [stored(1), stored(1), stored(1), stored(2)])
    assert classes(tally) == {"ok": 2, "duplicate_point": 2}
    assert (tally.expected, tally.found) == (2, 4)
    assert [(one.drift, one.point_id, one.document_id, one.expected) for one in findings] == [
        (DriftClass.DUPLICATE_POINT, UUID(int=1), DOCUMENT, True)
    ] * 2


def test_a_stranger_that_the_index_shows_twice_is_to_be_deleted():
    tally, findings = run([], [stored(7), stored(7)], {})
    assert classes(tally) == {"orphan_document": 1, "duplicate_point": 1}
    assert {(one.drift, one.expected) for one in findings} == {(DriftClass.ORPHAN_DOCUMENT, False), (DriftClass.DUPLICATE_POINT, False)}


def test_points_without_marks_are_counted():
    tally, _ = run([expected(1), replace(expected(2), dense_mark=0.5, sparse_mark=2.0)], [stored(1), stored(2)])
    assert tally.unmarked == 1


def test_a_finding_says_what_truth_knows_of_the_document():
    _, (finding,) = run([], [stored(7, generation=1, source="clinicaltrials.gov")], {DOCUMENT: DocumentFact(2, "documents", "note")})
    assert (finding.source, finding.kind, finding.generation_expected, finding.generation_found) == ("documents", "note", 2, 1)


def test_a_finding_takes_no_words_from_a_payload_that_is_not_ours():
    _, (finding,) = run([], [seen(7, payload(source="Jane Roe", kind="note", generation="Jane"))], {})
    assert (finding.source, finding.kind, finding.generation_found) == (None, "note", None)
    assert "Jane" not in repr(finding)
