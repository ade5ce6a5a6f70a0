"""A folder of a site, on a disk or behind any fsspec URL: names folder by folder, and bytes of a file. Shows no name and no URL.

What a driver raises is told by its class alone: its text may hold paths, hosts and credentials.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol
from urllib.parse import urlsplit

from fsspec.core import url_to_fs
from fsspec.registry import known_implementations

from pipeline.domain.errors import RecordError, SourceRefusedError, SourceUnavailableError, UsageError
from pipeline.domain.vocabulary import FailureCategory

_CHUNK: Final = 8 * 1024 * 1024
#: Files in a row that a store failed to hand over for reasons of its own: then it is away, and the rest need not be tried.
_FAILURES_IN_A_ROW: Final = 5


@dataclass(frozen=True, slots=True)
class Level:
    """One folder below the root, with the names of the files in it."""

    folder: str = field(repr=False)  # relative to the root, parts joined by "/"; empty: the root itself
    names: tuple[str, ...] = field(default=(), repr=False)  # visible files, sorted
    hidden: int = 0
    links: int = 0  # to folders, which are not followed: they may lead round in a circle
    is_readable: bool = True


class Folder(Protocol):
    """What a source asks of a folder."""

    @property
    def name(self) -> str:
        """The folder's own name, which is a part of keys."""
        ...

    def walk(self) -> Iterator[Level]:
        """Yield the root and every visible folder below it, an outer one before its inner ones, in order of names."""
        ...

    def names_in(self, folder: str) -> frozenset[str]:
        """Return the names in one folder; none where it may be entered and not listed."""
        ...

    def open(self, path: str) -> BinaryIO:
        """Open a regular file, to be read piece by piece. What fails later is an ``OSError`` or a driver's own.

        Raises:
            RecordError: ``unreadable_file``.
        """
        ...

    def read(self, path: str, max_bytes: int) -> bytes:
        """Return a regular file's bytes.

        Raises:
            RecordError: ``unreadable_file``, or ``too_large``.
            SourceUnavailableError: Its store does not answer any more.
        """
        ...


