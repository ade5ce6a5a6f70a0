"""Files of a site are listed by keyed hash; no name of a file or folder leaves the listing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pipeline.domain.errors import UsageError
from pipeline.domain.ports import FetchedRecord
from pipeline.domain.site_files import LandedFile
from pipeline.settings import Settings
from pipeline.stages.sources.documents import DocumentFiles, sidecar_of

SECRET = b"a secret of sixteen or more"
NAME = "QUARTERMAIN_ZEBULON"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "ward"
    (made / "2031").mkdir(parents=True)
    (made / f"{NAME}.txt").write_text("No fever.", encoding="utf-8")
    (made / "2031" / "second.md").write_text("No rash.", encoding="utf-8")
    return made


def source_of(*paths: Path, secret: bytes = SECRET, **options: str) -> DocumentFiles:
    return DocumentFiles(list(paths), Settings(max_file_bytes=2000), secret=secret, **options)


def records(*paths: Path, **options) -> list[FetchedRecord]:
    return [record for page in source_of(*paths, **options).pages() for record in page.records]


def keys(*paths: Path, **options) -> set[str | None]:
    return {record.source_key for record in records(*paths, **options)}


def manifest(record: FetchedRecord) -> LandedFile:
    return LandedFile.of(json.loads(record.data))


def test_a_file_lands_as_its_bytes_and_a_manifest_that_names_them(folder: Path):
    first = records(folder)[1]
    assert first.attachments == (b"No fever.",) or first.attachments == (b"No rash.",)
    landed = manifest(first)
    assert (landed.media_type, landed.sidecar, landed.source_key) in {
        ("text/plain", None, first.source_key),
        ("text/markdown", None, first.source_key),
    }


def test_no_name_stands_in_keys_origins_scope_or_representations(folder: Path):
    (folder / f"{NAME}.pdf").write_bytes(b"%PDF")
    source = source_of(folder)
    shown = repr(list(source.pages())) + repr(source) + source.scope + source.base_scope + repr(source.roots)
    assert NAME not in shown
    assert "ward" not in shown
    assert "second" not in shown


def test_a_key_stays_where_the_folder_is_mounted_elsewhere(folder: Path, tmp_path: Path):
    before = keys(folder)
    folder.rename(tmp_path / "moved")
    (tmp_path / "other").mkdir()
    (tmp_path / "moved").rename(tmp_path / "other" / "ward")
    assert keys(tmp_path / "other" / "ward") == before


def test_a_key_depends_on_the_secret(folder: Path):
    assert keys(folder).isdisjoint(keys(folder, secret=b"another secret of the site"))


def test_files_of_one_name_in_two_folders_are_two_documents(folder: Path, tmp_path: Path):
    other = tmp_path / "clinic"
    other.mkdir()
    (other / f"{NAME}.txt").write_text("Other.", encoding="utf-8")
    assert len(keys(folder, other)) == 3


def test_a_file_alone_has_the_key_that_it_has_in_its_folder_and_proves_no_absence(folder: Path):
    alone = source_of(folder / f"{NAME}.txt")
    assert keys(folder / f"{NAME}.txt") < keys(folder)
    assert (alone.can_prove_absence, alone.roots, alone.scope) == (False, (), "files")
    assert source_of(folder).can_prove_absence


@pytest.mark.parametrize("name", ["sheet.xlsx", "photo.gif", "note.doc", "note", "note.txt.gz"])
def test_another_format_is_a_failure_under_its_key_and_the_others_go_on(folder: Path, name: str):
    (folder / name).write_bytes(b"%PDF")
    found = {record.failure for record in records(folder)}
    assert found == {None, "unsupported_format"}
    assert all(record.source_key for record in records(folder))


def test_a_sidecar_changes_the_manifest_and_not_the_key(folder: Path):
    before = {record.source_key: record.data for record in records(folder)}
    (folder / f"{NAME}.txt.meta.json").write_text('{"kind": "note"}', encoding="utf-8")
    after = {record.source_key: record.data for record in records(folder)}
    assert before.keys() == after.keys()
    assert sum(before[key] != after[key] for key in before) == 1


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a.txt", "a.txt.meta.json"], "a.txt.meta.json"),
        (["a.txt", "a.meta.json"], "a.meta.json"),
        (["a.txt", "a.meta.json", "a.txt.meta.json"], "a.txt.meta.json"),
        (["a.txt", "b.meta.json"], None),
        (["a.txt", "A.meta.json"], None),
    ],
)
def test_a_sidecar_is_found_by_whole_name_then_by_stem(names: list[str], expected: str | None):
    assert sidecar_of("a.txt", names) == expected


def test_a_sidecar_of_no_document_is_a_failure(folder: Path):
    (folder / "gone.txt.meta.json").write_text("{}", encoding="utf-8")
    assert [record.failure for record in records(folder) if record.failure] == ["bad_sidecar"]


def test_a_folder_without_documents_fails_without_a_key_so_that_nothing_is_taken_as_deleted(tmp_path: Path):
    (tmp_path / "unmounted").mkdir()
    (only,) = records(tmp_path / "unmounted")
    assert (only.failure, only.source_key) == ("unreadable_file", None)


def test_a_pipe_in_a_folder_is_a_failure_and_does_not_hang(folder: Path):
    os.mkfifo(folder / "pipe.txt")
    assert [record.failure for record in records(folder) if record.failure] == ["unreadable_file"]


def test_a_file_beyond_the_limit_is_a_failure(folder: Path):
    (folder / "long.txt").write_bytes(b"x" * 2001)
    assert [record.failure for record in records(folder) if record.failure] == ["too_large"]


def test_hidden_files_and_folders_are_left_out(folder: Path):
    before = keys(folder)
    (folder / ".hidden.txt").write_text("x", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.txt").write_text("x", encoding="utf-8")
    assert keys(folder) == before


def test_a_path_named_twice_is_read_once(folder: Path):
    assert len(records(folder, folder)) == len(records(folder)) == 2


def test_paths_that_cannot_be_used_are_refused_by_their_place_alone(folder: Path, tmp_path: Path):
    twin = tmp_path / "twin" / "ward"
    twin.mkdir(parents=True)
    for paths in ([tmp_path / NAME], [folder, folder / "2031"], [folder / "2031", folder], [folder, twin], []):
        with pytest.raises(UsageError) as refused:
            source_of(*paths)
        assert NAME not in str(refused.value)
        assert "ward" not in str(refused.value)


@pytest.mark.parametrize("options", [{"kind": "trial"}, {"kind": NAME}, {"access": NAME}])
def test_a_kind_or_label_that_is_none_of_ours_is_refused_and_not_quoted(folder: Path, options: dict[str, str]):
    with pytest.raises(UsageError) as refused:
        source_of(folder, **options)
    assert NAME not in str(refused.value)


def test_a_manifest_of_another_version_is_refused():
    with pytest.raises(ValueError, match="another version"):
        LandedFile.of({"version": 99})


def test_a_manifest_of_version_1_is_still_read():
    old = {"version": 1, "source_key": "k", "root": "r", "path": "p", "media_type": "text/plain", "content": "c", "sidecar": None}
    landed = LandedFile.of({**old, "kind": None, "access": None})
    assert (landed.source_key, landed.reader, landed.size) == ("k", "", 0)


def test_a_raised_version_of_the_readers_changes_every_file_and_no_key(folder: Path):
    before, again, after = ({one.source_key: one.data for one in records(folder, reader_version=version)} for version in ("1", "1", "2"))
    assert before == again
    assert before.keys() == after.keys()
    assert not set(before.values()) & set(after.values())


def test_a_landed_file_says_how_large_it_is(folder: Path):
    assert {manifest(record).size for record in records(folder)} == {len(b"No fever."), len(b"No rash.")}


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.PDF", "application/pdf"),
        ("a.tif", "image/tiff"),
        ("a.TIFF", "image/tiff"),
        ("a.jpeg", "image/jpeg"),
        ("a.png", "image/png"),
        ("a.htm", "text/html"),
        ("a.rtf", "application/rtf"),
    ],
)
def test_formats_are_told_by_the_end_of_the_name_in_any_case(tmp_path: Path, name: str, media_type: str):
    made = tmp_path / "ward"
    made.mkdir()
    (made / name).write_bytes(b"x")
    assert [manifest(record).media_type for record in records(made)] == [media_type]


def test_a_link_to_a_folder_is_not_followed(folder: Path):
    before = keys(folder)
    (folder / "2031" / "circle").symlink_to(folder, target_is_directory=True)
    assert keys(folder) == before
