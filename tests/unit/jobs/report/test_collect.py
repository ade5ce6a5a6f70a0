"""Every figure of a small home, against what was put into it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipeline.domain.chunks import Loss
from pipeline.domain.errors import ModelError
from pipeline.domain.vocabulary import DocumentState, DriftClass, Section
from pipeline.jobs.report.collect import EXAMPLES, collect, measure_lengths
from pipeline.jobs.report.model import RunReport


@pytest.fixture
def report(night_report) -> RunReport:
    return night_report


def counts(values) -> dict[str | None, int]:
    return {one.value: one.count for one in values}


def test_describes_the_home(night):
    report = collect(night, now=datetime(2031, 5, 17, 3, 0, tzinfo=UTC))
    assert report.created_at.isoformat() == "2031-05-17T03:00:00+00:00"
    assert report.home.folder == str(night.settings.home)
    assert (report.home.database, report.home.index, report.home.collection) == ("sqlite", "embedded", "clindex")
    assert report.home.schema_revision


def test_shows_how_fresh_each_source_is(report):
    (source,) = report.sources
    assert (source.source, source.scope) == ("clinicaltrials.gov", "everything")
    assert (source.data_timestamp, source.api_version, source.watermark) == ("2031-05-16T09:00:00", "2.0.5", "2031-05-15")
    assert source.last_complete_at.isoformat() == "2031-05-17T02:01:00+00:00"


def test_takes_the_last_run_of_each_kind(report):
    ingest = report.runs.ingest
    assert (ingest.kind, ingest.state, ingest.seconds) == ("ingest", "incomplete", 60.0)
    assert ingest.started_at.isoformat() == "2031-05-17T01:58:00+00:00"
    assert ingest.counts == {
        "seen": 1009, "new": 4, "changed": 2, "unchanged": 1000, "tombstoned": 1, "failed": 3, "notices.unknown_value": 2,
    }  # fmt: skip
    assert ingest.flags == {"complete": False, "resumed": False}
    assert report.runs.index.counts["documents.skipped"] == 1000
    assert report.runs.reconcile.state == "success"


def test_names_seconds_by_stage(report):
    assert [(one.run, one.stage, one.seconds) for one in report.seconds_by_stage] == [("index", "prepare", 1.25), ("index", "embed", 30.5)]


def test_counts_documents_by_state_with_deleted_ones_apart(report):
    assert report.documents.by_state == {
        "pending": 1, "writing": 0, "cleaning": 0, "live": 3, "quarantined": 1, "failed": 1, "deleting": 1, "deleted": 1,
    }  # fmt: skip
    assert report.documents.live == 6


def test_document_that_came_back_after_its_deletion_is_pending(home):
    key = home.document("NCT90000001")
    home.tombstone(key)
    home.mark(key, DocumentState.DELETED)
    home.document("NCT90000001")
    found = collect(home).documents
    assert (found.by_state["pending"], found.by_state["deleted"], found.live) == (1, 0, 1)


def test_counts_live_studies_by_status_type_and_phase(report):
    assert counts(report.documents.overall_status) == {"RECRUITING": 2, "COMPLETED": 1, None: 3}
    assert counts(report.documents.study_type) == {"INTERVENTIONAL": 2, "OBSERVATIONAL": 1, None: 3}
    assert counts(report.documents.phase) == {"PHASE1": 1, "PHASE2": 2, None: 4}


def test_counts_chunks_of_live_generations_of_live_documents_only(report):
    found = {name: count for name, count in report.chunks.by_section.items() if count}
    assert found == {"INCLUSION_CRITERION": 3, "EXCLUSION_CRITERION": 1, "TITLE_CONDITIONS": 1, "OUTCOME": 1, "BRIEF_SUMMARY": 1}
    assert set(report.chunks.by_section) == {name.value for name in Section}
    assert report.chunks.total == 7


def test_bins_lengths_up_to_the_window(report):
    lengths = report.lengths
    assert len(lengths.bins) == 16
    found = {(one.first, one.last): one.count for one in lengths.bins if one.count}
    assert found == {(1, 16): 2, (17, 32): 1, (33, 48): 1, (225, 240): 2, (241, 256): 1}
    assert (lengths.window, lengths.longest, lengths.over_window) == (256, 256, 0)
    assert lengths.near_window.count == 2  # 231 and 256 are above 230.4; 230 is not
    assert lengths.near_window.share == pytest.approx(2 / 7)


def test_counts_parse_outcomes_with_shares(report):
    assert {name: one.count for name, one in report.parse_outcomes.items()} == {
        "both": 1, "inclusion_only": 1, "exclusion_only": 0, "unparsed": 0, "no_criteria": 1,
    }  # fmt: skip
    assert report.parse_outcomes["both"].share == pytest.approx(1 / 3)


def test_counts_formats_and_languages_of_live_documents(report):
    assert [(one.value, one.count) for one in report.formats] == [("numbered", 2), ("nested", 1)]
    assert counts(report.languages) == {None: 2, "de": 1}


def test_adds_up_the_loss_account_of_live_documents(report):
    loss = report.loss
    assert (loss.characters, loss.chunked, loss.dropped, loss.redacted, loss.unexplained) == (1500, 1280, 170, 50, 0)
    assert {name: count for name, count in loss.by_reason.items() if count} == {"bullet": 120, "header": 50}
    assert loss.documents_with_unexplained == 0


def test_counts_unexplained_characters_and_their_documents(home):
    for number in (1, 2, 3):
        loss = Loss(10, 10 - number % 3, 0, 0, number % 3)
        home.index(home.document(f"NCT9000000{number}"), [(Section.OUTCOME, 5)], loss=loss)
    loss = collect(home).loss
    assert (loss.unexplained, loss.documents_with_unexplained) == (3, 2)


def test_shows_what_the_last_reconciliation_found(report):
    drift = report.drift
    assert (drift.expected, drift.found, drift.clean, drift.sums_close, drift.current) == (7, 7, True, True, True)
    assert drift.classes["ok"] == 7
    assert sum(drift.classes.values()) == 7
    assert set(drift.classes) == {name.value for name in DriftClass}


def test_groups_failures_of_the_last_runs_and_names_the_first_of_each(report):
    assert [(one.run, one.stage, one.category, one.count) for one in report.failures] == [
        ("ingest", "fetch", "truncated", 60),
        ("ingest", "normalize", "not_a_study", 1),
        ("index", "index", "gate_refused", 1),
    ]
    truncated, not_a_study, refused = report.failures
    assert len(truncated.examples) == EXAMPLES
    assert truncated.examples[0].source_key == "NCT91000000"
    assert (not_a_study.examples[0].source_key, not_a_study.examples[0].origin) == (None, "studies.jsonl:17")
    assert refused.examples[0].source_key == "NCT90000006"


def test_counts_notices_that_stand_and_those_of_the_last_runs(report):
    assert {one.category: (one.studies, one.last_runs) for one in report.notices} == {
        "duplicate_identical": (0, 1),
        "unknown_value": (2, 1),
        "unparsed_age": (1, 0),
    }


def test_lists_unknown_codes_with_their_field(report):
    assert report.unknown_values.distinct == 1
    assert [(one.field, one.value, one.studies) for one in report.unknown_values.shown] == [("status.overall_status", "PAUSED_ODDLY", 2)]


def test_shares_out_embedded_and_cached_texts(report):
    assert (report.embedding.embedded.count, report.embedding.embedded.share) == (6, 0.75)
    assert (report.embedding.cached.count, report.embedding.cached.share) == (2, 0.25)


def test_empty_home_has_zeros_and_no_runs(home):
    report = collect(home)
    assert report.documents.live == report.chunks.total == report.lengths.longest == report.loss.characters == 0
    assert (report.runs.ingest, report.runs.index, report.runs.reconcile, report.drift, report.embedding) == (None,) * 5
    assert report.failures == report.notices == report.sources == []
    assert all(one.share == 0 for one in report.parse_outcomes.values())


def test_puts_what_exceeds_the_window_into_a_bin_of_its_own():
    lengths = measure_lengths([("OUTCOME", 100, 5), ("OUTCOME", 101, 2), ("BRIEF_SUMMARY", 340, 1)], 100)
    assert (lengths.over_window, lengths.longest) == (3, 340)
    assert (lengths.bins[-1].first, lengths.bins[-1].last, lengths.bins[-1].count) == (101, 340, 3)
    assert lengths.bins[-2].last == 100
    assert sum(one.count for one in lengths.bins) == 8


@pytest.mark.parametrize("window", [1, 2, 15, 16, 17, 100, 255, 256, 257, 512, 8192])
def test_bins_cover_every_length_once(window):
    bins = measure_lengths([], window).bins
    covered = [tokens for one in bins for tokens in range(one.first, one.last + 1)]
    assert covered == list(range(1, window + 1))


def test_reports_without_a_window_where_the_model_cannot_be_opened(night):
    class Broken:
        settings, db = night.settings, night.db

        @property
        def tokens(self):
            raise ModelError("no model here")

    report = collect(Broken())
    assert report.lengths.window is None
    assert report.lengths.longest == 256
    assert any("cannot be opened" in reason for reason in report.verdict.reasons)


def test_postgresql_gives_the_same_figures(night_on_postgres, night_report):
    differ = {"home", "runs", "drift"}  # folder, database and the runs' random ids
    found = collect(night_on_postgres, now=night_report.created_at)
    assert found.model_dump(exclude=differ) == night_report.model_dump(exclude=differ)
    assert found.drift.model_dump(exclude={"run_id"}) == night_report.drift.model_dump(exclude={"run_id"})
    assert found.home.database == "postgresql"
