"""Which feed is read, from when, and how far each is loaded: against a server that plays FHIR."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from pipeline.domain.errors import SourceRefusedError, UsageError
from pipeline.domain.vocabulary import FhirWay
from pipeline.jobs.fhir.feeds import FeedOptions, chosen, open_feed
from pipeline.jobs.fhir.ingest import ingest_configured, is_fhir_incomplete
from pipeline.jobs.fhir.load_feed import load_feed
from pipeline.jobs.fhir.summaries import LoadSummary
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.storage import fhir_loads
from pipeline.storage.fhir_tables import fhir_loads as loads_table
from pipeline.testing.fhir_bulk import bad_line
from pipeline.testing.fhir_server import FhirServer
from pipeline.testing.http_faults import fails

NOTHING = FeedOptions()
CANARY = "Quillfeather"


def observation(number: int, **given) -> dict:
    return {
        "resourceType": "Observation",
        "id": f"o{number}",
        "status": "final",
        "code": {"text": "Potassium"},
        "subject": {"reference": "Patient/p1"},
        **given,
    }


@pytest.fixture
def server():
    patient = {"resourceType": "Patient", "id": "p1", "name": [{"family": CANARY}]}
    with FhirServer([patient, *(observation(number) for number in range(5))]) as played:
        played.pending_polls = 0
        yield played


@pytest.fixture
def configured(services, server):
    """The home with a server in its settings, which does not guard against the removal of a few."""
    given = {
        "fhir_url": server.url,
        "fhir_types": ("Patient", "Observation"),
        "fhir_max_attempts": 1,
        "max_delete_share": 1.0,
        "fhir_overlap_seconds": 0,
    }
    object.__setattr__(services, "settings", services.settings.model_copy(update=given))
    return services


def load(services, options: FeedOptions = NOTHING) -> LoadSummary:
    with open_feed(services, options) as feed:
        return load_feed(services, feed)


def states(services) -> list[tuple[str, bool, str | None]]:
    with services.db.read() as tx:
        return [(one["state"], one["is_full"], one["loaded_to"]) for one in fhir_loads.last_by_scope(tx, limit=10)]


@pytest.mark.parametrize("way", list(FhirWay))
def test_the_second_load_asks_for_what_changed_since_the_first(configured, server, way):
    first = load(configured, FeedOptions(way=way))
    assert (first.full, first.complete, first.entries) == (True, True, 6)
    server.now = datetime.now(UTC) + timedelta(hours=1)
    server.put(observation(1, status="amended"))
    server.remove("Observation", "o2")
    second = load(configured, FeedOptions(way=way))
    assert (second.full, second.outcomes) == (False, {"document": 1, "removed": 1})


def test_an_incomplete_load_does_not_move_the_time_and_deletes_nothing(configured, server):
    load(configured)
    (before,) = states(configured)
    server.now += timedelta(hours=1)
    server.put(observation(1, status="amended"))
    server.fail_next(bad_line(1), path="/files")
    red = load(configured)
    assert (red.complete, red.broken, red.failed) == (False, 1, 1)
    assert states(configured) == [("incomplete", False, before[2])]
    again = load(configured)
    assert (again.complete, again.outcomes) == (True, {"document": 1})


def test_a_full_load_that_was_cut_removes_nothing_and_a_whole_one_does(configured, server):
    load(configured)
    for number in range(4):
        server.remove("Observation", f"o{number}")
    server.fail_next(fails(410), fails(410), path="/files")
    cut = load(configured, FeedOptions(full=True))
    assert (cut.complete, cut.vanished) == (False, 0)
    whole = load(configured, FeedOptions(full=True))
    assert (whole.complete, whole.vanished) == (True, 4)


def test_everything_is_loaded_again_once_the_last_whole_load_is_old(configured):
    load(configured)
    assert not load(configured).full
    with configured.db.begin() as tx:
        tx.execute(update(loads_table).values(started_at=datetime.now(UTC) - timedelta(days=8)))
    assert load(configured).full


def test_a_later_time_than_the_last_complete_load_leaves_no_gap(configured, server):
    load(configured)
    server.now += timedelta(hours=1)
    server.put(observation(1, status="amended"))
    server.now += timedelta(hours=2)
    asked = load(configured, FeedOptions(since=server.now - timedelta(hours=1)))
    assert (asked.full, asked.outcomes) == (False, {"document": 1})


def test_a_group_of_the_settings_is_not_left_out_by_a_search(configured):
    object.__setattr__(configured, "settings", configured.settings.model_copy(update={"fhir_group": "g1", "fhir_from": FhirWay.SEARCH}))
    with pytest.raises(UsageError, match="everybody"):
        load(configured)


def test_a_server_that_refuses_leaves_a_failed_run_and_an_incomplete_load(configured, server):
    server.fail_next(fails(403), path="/$export")
    with pytest.raises(SourceRefusedError):
        load(configured)
    assert states(configured) == [("incomplete", True, None)]


def test_a_load_names_what_failed_by_place_element_and_rule(configured, server):
    server.put(observation(7, status=7, note=[{"text": CANARY}]))
    server.fail_next(bad_line(1), path="/files")
    summary = load(configured)
    said = {(one.category, one.origin, one.field, one.rule) for one in summary.failures}
    assert len(said) == summary.failed == 2
    assert ("not_json", "output file 1 line 1", None, None) in said
    assert ("invalid_resource", "Observation.status") in {(category, field) for category, _, field, _ in said}
    assert CANARY not in summary.model_dump_json()


def test_a_group_and_the_whole_server_are_scopes_of_their_own(configured, server):
    server.put({"resourceType": "Group", "id": "g1", "member": [{"entity": {"reference": "Patient/p1"}}]})
    load(configured)
    group = load(configured, FeedOptions(group="g1"))
    assert group.full
    assert group.scope != load(configured).scope
    assert "g1" not in group.scope
    assert "127.0.0.1" not in group.scope


def test_the_night_reads_server_and_folders_and_a_home_without_feeds_reads_none(services, configured, tmp_path, server):
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "one.json").write_text('{"resourceType":"Observation","id":"x1","status":"final","code":{"text":"Sodium"}}')
    folders = configured.settings.model_copy(update={"fhir_paths": (str(tmp_path / "drop"),)})
    object.__setattr__(configured, "settings", folders)
    assert [bool(one.paths) for one in chosen(configured, NOTHING)] == [False, True]
    found = ingest_configured(configured)
    assert [one.load.entries for one in found] == [6, 1]
    assert not any(map(is_fhir_incomplete, found))
    object.__setattr__(configured, "settings", folders.model_copy(update={"fhir_paths": (), "fhir_url": None}))
    assert ingest_configured(configured) == []


@pytest.mark.parametrize(
    "options",
    [
        FeedOptions(paths=("x",), way=FhirWay.BULK),
        FeedOptions(paths=("x",), types=("Patient",)),
        FeedOptions(full=True, since=datetime(2024, 1, 1, tzinfo=UTC)),
        FeedOptions(way=FhirWay.SEARCH, group="g1"),
        FeedOptions(types=(CANARY,)),
    ],
    ids=["paths-way", "paths-types", "full-since", "search-group", "no-type"],
)
def test_options_that_contradict_each_other_are_refused(configured, options):
    with pytest.raises(UsageError) as caught, open_feed(configured, options):
        pass
    assert CANARY not in str(caught.value)


def test_a_home_that_knows_no_feed_says_what_to_set(services):
    with pytest.raises(UsageError, match="CLINDEX_FHIR_URL"), open_feed(services, NOTHING):
        pass


def test_the_report_says_how_far_a_feed_is_loaded_and_which_rule_is_broken_where(configured, server):
    server.put(observation(7, status=7, note=[{"text": CANARY}]))
    load(configured)
    report = collect(configured)
    assert report.fhir is not None
    (scope,) = report.fhir.scopes
    assert (scope.state, scope.files, scope.files_read) == ("complete", 2, 2)
    assert report.fhir.by_type == {"Observation": {"document": 5, "quarantined": 1}, "Patient": {"supporting": 1}}
    (rule,) = report.fhir.quarantined
    assert (rule.resource_type, rule.path, rule.resources, rule.kept, len(rule.examples)) == ("Observation", "status", 1, 0, 1)
    assert report.verdict.state == "incomplete"
    page = render_html(report)
    assert rule.examples[0] in page
    assert CANARY not in page + report.model_dump_json()
