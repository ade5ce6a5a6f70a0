"""What would empty an index by mistake: without a person's approval not one point goes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid5

import pytest
from pydantic import SecretStr
from sqlalchemy import delete, update

from pipeline.domain.errors import ClindexError, GuardRefusedError, SecretMismatchError, SourceWentBackError
from pipeline.domain.identifiers import NAMESPACE, document_id
from pipeline.domain.ports import FetchedPage, FetchedRecord, SourceVersion
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.nightly import document_source
from pipeline.jobs.plans.reading import read_plan
from pipeline.jobs.reconcile import run_reconcile
from pipeline.settings import Settings
from pipeline.storage import approvals, documents
from pipeline.storage.tables import chunk_accounts, chunks, crawls, index_state, meta
from pipeline.storage.tables import documents as documents_table
from pipeline.testing.drift import snapshot
from pipeline.testing.truth import empty_truth
from pipeline.wiring import Services, open_services, utc_now

VANISHED = [document_id("clinicaltrials.gov", f"NCT9900000{number}") for number in range(1, 6)]  # 5 of 77: no large share


@dataclass
class Registry:
    """A registry that lists all it has, and says how many that should be and how fresh it is."""

    folder: Path
    keep: int | None = None  # only the first so many, silently
    promised: int | None = None
    data_timestamp: str = "2026-05-02T09:00:00"
    name = "clinicaltrials.gov"
    scope = "all"
    base_scope = "all"
    can_prove_absence = True
    roots = None

    def version(self) -> SourceVersion:
        return SourceVersion(self.data_timestamp, "2.0")

    def pages(self, *, resume_from: str | None = None) -> Iterator[FetchedPage]:
        assert resume_from is None
        records = []
        for path in sorted(self.folder.glob("*.json"))[: self.keep]:
            record = json.loads(path.read_text(encoding="utf-8"))
            key = record["protocolSection"]["identificationModule"]["nctId"]
            records.append(FetchedRecord(key, json.dumps(record, sort_keys=True).encode(), path.name))
        yield FetchedPage(tuple(records), None, total=self.promised)


@pytest.fixture
def trials(root: Path) -> Path:
    return root / "samples" / "trials"


def refused_by(services: Services) -> set[str]:
    """Ask for a repair; return the guards that refuse it. Nothing may have changed."""
    before = snapshot(services)
    with pytest.raises(GuardRefusedError) as refused:
        run_reconcile(services, repair=True)
    assert refused.value.exit_code == 3
    assert "--approve" in (refused.value.remedy or "")
    assert snapshot(services) == before
    path = run_reconcile(services).plan
    assert path is not None
    plan, _ = read_plan(path, secret=services.secret)
    assert plan.delete_points > 0
    return {one.guard.value for one in plan.refused}


def tombstone(services: Services) -> None:
    with services.db.begin() as tx:
        assert documents.tombstone(tx, VANISHED, utc_now()) == len(VANISHED)


def test_truth_is_emptied(services: Services):
    empty_truth(services)
    assert refused_by(services) == {"share_of_index", "truth_empty", "truth_restored"}


def test_a_listing_comes_back_half_and_says_that_is_all(services: Services, trials: Path):
    before = snapshot(services)
    with pytest.raises(GuardRefusedError, match="vanished from the listing"):
        ingest(services, Registry(trials, keep=len(list(trials.glob("*.json"))) // 2))
    run_index(services)
    assert run_reconcile(services, repair=True).clean
    assert snapshot(services) == before


def test_a_listing_is_cut_short_after_documents_had_vanished(services: Services, trials: Path):
    tombstone(services)
    ingest(services, Registry(trials, keep=0, promised=77))
    assert refused_by(services) == {"truncated_listing"}


def test_a_source_goes_back_in_time(services: Services, trials: Path):
    before = snapshot(services)
    ingest(services, Registry(trials))
    with pytest.raises(SourceWentBackError):
        ingest(services, Registry(trials, keep=0, data_timestamp="2026-05-01T09:00:00"))
    run_index(services)
    assert run_reconcile(services, repair=True).clean
    assert snapshot(services) == before
    tombstone(services)
    with services.db.begin() as tx:  # a truth that took it all the same
        tx.execute(update(crawls).values(data_timestamp="2026-05-01T09:00:00"))
    assert refused_by(services) == {"source_went_back"}


def test_the_scheme_of_ids_changes(services: Services, trials: Path, monkeypatch: pytest.MonkeyPatch):
    empty_truth(services)
    monkeypatch.setattr("pipeline.domain.identifiers.NAMESPACE", uuid5(NAMESPACE, "another scheme"))
    ingest(services, Registry(trials))
    assert refused_by(services) == {"share_of_index", "one_cause", "truth_restored"}
    run_index(services)  # its points beside the old ones: all vectors come from the cache
    assert refused_by(services) == {"share_of_index", "one_cause", "truth_restored"}


def test_the_secret_changes(services: Services, tmp_path: Path):
    """Nobody can open the home with another secret. A truth that was made anew with one has other ids for the same notes."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(12):
        (notes / f"note{number}.txt").write_text(f"Impression: stable after {number + 2} days of treatment.\n", encoding="utf-8")
    ingest(services, document_source(services, [str(notes)], kind="note"))
    run_index(services)
    changed = services.settings.model_copy(update={"site_secret": SecretStr("another secret of this site")})
    before = snapshot(services)
    with pytest.raises(SecretMismatchError), open_services(changed):
        pass
    with services.db.begin() as tx:
        tx.execute(delete(meta).where(meta.c.key == "site_secret_fingerprint"))
        mine = documents_table.c.source == "documents"
        ids = list(tx.execute(documents_table.select().where(mine)).scalars())
        for table in (chunks, chunk_accounts, index_state, documents_table):
            tx.execute(delete(table).where(table.c.document_id.in_(ids)))
    services.close()
    with open_services(changed) as anew:
        assert snapshot(anew) == before
        ingest(anew, document_source(anew, [str(notes)], kind="note"))
        assert refused_by(anew) == {"truth_restored"}
        run_index(anew)
        assert refused_by(anew) == {"one_cause", "truth_restored"}


