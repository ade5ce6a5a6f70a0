"""The landing: every fetched payload, gzipped, under its SHA-256. What was fetched is never lost."""

from __future__ import annotations

import errno
import gzip
import os
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from fsspec.core import url_to_fs

from pipeline.domain.errors import ConfigurationError, StoreCorruptError, StoreUnavailableError
from pipeline.domain.identifiers import sha256_hex
from pipeline.storage.landing_keys import DamagedObjectError, LandingKeys
from pipeline.storage.private import keep_private

# Study records in JSON: level 6 makes them as small as 9 does within 1 %, in half the time.
_LEVEL: Final = 6
_REMEDY: Final = "check CLINDEX_LANDING_URL and its rights"
_SHA256: Final = re.compile(r"[0-9a-f]{64}\Z")


class FsspecLanding:
    """A folder or an object store, by fsspec URL (``file:///…``, ``memory://…``, ``s3://…``).

    A local folder is made 0700 and its files 0600; a file appears there whole or not at all. Object stores write whole objects
    by themselves. An object's path is ``ab/cd/<sha256>``, the hash of the plain bytes; ``zcat`` reads it where it is not encrypted.

    Args:
        url: Where; a local folder that others may read is put right at once.
        keys: What objects are encrypted with; none: they are plain.

    Raises:
        ConfigurationError: No such kind of store is known, or a package for it is missing.
        StoreUnavailableError: The store does not answer.
    """

    def __init__(self, url: str, *, keys: LandingKeys | None = None) -> None:
        self._keys = keys or LandingKeys()
        self._fs: Any
        self._fs, root = _opened(url)
        self._root: str = root.rstrip("/")
        self._is_local = "file" in _protocols(self._fs)
        if self._is_local:
            keep_private(Path(self._root), name="landing")

    def put(self, data: bytes) -> str:
        """Keep ``data`` (no-op where it is kept already) and return its sha256.

        Raises:
            StoreUnavailableError: The store does not take it (full, read-only, unreachable).
        """
        sha256 = sha256_hex(data)
        path = self._path(sha256)
        with translated_os_errors():
            if self._exists(path):
                return sha256
            self._write(path, data)
        return sha256

    def get(self, sha256: str) -> bytes:
        """Return the bytes.

        Raises:
            KeyError: Nothing is kept under this hash.
            StoreCorruptError: What is kept does not have this hash.
            StoreUnavailableError: The store does not answer, or is not there at all.
            ConfigurationError: It is encrypted with a key that is not given.
        """
        path = self._path(sha256)
        with translated_os_errors():
            try:
                packed = Path(path).read_bytes() if self._is_local else self._fs.cat_file(path)
            except FileNotFoundError:
                if not self._exists(self._root):  # not mounted: this concerns every object, not this one
                    raise StoreUnavailableError("the landing is not there", remedy=_REMEDY) from None
                raise KeyError(sha256) from None
        try:
            data = gzip.decompress(self._keys.open(packed))
        except (OSError, EOFError, zlib.error, DamagedObjectError):
            raise _corrupt(sha256) from None
        if sha256_hex(data) != sha256:
            raise _corrupt(sha256)
        return data

    def rewrite(self, sha256: str) -> bool:
        """Store an object as it would be stored now: under the newest key. Returns whether it was stored otherwise.

        Raises:
            KeyError: Nothing is kept under this hash.
            StoreCorruptError: What is kept does not have this hash.
            ConfigurationError: It is encrypted with a key that is not given.
        """
        path = self._path(sha256)
        data = self.get(sha256)
        with translated_os_errors():
            stored = Path(path).read_bytes() if self._is_local else self._fs.cat_file(path)
            if self._keys.is_current(stored):
                return False
            self._write(path, data)
        return True

    def hashes(self) -> Iterator[str]:
        """Yield the hashes of everything that is kept, in order."""
        with translated_os_errors():
            for path in sorted(self._fs.find(self._root)):
                name = path.rpartition("/")[2]
                if _SHA256.match(name):
                    yield name

    def objects(self) -> Iterator[tuple[str, int]]:
        """Yield the hash of everything that is kept, in order, with the bytes that it takes in the store."""
        with translated_os_errors():
            if self._is_local:
                yield from _local_objects(Path(self._root))
                return
            for path, found in sorted(self._fs.find(self._root, detail=True).items()):
                name = path.rpartition("/")[2]
                if _SHA256.match(name):
                    yield name, int(found.get("size") or 0)

    def _write(self, path: str, data: bytes) -> None:
        packed = self._keys.seal(gzip.compress(data, _LEVEL, mtime=0))
        if self._is_local:
            _write_local(Path(self._root), Path(path), packed)
        else:
            self._fs.pipe_file(path, packed)

    def contains(self, sha256: str) -> bool:
        """Whether bytes of this hash are kept."""
        with translated_os_errors():
            return self._exists(self._path(sha256))

    def delete(self, sha256: str) -> None:
        """Forget the bytes (no error where there are none)."""
        with translated_os_errors(), suppress(FileNotFoundError):
            self._fs.rm_file(self._path(sha256))

    def _exists(self, path: str) -> bool:
        return os.path.exists(path) if self._is_local else bool(self._fs.exists(path))

    def _path(self, sha256: str) -> str:
        if _SHA256.match(sha256) is None:
            raise ValueError("not a sha256 in lower-case hex")  # anything else could point outside the landing
        return f"{self._root}/{sha256[:2]}/{sha256[2:4]}/{sha256}"


def _opened(url: str) -> tuple[Any, str]:
    """Return the file system that a URL names, and the path in it. The URL may hold credentials: errors do not quote it."""
    try:
        fs, root = url_to_fs(url)
    except ImportError:
        raise ConfigurationError("the landing's store needs a package that is not installed", remedy=_REMEDY) from None
    except ValueError:
        raise ConfigurationError("the landing's URL is none that can be opened", remedy=_REMEDY) from None
    except Exception as error:  # noqa: BLE001 - every driver has errors of its own
        raise StoreUnavailableError(f"the landing cannot be opened ({type(error).__name__})", remedy=_REMEDY) from None
    return fs, root


def _local_objects(folder: Path) -> Iterator[tuple[str, int]]:
    """Walk a folder in order. fsspec leaves a folder out in which a file goes while it is listed: others write beside."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir():
            yield from _local_objects(Path(entry.path))
        elif _SHA256.match(entry.name):
            with suppress(FileNotFoundError):
                yield entry.name, entry.stat().st_size


def _write_local(root: Path, path: Path, packed: bytes) -> None:
    """Write beside the target and rename, so that a reader or a crash never meets half a file."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.parent.mkdir(mode=0o700, exist_ok=True)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # mkstemp makes it 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(packed)
            file.flush()
            os.fsync(file.fileno())  # the listing that names it is committed next and must not outlive it
        os.rename(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@contextmanager
def translated_os_errors() -> Iterator[None]:
    """Turn an operating system's error into ours; its own message names a path."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            failure = StoreUnavailableError("the landing's disk is full", remedy="free space, then run the same command again")
        else:
            code = errno.errorcode.get(error.errno or 0, "no code")
            failure = StoreUnavailableError(f"the landing cannot be used ({type(error).__name__}, {code})", remedy=_REMEDY)
        raise failure from None


def _corrupt(sha256: str) -> StoreCorruptError:
    return StoreCorruptError(f"the landing's object {sha256} does not have this hash", remedy="delete it and fetch the record again")


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)
