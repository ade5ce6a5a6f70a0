"""Each guard refuses what it is there for, says why, and lets everything else pass."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pipeline.domain.errors import GuardRefusedError
from pipeline.jobs.guards import GUARDS, NEVER_APPROVED, Evidence, Guard, refusals, refuse_large_deletion
from pipeline.settings import Settings

SETTINGS = Settings(max_delete_share=0.2, min_documents_for_share=25)

#: A plan that deletes a few points of two sources, from an index whose world is in order.
HARMLESS = Evidence(
    delete_points=100,
    points=10_000,
    delete_by_source={"clinicaltrials.gov": 90, "documents": 10},
    points_by_source={"clinicaltrials.gov": 9_000, "documents": 1_000},
    live_documents=400,
    unknown_documents=3,
    looked_at=100,
    twins=8,
    twin_documents=6,
    incomplete=("fhir",),
    went_back={"fhir": ("2026-05-02", "2026-05-01")},
    live_collection="clindex",
    pointed="clindex",
)


@pytest.mark.parametrize(("deletions", "total"), [(0, 0), (0, 1000), (200, 1000), (24, 24), (5, 25)])
def test_lets_a_small_share_or_a_small_home_pass(deletions: int, total: int):
    refuse_large_deletion(SETTINGS, deletions, total, what="test")


@pytest.mark.parametrize(("deletions", "total"), [(201, 1000), (1200, 1200), (6, 25)])
def test_refuses_a_large_share(deletions: int, total: int):
    with pytest.raises(GuardRefusedError, match=f"{deletions} of {total}") as refused:
        refuse_large_deletion(SETTINGS, deletions, total, what="test")
    assert refused.value.exit_code == 3
    assert refused.value.remedy


def test_no_guard_refuses_a_harmless_plan():
    assert refusals(SETTINGS, HARMLESS) == []


def test_a_plan_that_deletes_nothing_passes_whatever_the_sources_do():
    seen = Evidence(points=10_000, incomplete=("documents",), went_back={"documents": ("b", "a")}, live_documents=0)
    assert refusals(SETTINGS, seen) == []


@pytest.mark.parametrize(
    ("guard", "change", "words"),
    [
        (Guard.SHARE, {"delete_points": 2_001}, "2001 of 10000 (20%)"),
        (Guard.SHARE, {"delete_by_source": {"documents": 201}}, "points of documents: 201 of 1000"),
        (Guard.TRUNCATED_LISTING, {"incomplete": ("documents", "fhir")}, "10 points of documents, and the last listing was incomplete"),
        (
            Guard.SOURCE_WENT_BACK,
            {"went_back": {"documents": ("2026-05-02", "2026-05-01")}},
            "documents (data of 2026-05-01 after 2026-05-02)",
        ),
        (Guard.ONE_CAUSE, {"twins": 50, "twin_documents": 20}, "50 of 20 documents stand in the database under other ids"),
        (Guard.TRUTH_EMPTY, {"live_documents": 0, "unknown_documents": 0, "twins": 0}, "the database knows no document"),
        (Guard.TRUTH_RESTORED, {"newer_documents": 1}, "1 documents have points of a generation"),
        (Guard.TRUTH_RESTORED, {"unknown_documents": 20}, "never knew 20 of the documents (it knows 400)"),
        (Guard.RUNNING_JOB, {"running": (("index", datetime(2026, 5, 1, 2, 15, tzinfo=UTC)),)}, "index since 2026-05-01T02:15:00"),
        (Guard.PROMOTION, {"live_collection": "clindex-2"}, "clindex-2 is live, and the store's alias still names clindex"),
    ],
)
def test_each_guard_refuses_its_own_case_and_no_other_does(guard: Guard, change: dict, words: str):
    (refused,) = refusals(SETTINGS, replace(HARMLESS, **change))
    assert refused.guard is guard
    assert words in refused.reason
    assert refused.approvable is (guard not in NEVER_APPROVED)


@pytest.mark.parametrize(
    "change",
    [
        {"delete_points": 2_000},
        {"twins": 50, "twin_documents": 19},
        {"twins": 49, "twin_documents": 60},
        {"unknown_documents": 19},
        {"unknown_documents": 9, "live_documents": 12},
        {"pointed": None, "live_collection": "clindex-2"},
    ],
)
def test_just_below_its_bound_no_guard_refuses(change: dict):
    assert refusals(SETTINGS, replace(HARMLESS, **change)) == []


def test_every_guard_is_asked():
    assert set(GUARDS) == set(Guard)
