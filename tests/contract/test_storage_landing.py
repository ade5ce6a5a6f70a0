"""What every landing must do (``pipeline.domain.ports.Landing``), on a folder and in memory."""

from __future__ import annotations

import errno
import gzip
import os
import stat
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from pipeline.domain.errors import ConfigurationError, StoreCorruptError, StoreUnavailableError
from pipeline.domain.identifiers import sha256_hex
from pipeline.domain.ports import Landing
from pipeline.storage.landing import FsspecLanding, translated_os_errors

DATA = "invented record ≥ 1".encode() * 50


@pytest.fixture(params=["file", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "file":
        yield f"file://{tmp_path / 'a b' / 'landing'}"
        return
    url = f"memory://landing-{uuid.uuid4().hex}"
    yield url
    fs, root = fsspec.core.url_to_fs(url)
    if fs.exists(root):
        fs.rm(root, recursive=True)


@pytest.fixture
def landing(url: str) -> Landing:
    return FsspecLanding(url)


def _overwrite(url: str, sha256: str, data: bytes) -> None:
    fs, root = fsspec.core.url_to_fs(url)
    fs.pipe_file(f"{root}/{sha256[:2]}/{sha256[2:4]}/{sha256}", data)


@pytest.mark.parametrize("data", [DATA, b"", b"\x00\xff" * 10])
def test_what_was_put_comes_back_under_its_hash(landing: Landing, data: bytes) -> None:
    assert not landing.contains(sha256_hex(data))
    assert landing.put(data) == sha256_hex(data)
    assert landing.contains(sha256_hex(data))
    assert landing.get(sha256_hex(data)) == data


def test_another_process_or_object_finds_it_too(url: str, landing: Landing) -> None:
    assert FsspecLanding(url).get(landing.put(DATA)) == DATA


def test_what_was_never_put_is_a_key_error(landing: Landing) -> None:
    landing.put(DATA)
    with pytest.raises(KeyError):
        landing.get(sha256_hex(b"never"))


def test_a_landing_that_is_not_there_is_away_and_its_objects_are_not_lost(landing: Landing) -> None:
    with pytest.raises(StoreUnavailableError, match="not there") as failure:
        landing.get(sha256_hex(DATA))
    assert "CLINDEX_LANDING_URL" in str(failure.value)


@pytest.mark.parametrize("url", ["nosuch://user:hunter2@store/x", "s3::nosuch://hunter2"])
def test_a_url_of_no_known_store_is_a_wrong_setting_and_not_quoted(url: str) -> None:
    with pytest.raises(ConfigurationError, match="CLINDEX_LANDING_URL") as failure:
        FsspecLanding(url)
    assert "hunter2" not in str(failure.value)


def test_deleting_forgets_and_deleting_again_is_no_error(landing: Landing) -> None:
    sha256 = landing.put(DATA)
    other = landing.put(b"other")
    landing.delete(sha256)
    landing.delete(sha256)
    assert not landing.contains(sha256)
    assert landing.contains(other)
    landing.put(DATA)
    assert landing.get(sha256) == DATA


@pytest.mark.parametrize(
    "rubbish",
    [
        b"",
        b"no gzip",
        gzip.compress(b"something else", mtime=0),
        gzip.compress(DATA, mtime=0)[:-9],
        gzip.compress(DATA, mtime=0)[:20] + b"\xff" * 40,
    ],
    ids=["empty", "not gzip", "other content", "truncated", "garbled"],
)
def test_what_does_not_have_its_hash_is_reported_and_never_returned(url: str, landing: Landing, rubbish: bytes) -> None:
    sha256 = landing.put(DATA)
    _overwrite(url, sha256, rubbish)
    with pytest.raises(StoreCorruptError) as failure:
        landing.get(sha256)
    assert "invented" not in str(failure.value)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 65, "a" * 63 + "\n"])
def test_a_name_that_is_no_hash_never_becomes_a_path(landing: Landing, name: str) -> None:
    for call in (landing.get, landing.contains, landing.delete):
        with pytest.raises(ValueError):
            call(name)


def test_a_second_put_writes_nothing(tmp_path: Path) -> None:
    landing = FsspecLanding(f"file://{tmp_path}")
    path = _path(tmp_path, landing.put(DATA))
    before = path.stat()
    landing.put(DATA)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_folders_and_files_are_their_owners_only_and_objects_are_compressed(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        sha256 = FsspecLanding(f"file://{tmp_path / 'landing'}").put(DATA)
    finally:
        os.umask(old)
    path = _path(tmp_path / "landing", sha256)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent, path.parent.parent.parent)} == {0o700}
    assert gzip.decompress(path.read_bytes()) == DATA
    assert path.stat().st_size < len(DATA)


def test_a_writer_killed_before_the_rename_leaves_nothing_that_counts(tmp_path: Path) -> None:
    code = (
        "import os, sys, signal\n"
        "from pipeline.storage import landing\n"
        "landing.os.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"landing.FsspecLanding('file://{tmp_path}').put(sys.stdin.buffer.read())"
    )
    killed = subprocess.run([sys.executable, "-c", code], input=DATA)
    assert killed.returncode == -9
    landing = FsspecLanding(f"file://{tmp_path}")
    assert not landing.contains(sha256_hex(DATA))
    assert landing.get(landing.put(DATA)) == DATA


def test_a_write_that_is_cut_short_is_a_clear_passing_fault_and_leaves_no_rest(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys, os\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))\n"
        "from pipeline.domain.errors import StoreUnavailableError\n"
        "from pipeline.storage.landing import FsspecLanding\n"
        "try:\n"
        "    FsspecLanding(sys.argv[1]).put(os.urandom(100_000))\n"
        "except StoreUnavailableError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, f"file://{tmp_path}"], capture_output=True, text=True, check=True)
    assert "EFBIG" in done.stdout
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_full_disk_says_to_free_space_and_names_no_path(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="disk is full") as failure, translated_os_errors():
        raise OSError(errno.ENOSPC, "No space left on device", "/invented/name")
    assert "invented" not in str(failure.value)


def test_a_place_that_cannot_be_written_is_a_clear_passing_fault(tmp_path: Path) -> None:
    (tmp_path / "landing").write_text("a file where the folder should be")
    with pytest.raises(StoreUnavailableError):
        FsspecLanding(f"file://{tmp_path / 'landing'}").put(DATA)


def _path(root: Path, sha256: str) -> Path:
    return root / sha256[:2] / sha256[2:4] / sha256
