"""Deleted for good, killed at any write, or while another writes: in the end nothing is left, and nothing of others was touched."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DeletionCause
from pipeline.jobs.certificates.verify import verify
from pipeline.jobs.deletion import carry_out, finish_open, request
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.reconcile import run_reconcile
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import deletions, documents, erasure, feedback, search_log
from pipeline.testing import night_jobs
from pipeline.testing.drift import Snapshot, snapshot
from pipeline.testing.homes import copy_of
from pipeline.testing.kills import kill_at
from pipeline.testing.moments import just_before
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.studies import invented_nct_id, study_record
from pipeline.wiring import Services, open_services, utc_now

GONE = document_id("clinicaltrials.gov", invented_nct_id(2))
STUDY = "NCT99000001"
DOCUMENT = document_id("clinicaltrials.gov", STUDY)


def ask(services: Services, *ids: UUID) -> UUID:
    asked = request(services, documents=ids, cause=DeletionCause.DOCUMENT, reason="entered in error", by="tester", approve_large=True)
    return UUID(str(asked.deletion_id))


def delete(settings: Settings) -> None:
    """Delete one study for good, or go on with it. Another process finds it by its name."""
    with hashing_services(settings) as services:
        with services.db.read() as tx:
            asked = [one.deletion_id for one in deletions.listed(tx)]
        carry_out(services, asked[0] if asked else ask(services, GONE))


def is_gone(services: Services, document: UUID) -> bool:
    with services.index.session() as index, services.db.read() as tx:
        left = index.count(PointFilter(document_ids=(document,)))
        return left == 0 and erasure.bare_among(tx, [document]) == {document}


@pytest.fixture(scope="module")
def disk() -> Iterator[Path]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def small(disk: Path, models: Path) -> Settings:
    """Four studies, indexed."""
    settings = Settings(home=disk / "home", models_path=models)
    initialise(settings)
    incoming = settings.home / night_jobs.INCOMING
    incoming.mkdir()
    for number in range(1, 5):
        (incoming / f"{invented_nct_id(number)}.json").write_text(json.dumps(study_record(number)), encoding="utf-8")
    night_jobs.ingest(settings)
    night_jobs.index(settings)
    return settings


def world(settings: Settings) -> tuple[Snapshot, list[Any], set[str], set[str]]:
    """Everything that a home holds beside what a deletion writes of itself: points, documents, landing, cached texts."""
    with hashing_services(settings) as services:
        with services.db.read() as tx:
            rows = documents.load_documents(tx, [document_id("clinicaltrials.gov", invented_nct_id(number)) for number in range(1, 5)])
        landed = {sha256 for sha256, _ in services.landing.objects()}
        return snapshot(services), [rows[key] for key in sorted(rows)], landed, set(services.cache.text_hashes())


def test_killed_at_any_write_it_is_finished_by_the_next_run(small: Settings, disk: Path):
    before = world(small)
    unkilled = copy_of(small, disk / "unkilled")
    writes = kill_at(unkilled, delete, None)
    assert writes is not None
    assert set(writes) >= {"commit", "delete_matching", "delete"}
    wanted = world(unkilled)
    assert wanted[0] < before[0]
    assert len(wanted[2]) == len(before[2]) - 1
    for at, write in enumerate(writes):
        settings = copy_of(small, disk / "killed")
        assert kill_at(settings, delete, at) is None, (at, write)
        with hashing_services(settings) as services:
            finish_open(services)
            with services.db.read() as tx:
                left = [one for one in deletions.listed(tx) if one.state == "open"]
            if left or not is_gone(services, GONE):  # killed before its first commit: nobody has asked for anything
                delete(settings)
            assert is_gone(services, GONE), (at, write)
            assert run_reconcile(services).clean, (at, write)
        assert world(settings) == wanted, (at, write)
        shutil.rmtree(settings.home)


def never_back(services: Services, root: Path) -> None:
    """Neither now nor after another night is anything of the study there."""
    for _ in range(2):
        assert is_gone(services, DOCUMENT)
        ingest(services, StudyFiles([root / "samples" / "trials" / f"{STUDY}.json"], services.settings))
        run_index(services)
        finish_open(services)
    assert is_gone(services, DOCUMENT)
    assert run_reconcile(services).clean


@pytest.mark.parametrize("moment", ["land", "take"])
def test_a_deletion_while_the_same_record_is_ingested(
    services: Services, other: Services, root: Path, edit_study, moment: str, monkeypatch: pytest.MonkeyPatch
):
    """Before its bytes land, or after they were listed and before truth takes them."""
    from pipeline.jobs import take

    def change(study: dict[str, Any]) -> None:
        study["protocolSection"]["descriptionModule"] = {"briefSummary": "Quillwort is looked at."}

    path = edit_study(STUDY, change)
    held = {"land": (services.landing, "put"), "take": (take, "assemble_trial")}[moment]
    done = just_before(*held, lambda: carry_out(other, ask(other, DOCUMENT)), monkeypatch)
    summary = ingest(services, StudyFiles([path], services.settings))
    assert done()
    assert (summary.notices["suppressed"], summary.failed, summary.changed) == (1, 0, 0)
    never_back(services, root)
    words = [sha256 for sha256, _ in services.landing.objects() if b"Quillwort" in services.landing.get(sha256)]
    assert words == []


@pytest.mark.parametrize("moment", ["embedded", "written", "read back"])
def test_a_deletion_while_it_is_indexed(services: Services, other: Services, root: Path, moment: str, monkeypatch: pytest.MonkeyPatch):
    """Between reading and claiming it, between claiming and writing it, and between writing it and making it live."""
    holder, method = {"embedded": (services.cache, "get_many"), "written": (services.index, "upsert")}.get(
        moment, (services.index, "retrieve")
    )

    def act() -> None:
        deletion = ask(other, DOCUMENT)
        if moment != "read back":  # the writer holds the index then: removal waits for it
            carry_out(other, deletion)

    done = just_before(holder, method, act, monkeypatch)
    run_index(services, documents=[DOCUMENT], force=True)
    assert done()
    finish_open(services)
    never_back(services, root)
    with services.db.read() as tx:
        unused = set(services.cache.text_hashes()) - erasure.texts_elsewhere(tx, set(services.cache.text_hashes()))
    assert unused == set()


def test_ingestions_index_runs_and_deletions_at_once_end_without_it(home: Settings, root: Path):
    failures: list[BaseException] = []

    def in_a_thread(job: Callable[[Services], object]) -> threading.Thread:
        def run() -> None:
            try:
                with open_services(home) as services:
                    job(services)
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    jobs: list[Callable[[Services], object]] = [
        lambda services: run_index(services, documents=[DOCUMENT], force=True),
        lambda services: ingest(services, StudyFiles([root / "samples" / "trials"], services.settings)),
        lambda services: carry_out(services, ask(services, DOCUMENT)),
        lambda services: run_index(services, documents=[DOCUMENT], force=True),
    ]
    for thread in [in_a_thread(job) for job in jobs]:
        thread.join()
    assert failures == []
    with open_services(home) as services:
        run_index(services)
        finish_open(services)
        never_back(services, root)


def test_what_readers_said_of_a_document_goes_with_it_and_the_log_of_searches_stays_whole(services: Services):
    secret, search_id, now = services.secret, uuid4(), utc_now()
    entry = search_log.Entry(search_id, now, None, "admin", "search", None, {}, (DOCUMENT,), 1)
    with services.db.begin() as tx:
        search_log.append(tx, entry, secret=secret)
        feedback.add(tx, search_id, feedback.Event.USEFUL, now, document_id=DOCUMENT, position=1)
        feedback.add(tx, search_id, feedback.Event.REFINED, now, document_id=None, position=None)
    deletion = ask(services, DOCUMENT)
    carry_out(services, deletion)
    with services.db.read() as tx:
        assert (feedback.counts(tx)["useful"], feedback.counts(tx)["refined"]) == (0, 1)
        assert [row.entry.documents for row in search_log.rows_of(tx)] == [(DOCUMENT,)]
    assert verify(services, deletion).failed == []
