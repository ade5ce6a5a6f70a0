"""Documents of a site from folders: a ``RecordSource`` that lists files with their sidecars and shows no file's name.

A file is known by the keyed hash of its folder's name and its path in that folder, so that a folder may be mounted elsewhere and two
folders with a ``note1.txt`` each keep both. It lands as its own bytes, its sidecar's bytes, and a manifest that names both.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pipeline.domain.errors import RecordError, UsageError
from pipeline.domain.identifiers import keyed_hash, sha256_hex
from pipeline.domain.ports import FetchedPage, FetchedRecord, SourceVersion
from pipeline.domain.site_files import MEDIA_TYPES, LandedFile
from pipeline.domain.vocabulary import FILE_KINDS, FailureCategory, Source
from pipeline.observability import log_event
from pipeline.settings import Settings

SIDECAR: Final = ".meta.json"
#: A sidecar is a page of facts; what is larger is none.
_SIDECAR_BYTES: Final = 1024 * 1024
_PAGE_RECORDS: Final = 200
_PAGE_BYTES: Final = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Root:
    """One folder to list, or the folder of one file."""

    number: int  # of the path on the command line, from 1
    folder: Path = field(repr=False)
    name: str = field(repr=False)
    fingerprint: str
    only: Path | None = field(default=None, repr=False)  # the one file that was named


class DocumentFiles:
    """Files of a site: folders (recursively, hidden files apart) and single files.

    Args:
        paths: Folders and files.
        settings: ``max_record_bytes`` and ``access_labels`` are used.
        secret: The site's, which keys are made with.
        kind: Of every document whose sidecar names none.
        access: Of every document whose sidecar names none.

    Raises:
        UsageError: No path was given, one does not exist or lies in another, or kind or label cannot be used.
    """

    def __init__(
        self, paths: Sequence[str | Path], settings: Settings, *, secret: bytes, kind: str | None = None, access: str | None = None
    ) -> None:
        if kind is not None and kind not in FILE_KINDS:
            raise UsageError("no such kind of document", remedy=f"Known: {', '.join(FILE_KINDS)}.")
        if access is not None and access not in settings.access_labels:
            raise UsageError("no such access label", remedy="CLINDEX_ACCESS_LABELS names them.")
        self._secret = secret
        self._max_bytes = settings.max_record_bytes
        self._kind = kind
        self._access = access
        self._roots = _roots(paths, secret)

    @property
    def name(self) -> str:
        """See ``RecordSource``."""
        return Source.DOCUMENTS.value

    @property
    def scope(self) -> str:
        """Names the folders by fingerprint; ``files`` where only files were named."""
        return f"folders:{','.join(self.roots)}" if self.roots else "files"

    @property
    def base_scope(self) -> str:
        """See ``RecordSource``."""
        return self.scope

    @property
    def can_prove_absence(self) -> bool:
        """A folder that was read whole shows what is not in it any more; a single file shows nothing."""
        return bool(self.roots)

    @property
    def roots(self) -> tuple[str, ...]:
        """See ``RecordSource``."""
        return tuple(sorted(root.fingerprint for root in self._roots if root.only is None))

    def version(self) -> SourceVersion:
        """Folders do not say how fresh they are."""
        return SourceVersion()

    def pages(self, *, resume_from: str | None = None) -> Iterator[FetchedPage]:
        """Yield pages of at most 200 files, in order of their paths. A listing begins anew each time."""
        del resume_from
        records: list[FetchedRecord] = []
        size = 0
        for record in self._records():
            records.append(record)
            size += len(record.data) + sum(map(len, record.attachments))
            if len(records) >= _PAGE_RECORDS or size >= _PAGE_BYTES:
                yield FetchedPage(tuple(records))
                records, size = [], 0
        if records:
            yield FetchedPage(tuple(records))

    def _records(self) -> Iterator[FetchedRecord]:
        for root in self._roots:
            if root.only is not None:
                yield self._file(root, root.only, f"path {root.number}", _names_beside(root.only))
            else:
                yield from self._folder(root)

    def _folder(self, root: _Root) -> Iterator[FetchedRecord]:
        unreadable: list[OSError] = []
        number = hidden = 0
        for folder, folders, names in os.walk(root.folder, onerror=unreadable.append):
            hidden += sum(name.startswith(".") for name in (*folders, *names))
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            visible = {name for name in names if not name.startswith(".")}
            owned = {sidecar for name in visible if not name.endswith(SIDECAR) if (sidecar := sidecar_of(name, visible))}
            for name in sorted(visible):
                if name in owned:
                    continue
                number += 1
                origin = f"path {root.number} file {number}"
                if name.endswith(SIDECAR):
                    yield _failed(FailureCategory.BAD_SIDECAR, f"{origin} (of no document)", key=self._key(root, Path(folder, name)))
                else:
                    yield self._file(root, Path(folder, name), origin, visible)
        for _ in unreadable:
            yield _failed(FailureCategory.UNREADABLE_FILE, f"path {root.number} (a folder in it)")
        if not number and not unreadable:  # an unmounted share looks like this
            yield _failed(FailureCategory.UNREADABLE_FILE, f"path {root.number} (no document in it)")
        if hidden:
            log_event("files_skipped", reason="hidden", count=hidden)

    def _file(self, root: _Root, path: Path, origin: str, names: Collection[str]) -> FetchedRecord:
        key = self._key(root, path)
        media_type = MEDIA_TYPES.get(path.suffix.lower())
        if media_type is None:
            return _failed(FailureCategory.UNSUPPORTED_FORMAT, origin, key=key)
        try:
            content = _read(path, self._max_bytes)
            beside = sidecar_of(path.name, names)
            sidecar = None if beside is None else _read(path.with_name(beside), _SIDECAR_BYTES)
        except RecordError as error:
            return _failed(error.category, origin, key=key)
        manifest = LandedFile(
            source_key=key,
            root=root.fingerprint,
            path=_relative(root, path),
            media_type=media_type,
            content=sha256_hex(content),
            sidecar=None if sidecar is None else sha256_hex(sidecar),
            kind=self._kind,
            access=self._access,
        )
        attachments = (content,) if sidecar is None else (content, sidecar)
        return FetchedRecord(source_key=key, data=manifest.to_bytes(), origin=origin, attachments=attachments)

    def _key(self, root: _Root, path: Path) -> str:
        return keyed_hash(self._secret, "document", _relative(root, path))


def sidecar_of(name: str, names: Collection[str]) -> str | None:
    """Return the name of a file's sidecar among the names of its folder: ``a.txt.meta.json`` before ``a.meta.json``, or ``None``."""
    return next((one for one in (name + SIDECAR, Path(name).stem + SIDECAR) if one in names), None)


