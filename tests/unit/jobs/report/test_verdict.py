"""The verdict follows from the figures, and each reason is a sentence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pipeline.domain.chunks import Loss
from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import DocumentState, DriftClass, FailureCategory, ParseOutcome, Section
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.wording import DRIFT_MEANINGS, DRIFT_NOUNS, FAILURE_MEANINGS, OUTCOME_MEANINGS, duration, listed, percent


@pytest.fixture
def done(home, moment):
    """A home whose last night went well: one live document, proven."""
    document = home.document("NCT90000001", now=moment)
    home.index(document, [(Section.OUTCOME, 9)], now=moment)
    complete = {"seen": 1, "new": 1, "complete": True}
    home.run("ingest", "success", complete, begun=moment, ended=moment)
    home.run("index", "success", {"documents": {"indexed": 1}, "chunks": 1}, begun=moment, ended=moment)
    home.reconciled(begun=moment, ended=moment + timedelta(minutes=1), classes={"ok": 1})
    return home


@pytest.fixture
def moment():
    return datetime(2031, 5, 17, 2, 0, tzinfo=UTC)


def judged(home):
    return collect(home).verdict


def test_good_night_is_ok_without_a_reason(done):
    verdict = judged(done)
    assert (verdict.state, verdict.index_and_database, verdict.reasons) == ("ok", "equal", [])


def test_empty_home_is_incomplete_and_proves_nothing(home):
    verdict = judged(home)
    assert (verdict.state, verdict.index_and_database) == ("incomplete", "unproven")
    assert verdict.reasons == [
        "No reconciliation has ended yet, so nothing proves that the index equals the database.",
        "No ingestion has run yet.",
        "No indexing has run yet.",
    ]


def test_drift_is_drift_and_says_of_which_classes(done, moment):
    later = moment + timedelta(hours=1)
    done.reconciled(begun=later, ended=later, classes={"ok": 1, "missing_point": 2, "payload_drift": 1})
    verdict = judged(done)
    assert (verdict.state, verdict.index_and_database) == ("drift", "different")
    assert verdict.reasons == [
        "The last reconciliation (2031-05-17 03:00 UTC) found that the index differs from the database: "
        "2 missing points and 1 point whose payload differs."
    ]


def test_sums_that_do_not_close_are_drift(done, moment):
    later = moment + timedelta(hours=1)
    counts = {"expected": 1, "found": 2, "clean": False, "classes": {"ok": 1}, "sums_close": False, "repaired": {}}
    done.run("reconcile", "incomplete", counts, begun=later, ended=later)
    verdict = judged(done)
    assert verdict.state == "drift"
    assert verdict.reasons == ["The sums of the last reconciliation do not close: some point was counted in no class or in two."]


@pytest.mark.parametrize("change", ["document", "tombstone", "index"])
def test_proof_ends_with_the_next_change(done, moment, change):
    later = moment + timedelta(hours=1)
    if change == "document":
        done.index(done.document("NCT90000001", now=later), [(Section.OUTCOME, 9)], now=moment)
    elif change == "tombstone":
        done.tombstone(document_id("clinicaltrials.gov", "NCT90000001"), now=later)
    else:
        done.index(done.document("NCT90000001", now=moment), [(Section.OUTCOME, 9)], now=later)
    verdict = judged(done)
    assert (verdict.state, verdict.index_and_database) == ("incomplete", "unproven")
    assert "Documents or points have changed since the last reconciliation looked: run `clindex reconcile`." in verdict.reasons


def test_change_while_reconciling_leaves_it_unproven(done, moment):
    done.index(done.document("NCT90000001", now=moment), [(Section.OUTCOME, 9)], now=moment + timedelta(seconds=30))
    assert judged(done).index_and_database == "unproven"


def test_repair_of_the_reconciliation_itself_does_not_spoil_its_proof(done, moment):
    later = moment + timedelta(hours=1)
    done.index(done.document("NCT90000001", now=moment), [(Section.OUTCOME, 9)], now=later + timedelta(seconds=5))
    done.reconciled(begun=later, ended=later + timedelta(seconds=9), classes={"ok": 1}, repaired={"missing_point": 1})
    verdict = judged(done)
    assert (verdict.state, verdict.index_and_database) == ("ok", "equal")


def test_reconciliation_that_broke_off_leaves_the_proof_before_it_and_is_named(done, moment):
    later = moment + timedelta(hours=1)
    done.run("reconcile", "failed", {}, begun=later, ended=later)
    verdict = judged(done)
    assert (verdict.state, verdict.index_and_database) == ("incomplete", "equal")
    assert verdict.reasons == ["The last reconciliation, begun 2031-05-17 03:00 UTC, broke off with an error."]


def test_run_without_an_end_is_named(done, moment):
    done.run("index", "success", {}, begun=moment + timedelta(hours=1), ended=None)
    assert judged(done).reasons == ["The last indexing, begun 2031-05-17 03:00 UTC, is still running."]


def test_killed_run_is_named_as_killed(done, moment):
    later = moment + timedelta(hours=1)
    done.run("index", "killed", {}, begun=later, ended=later)
    verdict = judged(done)
    assert verdict.state == "incomplete"
    assert verdict.reasons == ["The last indexing, begun 2031-05-17 03:00 UTC, was killed: the next one takes up what it left."]


def test_incomplete_runs_say_what_is_missing(done, moment):
    later = moment + timedelta(hours=1)
    done.run("ingest", "incomplete", {"seen": 9, "failed": 1, "complete": False}, begun=later, ended=later)
    done.run("index", "incomplete", {"documents": {"failed": 2, "quarantined": 1}}, begun=later, ended=later)
    assert judged(done).reasons == [
        "The last ingestion, begun 2031-05-17 03:00 UTC, ended incomplete: "
        "1 record failed and its listing was not complete, so nothing was taken as deleted.",
        "The last indexing, begun 2031-05-17 03:00 UTC, ended incomplete: "
        "2 documents failed and 1 document held back by the identifier gate.",
    ]


@pytest.mark.parametrize(
    "state", [one for one in DocumentState if one not in (DocumentState.LIVE, DocumentState.DELETED, DocumentState.DELETING)]
)
def test_every_unfinished_state_is_a_reason(done, moment, state):
    done.mark(done.document("NCT90000002", now=moment), state, now=moment)
    verdict = judged(done)
    assert verdict.state == "incomplete"
    assert [reason for reason in verdict.reasons if reason.startswith("1 document ")] == verdict.reasons
    assert verdict.reasons


def test_deletion_that_is_not_finished_is_a_reason_and_a_finished_one_is_not(done, moment):
    gone = done.document("NCT90000002", now=moment)
    done.tombstone(gone, now=moment)
    assert judged(done).reasons == ["1 document is deleted in the database, with points still to be removed."]
    done.mark(gone, DocumentState.DELETED, now=moment)
    assert judged(done).state == "ok"


def test_chunk_beyond_the_window_is_a_reason(done, moment):
    done.index(done.document("NCT90000001", now=moment), [(Section.OUTCOME, 257)], now=moment)
    assert judged(done).reasons == ["1 chunk exceeds the model's window of 256 tokens and would be cut."]


def test_unexplained_characters_are_a_reason(done, moment):
    done.index(done.document("NCT90000001", now=moment), [(Section.OUTCOME, 9)], loss=Loss(10, 7, 0, 0, 3), now=moment)
    assert judged(done).reasons == ["3 characters of 1 document are in no chunk and in no declared drop."]


def test_every_code_of_ours_has_its_words():
    assert set(DRIFT_NOUNS) | {DriftClass.OK} == set(DriftClass) == set(DRIFT_MEANINGS)
    assert set(FAILURE_MEANINGS) == set(FailureCategory)
    assert set(OUTCOME_MEANINGS) == set(ParseOutcome)


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.0, "0.0 %"), (0.0001, "< 0.1 %"), (0.0005, "0.1 %"), (0.5, "50.0 %"), (0.9994, "99.9 %"), (0.99999, "> 99.9 %"), (1.0, "100.0 %")],
)
def test_share_is_never_rounded_to_nothing_or_all(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "not ended"),
        (0, "0.0 s"),
        (59.94, "59.9 s"),
        (59.97, "1 min 0 s"),
        (61.4, "1 min 1 s"),
        (3599.7, "1 h 0 min"),
        (7260, "2 h 1 min"),
    ],
)
def test_duration_reads_in_its_two_largest_units(seconds, words):
    assert duration(seconds) == words


def test_lists_read_as_english():
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]


def test_a_failed_night_of_trials_is_not_hidden_by_a_good_one_of_documents(done, moment):
    later = moment + timedelta(hours=1)
    done.run("ingest", "incomplete", {"seen": 9, "failed": 1, "complete": True}, begun=later, ended=later)
    done.run("ingest_documents", "success", {"seen": 3, "new": 3}, begun=later + timedelta(minutes=1), ended=later + timedelta(minutes=2))
    reasons = judged(done).reasons
    assert any("The last ingestion, begun" in reason and "1 record failed" in reason for reason in reasons)
    assert not any("ingestion of documents" in reason for reason in reasons)