def test_yesterdays_truth_is_restored(home: Settings):
    copy = home.home.parent / "yesterday.sqlite"
    with open_services(home) as services:
        _backup(home.home / "truth.sqlite", copy)
        run_index(services, documents=VANISHED, force=True)
        before = snapshot(services)
    for path in home.home.glob("truth.sqlite*"):
        path.unlink()
    shutil.copy(copy, home.home / "truth.sqlite")
    with open_services(home) as services:
        assert refused_by(services) == {"truth_restored"}
        assert snapshot(services) == before


def _backup(source: Path, target: Path) -> None:
    with sqlite3.connect(source) as reader, sqlite3.connect(target) as writer:
        reader.backup(writer)


def test_an_approval_says_who_and_why_and_lets_the_deletion_pass(services: Services):
    empty_truth(services)
    plan = run_reconcile(services).plan
    assert plan is not None
    summary = run_reconcile(services, approve=plan, by="J. Doe, data steward", reason="home is given up")
    assert (summary.found, summary.approved_by) == (0, "J. Doe, data steward")
    with services.db.read() as tx:
        (kept,) = approvals.of_plan(tx, read_plan(plan, secret=services.secret)[0].run_id)
    assert (kept.approved_by, kept.reason) == ("J. Doe, data steward", "home is given up")
    assert kept.seal == read_plan(plan, secret=services.secret)[0].seal


def test_a_refused_approval_is_not_kept(services: Services):
    empty_truth(services)
    plan = run_reconcile(services).plan
    assert plan is not None
    with services.index.session() as index:
        index.delete_points([next(iter(index.scan())).id])
    with pytest.raises(GuardRefusedError, match="changed since"):
        run_reconcile(services, approve=plan)
    with services.db.read() as tx:
        assert approvals.of_plan(tx, read_plan(plan, secret=services.secret)[0].run_id) == []


def test_no_approval_lifts_a_running_job(services: Services):
    from pipeline.storage import runs

    empty_truth(services)
    plan = run_reconcile(services).plan
    assert plan is not None
    before = snapshot(services)
    with services.db.begin() as tx:
        runs.start_run(tx, "index", utc_now())  # by this process, which is alive
    with pytest.raises(ClindexError, match="index since") as refused:
        run_reconcile(services, approve=plan)
    assert "No approval lifts that" in (refused.value.remedy or "")
    assert snapshot(services) == before