def _names_beside(path: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(path.parent))
    except OSError:  # a folder that may be entered and not listed: the file itself is there
        return frozenset()


def _roots(paths: Sequence[str | Path], secret: bytes) -> list[_Root]:
    if not paths:
        raise UsageError("no file or folder was named")
    roots: list[_Root] = []
    seen: dict[Path, int] = {}
    for number, given in enumerate(paths, start=1):
        path = Path(given).absolute()
        if not path.exists():  # a path may name a person: it is told by its place on the command line
            raise UsageError(f"there is no file or folder at path {number}")
        path = Path(os.path.normpath(path))
        if path in seen:
            continue
        if any(path.is_relative_to(other) or other.is_relative_to(path) for other in seen):
            raise UsageError(f"path {number} lies in another one, or another one in it", remedy="Name the outer folder only.")
        seen[path] = number
        folder = path if path.is_dir() else path.parent
        name = unicodedata.normalize("NFC", folder.name)
        if path.is_dir() and any(root.only is None and root.name == name for root in roots):
            raise UsageError(
                f"path {number} is a folder of the same name as another one", remedy="Give each its own name: it is part of keys."
            )
        roots.append(_Root(number, folder, name, keyed_hash(secret, "folder", name), None if path.is_dir() else path))
    return roots


def _relative(root: _Root, path: Path) -> str:
    return f"{root.name}/{unicodedata.normalize('NFC', path.relative_to(root.folder).as_posix())}"


def _read(path: Path, max_bytes: int) -> bytes:
    """Return a regular file's bytes; a pipe would never end."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise RecordError(FailureCategory.UNREADABLE_FILE, "no regular file")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError:
        raise RecordError(FailureCategory.UNREADABLE_FILE, "cannot be read") from None
    if len(data) > max_bytes:
        raise RecordError(FailureCategory.TOO_LARGE, "too large")
    return data


def _failed(category: str, origin: str, *, key: str | None = None) -> FetchedRecord:
    return FetchedRecord(source_key=key, data=b"", origin=origin, failure=str(category))
