"""Folders that change while they are read, and two who read them at once: nothing is deleted that is there, and a quiet run puts all right.

The second one runs inside a call of the first, at the moment that matters.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.vocabulary import DocumentState, Source
from pipeline.jobs import ingest as ingest_job
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.summaries import IngestSummary
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.stages.sources.folders import LocalFolder
from pipeline.storage import index_state
from pipeline.testing.drift import snapshot
from pipeline.testing.homes import copy_home
from pipeline.testing.pdfs import write_pdf
from pipeline.wiring import Services, open_services

pytestmark = pytest.mark.slow

NOTES = 6
_GONE = (DocumentState.DELETING, DocumentState.DELETED)


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """Notes in a folder, and two more in a folder in it; a PDF stands first, so that one file needs a reader's process."""
    folder = tmp_path / "ward"
    (folder / "older").mkdir(parents=True)
    write_pdf(folder / "a.pdf", ["Wheezing was heard again, and prednisone 40 mg was given by mouth."])
    for number in range(NOTES):
        place = folder / "older" if number >= NOTES - 2 else folder
        (place / f"note{number}.txt").write_text(f"Slept well on day {number}. Potassium 4.{number} mmol/L.", encoding="utf-8")
    return folder


@pytest.fixture
def other(home: Settings) -> Iterator[Services]:
    """The same home, opened once more."""
    with open_services(home) as opened:
        yield opened


@pytest.fixture
def plain(sample_home: Path, models: Path, tmp_path: Path) -> Iterator[Services]:
    """Another copy of the home, in which nobody interferes."""
    copy_home(sample_home, tmp_path / "plain")
    with open_services(Settings(home=tmp_path / "plain", models_path=models)) as opened:
        yield opened


def bring_in(services: Services, folder: Path) -> IngestSummary:
    return ingest(services, DocumentFiles([folder], services.settings, secret=services.secret, kind="note"))


def live(services: Services) -> dict[str, tuple[str, str | None]]:
    """State and hash of every document of the site that was not deleted."""
    with services.db.read() as tx:
        rows = [row for row in index_state.scan(tx) if row.source == Source.DOCUMENTS]
    return {str(row.document_id): (row.state.value, row.content_hash) for row in rows if row.state not in _GONE}


def expect_as_after_one_run(services: Services, plain: Services, folder: Path) -> None:
    """Run once more, with nobody else about, and compare with a home that saw the folder only as it is now."""
    quiet = bring_in(services, folder)
    assert (quiet.failed, quiet.complete) == (0, True)
    run_index(services)
    bring_in(plain, folder)
    run_index(plain)
    assert live(services) == live(plain)
    assert {state for state, _ in live(services).values()} == {"live"}
    assert snapshot(services) == snapshot(plain)
    assert run_reconcile(services).clean
    again = bring_in(services, folder)
    assert (again.new, again.changed, again.tombstoned, again.failed) == (0, 0, 0, 0)


def just_before(holder: Any, method: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Do something right before the first call of a method. Returns what says whether it was done."""
    original, pending = getattr(holder, method), [act]

    def interrupted(*arguments: Any, **named: Any) -> Any:
        if pending:
            pending.pop()()
        return original(*arguments, **named)

    monkeypatch.setattr(holder, method, interrupted)
    return lambda: not pending


@pytest.mark.parametrize("moment", ["while landing", "before taking", "before ending"])
def test_two_who_read_one_folder_at_once_take_each_file_once(
    moment: str, services: Services, other: Services, plain: Services, ward: Path, monkeypatch: pytest.MonkeyPatch
):
    places = {
        "while landing": (services.landing, "put"),
        "before taking": (ingest_job, "normalize_batch"),
        "before ending": (ingest_job, "complete"),
    }
    done = just_before(*places[moment], lambda: bring_in(other, ward), monkeypatch)
    bring_in(services, ward)
    assert done()
    assert len(live(services)) == NOTES + 1
    expect_as_after_one_run(services, plain, ward)


def test_two_threads_read_one_folder_at_once(home: Settings, services: Services, plain: Services, ward: Path):
    failures: list[BaseException] = []
    together = threading.Barrier(2)

    def run() -> None:
        try:
            with open_services(home) as opened:
                together.wait()
                bring_in(opened, ward)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(live(services)) == NOTES + 1
    expect_as_after_one_run(services, plain, ward)


@pytest.mark.parametrize("moment", ["upsert", "settle"])
def test_files_that_change_while_their_older_text_is_indexed_end_new(
    moment: str, services: Services, other: Services, plain: Services, ward: Path, monkeypatch: pytest.MonkeyPatch
):
    bring_in(services, ward)

    def change() -> None:
        (ward / "note0.txt").write_text("Potassium 5.9 mmol/L, and nothing else.", encoding="utf-8")
        (ward / "note1.txt").unlink()
        bring_in(other, ward)

    with services.index.session() as index:
        done = just_before(type(index), moment, change, monkeypatch)
    run_index(services)
    assert done()
    expect_as_after_one_run(services, plain, ward)


def test_a_file_that_goes_between_listing_and_reading_fails_and_is_deleted_by_the_next_run(
    services: Services, plain: Services, ward: Path, monkeypatch: pytest.MonkeyPatch
):
    bring_in(services, ward)
    done = just_before(LocalFolder, "read", lambda: (ward / "note2.txt").unlink(), monkeypatch)
    summary = bring_in(services, ward)
    assert done()
    assert ([one.category for one in summary.failures], summary.tombstoned) == (["unreadable_file"], 0)
    assert len(live(services)) == NOTES + 1
    expect_as_after_one_run(services, plain, ward)
    assert len(live(services)) == NOTES


def test_a_file_that_changes_between_listing_and_reading_is_taken_as_it_is_then(
    services: Services, plain: Services, ward: Path, monkeypatch: pytest.MonkeyPatch
):
    bring_in(services, ward)
    run_index(services)
    just_before(LocalFolder, "read", lambda: (ward / "note2.txt").write_text("Potassium 2.1 mmol/L at night."), monkeypatch)
    assert bring_in(services, ward).changed == 1
    expect_as_after_one_run(services, plain, ward)


@pytest.mark.parametrize("what", ["emptied", "moved", "older"])
def test_a_folder_that_goes_while_it_is_read_deletes_nothing(
    what: str, services: Services, plain: Services, ward: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A share that is unmounted or emptied in the middle looks so."""
    bring_in(services, ward)
    run_index(services)
    before = snapshot(services)
    away = tmp_path / "away"

    def go() -> None:
        if what == "emptied":
            shutil.copytree(ward, away)
            for one in list(ward.iterdir()):
                shutil.rmtree(one) if one.is_dir() else one.unlink()
        elif what == "moved":
            ward.rename(away)
        else:
            (ward / "older").rename(away)

    done = just_before(LocalFolder, "read", go, monkeypatch)
    summary = bring_in(services, ward)
    assert done()
    assert (summary.complete, summary.tombstoned) == (False, 0)
    assert summary.failed > 0
    run_index(services)
    assert len(live(services)) == NOTES + 1
    assert snapshot(services) == before
    if what == "emptied":
        assert bring_in(services, ward).tombstoned == 0  # nor does a quiet run over the empty folder
        ward.rmdir()
    away.rename(ward / "older" if what == "older" else ward)
    expect_as_after_one_run(services, plain, ward)
