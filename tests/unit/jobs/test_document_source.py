"""Folders behind URLs vanish file by file under the guard; a listing that is cut short, or empty, deletes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.jobs.byte_batches import byte_ranges
from pipeline.jobs.ingest import fetch, ingest, normalize_batch
from pipeline.jobs.nightly import document_source
from pipeline.jobs.summaries import IngestSummary
from pipeline.wiring import Services, open_services

URL = "memory://store/ward"


@pytest.fixture
def store() -> Iterator[MemoryFileSystem]:
    """Twenty notes in two folders of a store of this process."""
    fs = fsspec.filesystem("memory")
    for number in range(20):
        fs.pipe_file(f"/store/ward/{number // 10}/{number:02}.txt", f"No fever on day {number}.".encode())
    yield fs
    fs.rm("/store", recursive=True)


def bring_in(services: Services) -> IngestSummary:
    return ingest(services, document_source(services, [URL], kind="note"))


def test_a_file_that_is_gone_from_a_store_is_tombstoned_and_comes_back(services: Services, store: MemoryFileSystem):
    assert (bring_in(services).new, bring_in(services).unchanged) == (20, 20)
    kept = store.cat_file("/store/ward/0/03.txt")
    store.rm_file("/store/ward/0/03.txt")
    gone = bring_in(services)
    assert (gone.complete, gone.tombstoned, gone.unchanged) == (True, 1, 19)
    store.pipe_file("/store/ward/0/03.txt", kept)
    assert (bring_in(services).changed, bring_in(services).tombstoned) == (1, 0)


def test_a_whole_folder_that_is_gone_waits_for_a_person(services: Services, store: MemoryFileSystem):
    bring_in(services)
    store.rm("/store/ward/1", recursive=True)
    strict = services.settings.model_copy(update={"min_documents_for_share": 0})
    with open_services(strict) as guarded, pytest.raises(GuardRefusedError):
        bring_in(guarded)
    assert bring_in(services).tombstoned == 10  # below the number from which a share means something


def test_a_listing_that_is_cut_short_deletes_nothing(services: Services, store: MemoryFileSystem, monkeypatch: pytest.MonkeyPatch):
    bring_in(services)
    store.rm_file("/store/ward/0/03.txt")
    whole = MemoryFileSystem.ls

    def cut(self, path, detail=True, **kwargs):
        if path.endswith("/1"):
            raise TimeoutError
        return whole(self, path, detail=detail, **kwargs)

    monkeypatch.setattr(MemoryFileSystem, "ls", cut)
    summary = bring_in(services)
    assert (summary.complete, summary.tombstoned, summary.failed) == (False, 0, 1)


def test_an_emptied_store_deletes_nothing(services: Services, store: MemoryFileSystem):
    bring_in(services)
    store.rm("/store/ward", recursive=True)
    with pytest.raises(UsageError):
        bring_in(services)
    store.makedirs("/store/ward")
    summary = bring_in(services)
    assert (summary.complete, summary.tombstoned) == (False, 0)


def test_a_file_whose_row_outlives_it_is_tombstoned_all_the_same(services: Services, store: MemoryFileSystem):
    rows = "".join(f"{number // 10}/{number:02}.txt,note\n" for number in range(20))
    store.pipe_file("/store/ward/manifest.csv", f"file,kind\n{rows}".encode())
    bring_in(services)
    store.rm_file("/store/ward/0/03.txt")
    summary = bring_in(services)
    assert (summary.complete, summary.tombstoned) == (True, 1)
    assert [(one.category, one.origin) for one in summary.failures] == [("bad_manifest", "path 1 manifest 1 row 5 (of no document)")]


def test_a_file_whose_row_cannot_be_used_any_more_stays_as_it_was(services: Services, store: MemoryFileSystem):
    bring_in(services)
    store.pipe_file("/store/ward/0/manifest.csv", b"file,kind\n03.txt,no kind\n")
    summary = bring_in(services)
    assert (summary.complete, summary.tombstoned, summary.failed) == (True, 0, 1)


def test_stretches_are_about_equal_in_bytes_and_hold_every_changed_file(services: Services, store: MemoryFileSystem):
    store.pipe_file("/store/ward/0/large.txt", b"No rash. " * 100_000)
    fetched = fetch(services, document_source(services, [URL], kind="note"))
    ranges = byte_ranges(services, fetched.crawl_id, max_bytes=200_000, max_batches=1000)
    assert 3 <= len(ranges) <= 6
    assert sum(normalize_batch(services, fetched, one)["new"] for one in ranges) == 21


def test_the_settings_name_the_folders_where_nobody_does(services: Services, store: MemoryFileSystem):
    with pytest.raises(UsageError, match="CLINDEX_DOCUMENTS_PATHS"):
        document_source(services)
    with open_services(services.settings.model_copy(update={"documents_paths": (URL,)})) as told:
        assert len([record for page in document_source(told).pages() for record in page.records]) == 20


def test_the_source_says_which_readers_will_read(services: Services, store: MemoryFileSystem):
    (page,) = document_source(services, [URL]).pages()
    assert {json.loads(record.data)["reader"] for record in page.records} != {""}