class LocalFolder:
    """A folder of this machine, or of a share that is mounted on it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = path.name

    def walk(self) -> Iterator[Level]:
        """See ``Folder``."""
        unreadable: list[OSError] = []
        for here, folders, names in os.walk(self._path, onerror=unreadable.append):
            hidden = sum(name.startswith(".") for name in (*folders, *names))
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            links = sum(os.path.islink(os.path.join(here, name)) for name in folders)
            relative = Path(here).relative_to(self._path).as_posix()
            visible = tuple(sorted(name for name in names if not name.startswith(".")))
            yield Level("" if relative == "." else relative, visible, hidden, links)
        for _ in unreadable:
            yield Level("", is_readable=False)

    def names_in(self, folder: str) -> frozenset[str]:
        """See ``Folder``."""
        try:
            return frozenset(os.listdir(self._path / folder))
        except OSError:
            return frozenset()

    def open(self, path: str) -> BinaryIO:
        """See ``Folder``."""
        try:
            if not stat.S_ISREG((self._path / path).stat().st_mode):
                raise RecordError(FailureCategory.UNREADABLE_FILE, "no regular file")
            return (self._path / path).open("rb")
        except OSError:
            raise RecordError(FailureCategory.UNREADABLE_FILE, "cannot be read") from None

    def read(self, path: str, max_bytes: int) -> bytes:
        """See ``Folder``. A pipe would never end."""
        file_path = self._path / path
        try:
            if not stat.S_ISREG(file_path.stat().st_mode):
                raise RecordError(FailureCategory.UNREADABLE_FILE, "no regular file")
            with file_path.open("rb") as file:
                data = file.read(max_bytes + 1)
        except OSError:
            raise RecordError(FailureCategory.UNREADABLE_FILE, "cannot be read") from None
        if len(data) > max_bytes:
            raise RecordError(FailureCategory.TOO_LARGE, "too large")
        return data


class RemoteFolder:
    """A folder behind an fsspec file system. ``root`` is its path in that file system."""

    def __init__(self, fs: Any, root: str) -> None:
        self._fs = fs
        self._root = root.rstrip("/")
        self.name = posixpath.basename(self._root)
        self._failures = 0

    def walk(self) -> Iterator[Level]:
        """See ``Folder``. A folder that cannot be listed is said to be so, and the others go on."""
        self._fs.invalidate_cache()
        todo = [""]
        while todo:
            folder = todo.pop()
            try:
                folders, names = self._list(folder)
            except Exception:  # noqa: BLE001 - every driver has errors of its own
                yield Level(folder, is_readable=False)
                continue
            hidden = sum(name.startswith(".") for name in (*folders, *names))
            yield Level(folder, tuple(sorted(name for name in names if not name.startswith("."))), hidden)
            todo += sorted((posixpath.join(folder, name) for name in folders if not name.startswith(".")), reverse=True)

    def names_in(self, folder: str) -> frozenset[str]:
        """See ``Folder``."""
        try:
            folders, names = self._list(folder)
        except Exception:  # noqa: BLE001 - see ``walk``
            return frozenset()
        return frozenset((*folders, *names))

    def open(self, path: str) -> BinaryIO:
        """See ``Folder``."""
        try:
            opened: BinaryIO = self._fs.open(f"{self._root}/{path}", "rb")
        except Exception:  # noqa: BLE001 - see ``walk``
            raise RecordError(FailureCategory.UNREADABLE_FILE, "cannot be read") from None
        return opened

    def read(self, path: str, max_bytes: int) -> bytes:
        """See ``Folder``."""
        data = bytearray()
        try:
            with self._fs.open(f"{self._root}/{path}", "rb") as file:
                while len(data) <= max_bytes and (chunk := file.read(min(_CHUNK, max_bytes + 1 - len(data)))):
                    data += chunk
        except (FileNotFoundError, IsADirectoryError, PermissionError):  # of this file alone
            raise RecordError(FailureCategory.UNREADABLE_FILE, "cannot be read") from None
        except Exception as error:  # noqa: BLE001 - see ``walk``
            self._failures += 1
            if self._failures >= _FAILURES_IN_A_ROW:
                raise SourceUnavailableError(f"a store failed {self._failures} files in a row ({type(error).__name__})") from None
            raise RecordError(FailureCategory.UNREADABLE_FILE, "cannot be read") from None
        self._failures = 0
        if len(data) > max_bytes:
            raise RecordError(FailureCategory.TOO_LARGE, "too large")
        return bytes(data)

    def _list(self, folder: str) -> tuple[list[str], list[str]]:
        """Return names of folders and of files in one folder."""
        here = f"{self._root}/{folder}" if folder else self._root
        folders: list[str] = []
        names: list[str] = []
        for entry in self._fs.ls(here, detail=True):
            path = str(entry["name"]).rstrip("/")
            if path.strip("/") == here.strip("/"):
                continue  # object stores keep an empty object in the place of a folder
            (folders if entry["type"] == "directory" else names).append(posixpath.basename(path))
        return folders, names


@dataclass(frozen=True, slots=True)
class Opened:
    """A path or URL that was found."""

    folder: Folder = field(repr=False)
    place: str = field(repr=False)  # where the folder or file is, in one form for each place: tells two paths apart
    only: str | None = field(default=None, repr=False)  # name of the one file that was meant


def open_place(given: str | Path, number: int) -> Opened:
    """Return the folder, or the file in its folder, that a path or fsspec URL names.

    Args:
        given: A path, or a URL with a protocol.
        number: Its place on the command line: what errors call it by.

    Raises:
        UsageError: There is nothing there, or a package for its protocol is missing.
        SourceRefusedError, SourceUnavailableError: Its store refuses us, or does not answer.
    """
    if not isinstance(given, str) or "://" not in given:
        return _local(Path(given), number)
    protocol = urlsplit(given).scheme.split("::")[0]
    try:
        fs, root = url_to_fs(given)
        is_local = "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)
        is_folder = not is_local and fs.info(root)["type"] == "directory"
    except ImportError:
        raise UsageError(f"path {number} needs a package that is not installed", remedy=_package(protocol)) from None
    except FileNotFoundError:
        raise UsageError(f"there is no file or folder at path {number}") from None
    except ValueError:  # it quotes the URL
        raise UsageError(f"path {number} is no URL that can be opened", remedy="Write it as fsspec does: s3://bucket/folder.") from None
    except PermissionError:
        raise SourceRefusedError(f"the store of path {number} refuses access") from None
    except Exception as error:  # noqa: BLE001 - every driver has errors of its own
        raise SourceUnavailableError(f"the store of path {number} cannot be reached ({type(error).__name__})") from None
    if is_local:
        return _local(Path(root), number)
    place = f"{hash(fs)}:{root.rstrip('/')}"  # an instance's hash stands for its host and user
    if is_folder:
        return Opened(RemoteFolder(fs, root), place)
    return Opened(RemoteFolder(fs, posixpath.dirname(root)), place, posixpath.basename(root))


def _local(path: Path, number: int) -> Opened:
    path = Path(os.path.normpath(path.absolute()))
    if not path.exists():  # a path may name a person: it is told by its place on the command line
        raise UsageError(f"there is no file or folder at path {number}")
    if path.is_dir():
        return Opened(LocalFolder(path), str(path))
    return Opened(LocalFolder(path.parent), str(path), path.name)


def _package(protocol: str) -> str:
    """Say what to install: fsspec's own words, which name the package, and its extra."""
    known = known_implementations.get(protocol, {}).get("err", "See fsspec's documentation")
    return f"{known} (pip install 'fsspec[{protocol}]')."
