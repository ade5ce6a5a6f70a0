"""Folders behind URLs are listed like folders of a disk; nothing that a driver says is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from fsspec.registry import known_implementations

from pipeline.domain.errors import SourceRefusedError, SourceUnavailableError, UsageError
from pipeline.domain.ports import FetchedRecord
from pipeline.domain.site_files import LandedFile
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles

SECRET = b"a secret of sixteen or more"
NAME = "QUARTERMAIN_ZEBULON"
PASSWORD = "hunter2hunter2"


class FrailFileSystem(MemoryFileSystem):
    """A store of this process that fails as real ones do: with words of its own."""

    protocol = "frail"
    store: ClassVar[dict] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    broken_folders: ClassVar[set[str]] = set()
    error: Exception | None = None

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.replace("frail://", "memory://", 1))

    def ls(self, path, detail=True, **kwargs):
        if self._strip_protocol(path) in self.broken_folders:
            raise RuntimeError(f"the host said no to {path} with {PASSWORD}")
        return super().ls(path, detail=detail, **kwargs)

    def _open(self, path, *args, **kwargs):
        if self.error is not None:
            raise self.error
        return super()._open(path, *args, **kwargs)

    def info(self, path, **kwargs):
        if isinstance(self.error, ConnectionError | PermissionError):
            raise self.error
        return super().info(path, **kwargs)


fsspec.register_implementation("frail", FrailFileSystem, clobber=True)


@pytest.fixture(params=["memory", "frail"])
def url(request):
    fs = fsspec.filesystem(request.param)
    fs.pipe_file("/store/ward/first.txt", b"No fever.")
    fs.pipe_file("/store/ward/2031/second.md", b"No rash.")
    fs.pipe_file("/store/ward/2031/second.meta.json", b'{"kind": "note"}')
    fs.pipe_file("/store/ward/.hidden/third.txt", b"x")
    fs.pipe_file("/store/ward/.fourth.txt", b"x")
    yield f"{request.param}://store/ward"
    fs.rm("/store", recursive=True)


@pytest.fixture
def frail():
    fs = fsspec.filesystem("frail")
    for number in range(9):
        fs.pipe_file(f"/store/ward/{number}.txt", b"No fever.")
    fs.pipe_file("/store/ward/inner/x.txt", b"No rash.")
    yield FrailFileSystem
    FrailFileSystem.broken_folders, FrailFileSystem.error = set(), None
    fs.rm("/store", recursive=True)


def source_of(*paths: str | Path, **settings) -> DocumentFiles:
    return DocumentFiles(list(paths), Settings(**settings), secret=SECRET)


def records(*paths: str | Path, **settings) -> list[FetchedRecord]:
    return [record for page in source_of(*paths, **settings).pages() for record in page.records]


def on_disk(tmp_path: Path) -> Path:
    folder = tmp_path / "ward"
    (folder / "2031").mkdir(parents=True)
    (folder / "first.txt").write_bytes(b"No fever.")
    (folder / "2031" / "second.md").write_bytes(b"No rash.")
    (folder / "2031" / "second.meta.json").write_bytes(b'{"kind": "note"}')
    return folder


def test_a_url_gives_the_same_records_as_a_folder_of_the_same_name(url: str, tmp_path: Path):
    here = {record.source_key: (record.data, record.attachments) for record in records(on_disk(tmp_path))}
    assert {record.source_key: (record.data, record.attachments) for record in records(url)} == here
    assert {record.source_key: (record.data, record.attachments) for record in records(url + "/")} == here


def test_a_file_url_is_a_path(tmp_path: Path):
    folder = on_disk(tmp_path)
    assert records(f"file://{folder}") == records(folder)
    with pytest.raises(UsageError):
        source_of(f"file://{folder}/2031", folder)


def test_one_file_behind_a_url_has_its_key_and_its_sidecar_and_proves_no_absence(url: str):
    whole = {record.source_key: record.data for record in records(url)}
    alone = source_of(f"{url}/2031/second.md")
    assert not alone.can_prove_absence
    (record,) = [record for page in alone.pages() for record in page.records]
    assert record.attachments == (b"No rash.", b'{"kind": "note"}')
    folder_alone = {one.source_key for one in records(f"{url}/2031")}
    assert {record.source_key} == folder_alone
    assert record.source_key not in whole  # its folder's own name is part of the key


def test_a_file_beyond_the_limit_is_a_failure(url: str):
    fsspec.open(f"{url}/long.txt", "wb").open().close()
    with fsspec.open(f"{url}/long.txt", "wb") as file:
        file.write(b"x" * 2001)
    assert [record.failure for record in records(url, max_file_bytes=2000) if record.failure] == ["too_large"]


def test_a_manifest_is_read_behind_a_url_too(url: str):
    with fsspec.open(f"{url}/manifest.csv", "wb") as file:
        file.write(b"file,kind\nfirst.txt,paper\n")
    (first,) = [record for record in records(url) if b"No fever." in record.attachments]
    assert json.loads(first.attachments[1]) == {"kind": "paper"}
    assert LandedFile.of(json.loads(first.data)).size == len(b"No fever.")


def test_a_folder_that_cannot_be_listed_makes_the_listing_incomplete_and_the_others_go_on(frail):
    frail.broken_folders = {"/store/ward/inner"}
    found = records("frail://store/ward")
    assert [(record.failure, record.source_key) for record in found if record.failure] == [("unreadable_file", None)]
    assert len(found) == 10
    assert PASSWORD not in repr(found)


def test_an_emptied_folder_fails_without_a_key_so_that_nothing_is_taken_as_deleted(frail):
    fsspec.filesystem("frail").makedirs("/store/empty")
    (only,) = records("frail://store/empty")
    assert (only.failure, only.source_key) == ("unreadable_file", None)


def test_a_file_that_is_refused_fails_by_name(frail):
    source = source_of("frail://store/ward")
    frail.error = FileNotFoundError(f"{NAME} {PASSWORD}")
    found = [record for page in source.pages() for record in page.records]
    assert {record.failure for record in found} == {"unreadable_file"}
    assert all(record.source_key for record in found)
    assert NAME not in repr(found)


def test_a_store_that_goes_away_ends_the_listing(frail):
    source = source_of("frail://store/ward")
    frail.error = RuntimeError(f"{NAME} {PASSWORD}")
    with pytest.raises(SourceUnavailableError) as away:
        list(source.pages())
    assert NAME not in str(away.value)
    assert away.value.__suppress_context__


@pytest.mark.parametrize(
    ("error", "expected"),
    [(ConnectionError(PASSWORD), SourceUnavailableError), (PermissionError(PASSWORD), SourceRefusedError)],
)
def test_a_store_that_does_not_open_is_told_by_its_place_and_without_its_words(frail, error: Exception, expected: type[Exception]):
    frail.error = error
    with pytest.raises(expected) as refused:
        source_of("frail://store/ward")
    assert PASSWORD not in str(refused.value)
    assert "ward" not in str(refused.value)
    assert "path 1" in str(refused.value)


@pytest.mark.parametrize("given", [f"memory://gone/{NAME}", f"file:///gone/{NAME}", f"nosuch://user:{PASSWORD}@host/{NAME}"])
def test_what_is_not_there_or_no_url_is_refused_by_its_place_alone(given: str):
    with pytest.raises(UsageError) as refused:
        source_of(given)
    assert NAME not in str(refused.value)
    assert PASSWORD not in str(refused.value)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch):
    known = {"class": "nosuchpackage.Store", "err": "Install nosuchpackage"}
    monkeypatch.setitem(known_implementations, "lacking", known)
    with pytest.raises(UsageError) as refused:
        source_of(f"lacking://user:{PASSWORD}@host/{NAME}")
    assert "nosuchpackage" in str(refused.value)
    assert "fsspec[lacking]" in str(refused.value)
    assert PASSWORD not in str(refused.value)
    assert NAME not in str(refused.value)


def test_urls_that_lie_in_one_another_or_share_a_name_are_refused(url: str, tmp_path: Path):
    for paths in ([url, f"{url}/2031"], [f"{url}/2031", url], [url, on_disk(tmp_path)]):
        with pytest.raises(UsageError):
            source_of(*paths)
    assert len(records(url, url)) == len(records(url)) == 2


def test_no_url_stands_in_scope_or_representations(url: str):
    source = source_of(url)
    shown = repr(list(source.pages())) + repr(source) + source.scope + repr(source.roots)
    assert "ward" not in shown
    assert "store" not in shown
