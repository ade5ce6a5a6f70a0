"""Loading a feed of FHIR: every entry has one outcome, the newer version wins, and only a complete full load lets resources vanish."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from pipeline.domain.errors import GuardRefusedError
from pipeline.domain.fhir import BrokenEntry, FeedEnd, FeedEntry, RawResource, RemovedResource, Stamp, patient_pseudonym, resource_key
from pipeline.domain.vocabulary import FailureCategory
from pipeline.jobs.fhir import load_feed as load_feed_module
from pipeline.jobs.fhir.load_feed import load_feed
from pipeline.jobs.fhir.summaries import LoadSummary
from pipeline.stages.sources.fhir.entries import entries_of
from pipeline.stages.sources.fhir.folder import FolderFeed
from pipeline.storage import fhir_loads, fhir_resources, fhir_tables, runs
from pipeline.storage.fhir_resources import ResourceRow
from pipeline.wiring import Services

SCOPE = "folders:test"


@dataclass
class Feed:
    """A feed of given entries."""

    given: Sequence[FeedEntry]
    is_full: bool = True
    complete: bool = True
    time: str | None = None
    authority: str = "site"
    scope: str = SCOPE

    def entries(self) -> Iterator[FeedEntry]:
        yield from self.given

    def end(self) -> FeedEnd:
        return FeedEnd(complete=self.complete, transaction_time=self.time, promised=1, read=1)


def condition(name: str, *, version: str = "1", **more: Any) -> dict[str, Any]:
    code = {"coding": [{"system": "http://snomed.info/sct", "code": "38341003", "display": "Hypertension"}]}
    common = {"resourceType": "Condition", "id": name, "meta": {"versionId": version}, "code": code}
    return {**common, "subject": {"reference": "Patient/p1"}, **more}


def raw(value: dict[str, Any]) -> RawResource:
    return RawResource(value, "file 1 line 1")


def load(services: Services, *values: FeedEntry | dict[str, Any], **said: Any) -> LoadSummary:
    return load_feed(services, Feed([raw(one) if isinstance(one, dict) else one for one in values], **said))


def row(services: Services, name: str) -> ResourceRow:
    key = resource_key(services.secret, "site", "Condition", name)
    with services.db.read() as tx:
        return fhir_resources.known(tx, [key])[key]


def test_every_entry_is_in_exactly_one_outcome(services: Services) -> None:
    given: list[FeedEntry | dict[str, Any]] = [
        condition("a"),
        condition("a", version="2"),
        condition("b", verificationStatus={"coding": [{"code": "entered-in-error"}]}),
        RemovedResource("Condition", "c", "file 1 line 4"),
        condition("c"),
        RemovedResource("Condition", "d", "file 1 line 6"),
        RemovedResource("Condition", "d", "file 1 line 7"),
        BrokenEntry("file 1 line 8", FailureCategory.NOT_A_RESOURCE),
        {"resourceType": "Claim", "id": "e"},
        condition("f", subject="nobody"),
    ]
    summary = load(services, *given)
    assert sum(summary.outcomes.values()) + summary.broken == len(given) == summary.entries
    assert summary.outcomes["removed"] == 3
    assert summary.by_type["Condition"]["older_version"] == 1
    assert summary.by_type["Claim"] == {"not_rendered": 1}


def test_the_same_feed_twice_changes_nothing(services: Services) -> None:
    load(services, condition("a"), condition("b"))
    assert load(services, condition("b"), condition("a")).unchanged == 2


def test_the_newer_version_wins_whatever_the_order(services: Services) -> None:
    load(services, condition("a", version="2"), condition("b", version="1"))
    newer = row(services, "a").payload_sha256
    load(services, condition("a", version="1"), condition("b", version="2"), is_full=False)
    assert row(services, "a").payload_sha256 == newer
    assert row(services, "b").order_key.endswith("2")


def test_an_invalid_newer_version_is_quarantined_and_the_good_one_stays(services: Services) -> None:
    load(services, condition("a"))
    good = row(services, "a").payload_sha256
    summary = load(services, condition("a", version="2", subject="Quillfeather"))
    now = row(services, "a")
    assert (now.outcome, now.payload_sha256) == ("quarantined", good)
    assert now.path
    assert now.rule
    assert summary.failed == 1
    with services.db.read() as tx:
        told = runs.outcomes_of(tx, UUID(summary.run_id))
    assert [one.category for one in told] == [FailureCategory.INVALID_RESOURCE.value]
    assert "Quillfeather" not in repr(told) + repr(summary)


def test_a_removed_resource_is_forgotten_and_may_come_back(services: Services) -> None:
    load(services, condition("a"), condition("b"))
    load(services, RemovedResource("Condition", "a", "file 1 line 1"), is_full=False)
    assert (row(services, "a").outcome, row(services, "a").payload_sha256) == ("removed", None)
    assert row(services, "b").payload_sha256 is not None
    load(services, condition("a"), is_full=False)
    assert row(services, "a").payload_sha256 is not None


def test_an_entered_in_error_update_forgets_the_resource(services: Services) -> None:
    load(services, condition("a"))
    load(services, condition("a", version="2", verificationStatus={"coding": [{"code": "entered-in-error"}]}), is_full=False)
    assert (row(services, "a").outcome, row(services, "a").payload_sha256) == ("entered_in_error", None)


def test_a_history_that_ends_with_a_deletion_removes_the_resource(services: Services) -> None:
    deleted = {"request": {"method": "DELETE", "url": "Condition/a"}}
    versions = [{"resource": condition("a", version=number), "request": {"method": "PUT", "url": "Condition/a"}} for number in "21"]
    bundle = {"resourceType": "Bundle", "type": "history", "entry": [deleted, *versions]}
    load(services, condition("a"))
    load(services, *entries_of(bundle, origin="file 1"), is_full=False)
    assert row(services, "a").outcome == "removed"


def test_what_a_complete_full_load_does_not_name_vanishes(services: Services) -> None:
    load(services, *(condition(f"c{number}") for number in range(10)))
    assert load(services, *(condition(f"c{number}") for number in range(9))).vanished == 1
    assert row(services, "c9").outcome == "removed"


@pytest.mark.parametrize("said", [{"complete": False}, {"is_full": False}])
def test_a_load_that_is_cut_short_or_names_only_changes_removes_nothing(services: Services, said: dict[str, bool]) -> None:
    load(services, condition("a"), condition("b"))
    assert load(services, condition("a"), **said).vanished == 0
    assert row(services, "b").payload_sha256 is not None


def test_a_broken_line_makes_a_load_incomplete(services: Services) -> None:
    load(services, condition("a"), condition("b"))
    summary = load(services, condition("a"), BrokenEntry("file 1 line 2", FailureCategory.NOT_JSON))
    assert not summary.complete
    assert row(services, "b").payload_sha256 is not None


def test_too_many_at_once_do_not_vanish(services: Services) -> None:
    many = max(services.settings.min_documents_for_share, 20)
    load(services, *(condition(f"c{number}") for number in range(many)))
    with pytest.raises(GuardRefusedError):
        load(services, condition("c0"))
    assert row(services, "c1").payload_sha256 is not None


def test_only_a_complete_load_moves_the_time_from_which_the_next_is_asked(services: Services) -> None:
    load(services, condition("a"), time="2031-01-01T00:00:00Z")
    load(services, condition("a"), time="2031-02-01T00:00:00Z", complete=False)
    with services.db.read() as tx:
        assert fhir_loads.last_transaction_time(tx, SCOPE) == "2031-01-01T00:00:00Z"


def test_bytes_that_landing_lost_land_again_though_truth_has_them(services: Services) -> None:
    load(services, condition("a"))
    sha256 = row(services, "a").payload_sha256
    assert sha256 is not None
    services.landing.delete(sha256)
    load(services, condition("a"))
    assert services.landing.contains(sha256)


def test_a_name_in_the_place_of_a_type_is_shown_nowhere(services: Services, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "named"
    folder.mkdir()
    gone = {"request": {"method": "DELETE", "url": "IngridWinterbourne/w-2"}}
    (folder / "a.ndjson").write_text('{"resourceType":"IngridWinterbourne","id":"w-1"}\n')
    (folder / "b.json").write_text(json.dumps({"resourceType": "Bundle", "type": "transaction", "entry": [gone]}))
    summary = load_feed(services, FolderFeed([folder], secret=services.secret))
    assert summary.by_type == {"other": {"not_rendered": 1, "removed": 1}}
    with services.db.read() as tx:
        kept = repr(tx.execute(fhir_tables.fhir_resources.select()).all()) + repr(runs.outcomes_of(tx, UUID(summary.run_id)))
    assert "Winterbourne" not in kept + summary.model_dump_json() + "".join(capfd.readouterr())


BAD: dict[str, Any] = {"subject": "Quillfeather"}
FIRST, LAST = "2031-03-01T10:00:00Z", "2031-03-02T10:00:00Z"


def removed(name: str, updated: str | None = None, number: str | None = None) -> RemovedResource:
    return RemovedResource("Condition", name, "file 1 line 1", Stamp(updated, number))


def at(updated: str, name: str = "a", **more: Any) -> dict[str, Any]:
    return condition(name, meta={"lastUpdated": updated}, **more)


def text_of(services: Services, name: str) -> str:
    payload = row(services, name).payload_sha256
    return services.landing.get(payload).decode() if payload else ""


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
@pytest.mark.parametrize("batch", [500, 1], ids=["one batch", "a batch each"])
def test_before_an_invalid_newest_version_the_newest_good_one_stays(
    services: Services, monkeypatch: pytest.MonkeyPatch, order: tuple[int, ...], batch: int
) -> None:
    monkeypatch.setattr(load_feed_module, "BATCH", batch)
    versions = [
        condition("a", version="1", subject={"reference": "Patient/p1"}),
        condition("a", version="2", subject={"reference": "Patient/p2"}),
        condition("a", version="3", **BAD),
    ]
    given = [versions[number] for number in order]
    summary = load(services, *given)
    now = row(services, "a")
    assert (now.outcome, now.order_key[-1]) == ("quarantined", "3")
    assert '"Patient/p2"' in text_of(services, "a")
    assert now.patient == patient_pseudonym(services.secret, "p2")
    assert sum(summary.outcomes.values()) == 3
    load(services, *given)
    assert row(services, "a") == now


def test_an_invalid_version_never_brings_back_what_was_entered_in_error(services: Services) -> None:
    wrong = condition("a", version="2", verificationStatus={"coding": [{"code": "entered-in-error"}]})
    load(services, condition("a", version="1"), wrong, condition("a", version="3", **BAD))
    assert (row(services, "a").outcome, row(services, "a").payload_sha256) == ("quarantined", None)


@pytest.mark.parametrize("batch", [500, 1], ids=["one batch", "a batch each"])
def test_a_deletion_with_a_time_is_undone_by_newer_versions_alone(services: Services, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(load_feed_module, "BATCH", batch)
    load(services, removed("a", LAST), at(FIRST), removed("b", FIRST), at(LAST, "b"), at(LAST, "c"), removed("c", FIRST))
    assert [row(services, name).outcome for name in "abc"] == ["removed", "document", "document"]
    load(services, at(FIRST), is_full=False)
    assert row(services, "a").outcome == "removed"
    load(services, at("2031-03-03T00:00:00Z"), is_full=False)
    assert row(services, "a").outcome == "document"


def test_a_deletion_that_a_newer_version_makes_void_is_counted_so(services: Services) -> None:
    load(services, at(LAST))
    assert load(services, removed("a", FIRST), is_full=False).by_type["Condition"] == {"older_version": 1}


def test_of_what_was_never_seen_a_deletion_with_a_time_is_remembered(services: Services) -> None:
    load(services, removed("a", LAST), removed("b"), is_full=False)
    load(services, at(FIRST), at(FIRST, "b"), is_full=False)
    assert [row(services, name).outcome for name in "ab"] == ["removed", "document"]


def test_a_history_over_pages_ends_as_its_newest_entries_say(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_feed_module, "BATCH", 1)

    def entry(name: str, hour: int, method: str, **more: Any) -> dict[str, Any]:
        answer = {"status": "200", "lastModified": f"2031-03-01T{hour:02}:00:00+02:00", "etag": f'W/"{hour}"'}
        held = {} if method == "DELETE" else {"resource": {key: value for key, value in condition(name, **more).items() if key != "meta"}}
        return {"request": {"method": method, "url": f"Condition/{name}"}, "response": answer, **held}

    one = {
        "resourceType": "Bundle",
        "type": "history",
        "entry": [entry("a", 9, "DELETE"), entry("b", 8, "PUT", subject={"reference": "Patient/p2"})],
    }
    two = {"resourceType": "Bundle", "type": "history", "entry": [entry("b", 7, "DELETE"), entry("a", 6, "PUT"), entry("b", 5, "POST")]}
    load(services, *entries_of(one, origin="page 1"), *entries_of(two, origin="page 2"), is_full=False)
    assert row(services, "a").outcome == "removed"
    assert '"Patient/p2"' in text_of(services, "b")
