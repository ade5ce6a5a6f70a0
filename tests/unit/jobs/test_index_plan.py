"""What indexing does with a document follows from what truth says of it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from pipeline.domain.vocabulary import DocumentState
from pipeline.jobs.index_plan import Action, IdRange, IndexPlan, action_for, id_ranges
from pipeline.storage.index_state import IndexRow

LIVE = IndexRow(
    document_id=UUID(int=1),
    source="clinicaltrials.gov",
    source_key="NCT99000001",
    kind="trial",
    content_hash="c",
    facets_hash="f",
    tombstoned=False,
    state=DocumentState.LIVE,
    live_generation=3,
    writing_generation=None,
    live_fingerprint="fp",
    live_facets_hash="f",
    live_chunks=10,
    error_category=None,
)


@pytest.mark.parametrize(
    ("row", "action"),
    [
        (LIVE, Action.SKIP),
        (replace(LIVE, live_fingerprint="older"), Action.INDEX),
        (replace(LIVE, facets_hash="changed"), Action.PAYLOAD),
        (replace(LIVE, facets_hash="changed", live_fingerprint="older"), Action.INDEX),
        (replace(LIVE, state=DocumentState.PENDING, live_generation=None, live_fingerprint=None), Action.INDEX),
        (replace(LIVE, state=DocumentState.WRITING, writing_generation=4), Action.INDEX),  # killed while writing
        (replace(LIVE, state=DocumentState.CLEANING), Action.CLEAN),  # killed after the flip
        (replace(LIVE, state=DocumentState.FAILED), Action.CLEAN),  # its content went back to what is live
        (replace(LIVE, state=DocumentState.FAILED, live_fingerprint="older"), Action.INDEX),
        (replace(LIVE, tombstoned=True), Action.DELETE),
        (replace(LIVE, tombstoned=True, state=DocumentState.DELETING, live_generation=None), Action.DELETE),  # killed while deleting
        (replace(LIVE, tombstoned=True, state=DocumentState.DELETED, live_generation=None), Action.SKIP),
        (replace(LIVE, state=DocumentState.DELETED, live_generation=None), Action.INDEX),  # came back
    ],
)
def test_action_follows_from_the_row(row: IndexRow, action: Action):
    assert action_for(row, "fp") is action


def test_force_writes_a_live_document_anew_but_never_a_deleted_one():
    assert action_for(LIVE, "fp", force=True) is Action.INDEX
    assert action_for(replace(LIVE, tombstoned=True), "fp", force=True) is Action.DELETE


def test_ranges_cover_all_work_once_in_stretches_of_the_size_asked_for():
    ids = [UUID(int=n) for n in range(10)]
    plan = IndexPlan(index=ids[5:], delete=ids[:5])
    assert id_ranges(plan, size=4) == [IdRange(ids[0], ids[3]), IdRange(ids[4], ids[7]), IdRange(ids[8], ids[9])]
    assert id_ranges(IndexPlan(), size=4) == []


def test_deletions_come_first():
    plan = IndexPlan(index=[UUID(int=1)], payload=[UUID(int=2)], clean=[UUID(int=3)], delete=[UUID(int=4)])
    assert [action for action, _ in plan.work] == [Action.DELETE, Action.CLEAN, Action.PAYLOAD, Action.INDEX]
