"""Killed at any write, a home serves every document old-complete or new-complete, and the next run ends where an unkilled one does."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.errors import CollectionMissingError
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.init import initialise
from pipeline.jobs.reconcile import run_reconcile
from pipeline.settings import Settings
from pipeline.storage import chunks as chunk_store
from pipeline.storage import documents, index_state
from pipeline.testing import kills
from pipeline.testing.drift import Snapshot, seed, snapshot
from pipeline.testing.kills import Job, hashing_services, kill_at
from pipeline.testing.studies import invented_nct_id, study_record
from pipeline.wiring import Services, utc_now

Served = dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def disk() -> Iterator[Path]:
    """A folder in memory where there is one: what a killed process leaves does not depend on the disk, and syncing one takes minutes."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
def work(disk: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        yield Path(folder)


def study(number: int, criterion: str | None = None, status: str = "RECRUITING") -> dict[str, Any]:
    record = study_record(number)
    protocol = record["protocolSection"]
    protocol["statusModule"]["overallStatus"] = status
    if criterion:
        protocol["eligibilityModule"]["eligibilityCriteria"] += f"\n* {criterion}"
    return record


def hand_in(settings: Settings, *studies: dict[str, Any]) -> None:
    folder = settings.home / "incoming"
    folder.mkdir(exist_ok=True)
    for one in studies:
        (folder / f"{one['protocolSection']['identificationModule']['nctId']}.json").write_text(json.dumps(one), encoding="utf-8")


@pytest.fixture(scope="module")
def small_home(disk: Path, models: Path) -> Settings:
    """Four studies, indexed; two documents a batch."""
    settings = Settings(home=disk / "home", models_path=models, index_batch_documents=2, max_delete_share=1)
    initialise(settings)
    hand_in(settings, *(study(number) for number in range(4)))
    kills.ingest(settings)
    kills.index(settings)
    return settings


@pytest.fixture
def home(small_home: Settings, work: Path) -> Settings:
    return copy_of(small_home, work / "home")


def copy_of(settings: Settings, folder: Path) -> Settings:
    shutil.copytree(settings.home, folder)
    return settings.model_copy(update={"home": folder})


def served(services: Services) -> Served:
    """The texts that search can show of each document: points that are in the index and live by truth."""
    found: dict[str, list[str]] = defaultdict(list)
    with suppress(CollectionMissingError), services.index.session() as index, services.db.read() as tx:
        rows = chunk_store.rows_by_point(tx, [point.id for point in index.scan() if not isinstance(point.id, int)])
        known = index_state.get_many(tx, sorted({row.document_id for row in rows.values()}))
        for row in rows.values():
            found[known[row.document_id].source_key].append(row.chunk.text)
    return {key: tuple(sorted(texts)) for key, texts in found.items()}


def end(settings: Settings, *finish: Job) -> tuple[Served, Snapshot]:
    """Run jobs; return what is served then. Index and truth are equal then, and hold nothing beside."""
    for job in finish:
        job(settings)
    with hashing_services(settings) as services:
        assert run_reconcile(services).clean
        with services.db.read() as tx:
            assert set(index_state.state_counts(tx)) <= {"live", "deleted"}
        return served(services), snapshot(services)


def writes_survived(before: Settings, work: Path, job: Job, *finish: Job) -> list[str]:
    """Kill ``job`` at each of its writes, each time on a copy of ``before``, run ``finish`` and compare. Returns the writes."""
    with hashing_services(before) as services:
        old = served(services)
    unkilled = copy_of(before, work / "unkilled")
    writes = kill_at(unkilled, job, None)
    assert writes
    new, wanted = end(unkilled, *finish)
    for at, write in enumerate(writes):
        settings = copy_of(before, work / "killed")
        assert kill_at(settings, job, at) is None, write
        with hashing_services(settings) as services:
            halfway = served(services)
        mixed = [key for key, texts in halfway.items() if texts not in (old.get(key), new.get(key))]
        assert mixed == [], (at, write)
        assert end(settings, *finish) == (new, wanted), (at, write)
        shutil.rmtree(settings.home)
    return writes


def test_indexing(home: Settings, work: Path):
    """Truth is ahead of the index in every way: a new, an edited, a deleted study, one of another status, one interrupted before."""
    hand_in(home, study(1, "Known allergy to lavender dyes"), study(2, status="SUSPENDED"), study(7))
    kills.ingest(home)
    with hashing_services(home) as services, services.db.begin() as tx:
        ids = documents.ids_by_key(tx, "clinicaltrials.gov", [invented_nct_id(0), invented_nct_id(3)])
        documents.tombstone(tx, [ids[invented_nct_id(3)]], utc_now())
        index_state.claim(tx, ids[invented_nct_id(0)], utc_now(), collection=services.collection)
    writes = writes_survived(home, work, kills.index, kills.index)
    assert set(writes) >= {"commit", "upsert", "set_payload", "delete_matching", "settle"}


def test_ingesting(home: Settings, work: Path):
    hand_in(home, study(1, "Known allergy to lavender dyes"), study(2, status="SUSPENDED"), study(7))
    writes = writes_survived(home, work, kills.ingest, kills.ingest, kills.index)
    assert set(writes) >= {"commit", "put"}


def test_repairing(home: Settings, work: Path):
    with hashing_services(home) as services:
        for drift in (DriftClass.ORPHAN_DOCUMENT, DriftClass.UNREADABLE, DriftClass.PAYLOAD_DRIFT, DriftClass.MISSING_POINT):
            seed(services, drift, faults=2)
    writes = writes_survived(home, work, kills.repair, kills.repair, kills.index)
    assert set(writes) >= {"commit", "upsert", "delete_points", "delete_matching"}


def test_making_the_collection_anew(home: Settings, work: Path):
    writes = writes_survived(home, work, kills.rebuild, kills.make, kills.index)
    assert set(writes) >= {"commit", "remove", "create", "make_shard", "write_spec"}


def test_making_a_home(work: Path, models: Path, small_home: Settings):
    def fresh(name: str) -> Settings:
        return small_home.model_copy(update={"home": work / name})

    writes = kill_at(fresh("unkilled"), kills.make, None)
    assert set(writes or ()) >= {"commit", "create", "make_shard", "write_spec"}
    for at in range(len(writes or ())):
        settings = fresh(f"killed-{at}")
        assert kill_at(settings, kills.make, at) is None
        kills.make(settings)
        hand_in(settings, study(1))
        assert list(end(settings, kills.ingest, kills.index)[0]) == [invented_nct_id(1)]


def test_a_collection_that_was_lost_is_written_again_by_init_and_index(home: Settings):
    with hashing_services(home) as services:
        wanted = snapshot(services)
    shutil.rmtree(home.index_folder)
    assert end(home, kills.make, kills.index)[1] == wanted
