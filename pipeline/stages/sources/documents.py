"""Documents of a site from folders: a ``RecordSource`` that lists files with what is said of them and shows no file's name.

A file is known by the keyed hash of its folder's name and its path in that folder, so that a folder may be mounted elsewhere (or lie in an
object store) and two folders with a ``note1.txt`` each keep both. It lands as its own bytes, its sidecar's bytes (a manifest's row counts as
one), and a manifest that names both.
"""

from __future__ import annotations

import posixpath
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
from pipeline.stages.sources.folders import Folder, Level, open_place
from pipeline.stages.sources.manifest import MANIFEST, MANIFEST_BYTES, Manifests, Row, merged

SIDECAR: Final = ".meta.json"
#: A sidecar is a page of facts; what is larger is none.
_SIDECAR_BYTES: Final = 1024 * 1024
_PAGE_RECORDS: Final = 200
#: A page ends at the file that passes this many bytes: at most one large file is held beside it.
_PAGE_BYTES: Final = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Root:
    """One folder to list, or the folder of one file."""

    number: int  # of the path on the command line, from 1
    folder: Folder = field(repr=False)
    name: str = field(repr=False)
    fingerprint: str
    only: str | None = field(default=None, repr=False)  # the one file that was named


class DocumentFiles:
    """Files of a site: folders (recursively, hidden files apart) and single files, on disks and behind fsspec URLs.

    Args:
        paths: Folders and files: paths, or URLs with a protocol (``s3://bucket/folder``).
        settings: ``max_file_bytes`` and ``access_labels`` are used.
        secret: The site's, which keys are made with.
        reader_version: Of the readers that will read the files: a raised one makes every file count as changed.
        kind: Of every document of which nothing else says it.
        access: Of every document of which nothing else says it.

    Raises:
        UsageError: No path was given, one does not exist, cannot be opened or lies in another, or kind or label cannot be used.
        SourceRefusedError, SourceUnavailableError: A store refuses us, or does not answer.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        settings: Settings,
        *,
        secret: bytes,
        reader_version: str = "",
        kind: str | None = None,
        access: str | None = None,
    ) -> None:
        if kind is not None and kind not in FILE_KINDS:
            raise UsageError("no such kind of document", remedy=f"Known: {', '.join(FILE_KINDS)}.")
        if access is not None and access not in settings.access_labels:
            raise UsageError("no such access label", remedy="CLINDEX_ACCESS_LABELS names them.")
        self._secret = secret
        self._max_bytes = settings.max_file_bytes
        self._reader = reader_version
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
            if root.only is None:
                yield from self._folder(root)
            else:
                yield self._file_alone(root, root.only)

    def _file_alone(self, root: _Root, name: str) -> FetchedRecord:
        beside = root.folder.names_in("")
        manifests = Manifests()
        if MANIFEST in beside and name != MANIFEST:
            manifests.add("", _manifest_bytes(root, ""))
        return self._file(root, name, f"path {root.number}", beside, manifests.row(name))

    def _folder(self, root: _Root) -> Iterator[FetchedRecord]:
        manifests = Manifests()
        number = hidden = links = 0
        is_whole = True
        for level in root.folder.walk():
            hidden, links, is_whole = hidden + level.hidden, links + level.links, is_whole and level.is_readable
            if not level.is_readable:
                yield _failed(FailureCategory.UNREADABLE_FILE, f"path {root.number} (a folder in it)")
            yield from self._manifest_of(root, level, manifests)
            for name, is_orphan in _documents_in(level):
                number += 1
                path = posixpath.join(level.folder, name)
                origin = f"path {root.number} file {number}"
                if is_orphan:
                    yield _failed(FailureCategory.BAD_SIDECAR, f"{origin} (of no document)", key=self._key(root, path))
                else:
                    yield self._file(root, path, origin, level.names, manifests.row(path))
        if is_whole:
            yield from self._of_no_file(root, manifests)
        if not number and is_whole:  # an unmounted share looks like this
            yield _failed(FailureCategory.UNREADABLE_FILE, f"path {root.number} (no document in it)")
        for reason, count in (("hidden", hidden), ("linked_folder", links)):
            if count:
                log_event("files_skipped", reason=reason, count=count)

    def _manifest_of(self, root: _Root, level: Level, manifests: Manifests) -> Iterator[FetchedRecord]:
        """Read a folder's manifest; yield its failure, under its own key, where it cannot be used as a whole."""
        if MANIFEST not in level.names:
            return
        wrong = manifests.add(level.folder, _manifest_bytes(root, level.folder))
        if wrong is not None:
            key = self._key(root, posixpath.join(level.folder, MANIFEST))
            yield _failed(FailureCategory.BAD_MANIFEST, f"path {root.number} {wrong}", key=key)

    def _of_no_file(self, root: _Root, manifests: Manifests) -> Iterator[FetchedRecord]:
        """Yield a failure for each row whose file is not there. Its key is the row's, not the file's: a file that is gone has vanished."""
        for path, row in manifests.left_over():
            key = keyed_hash(self._secret, "manifest-row", _relative(root, path))
            yield _failed(FailureCategory.BAD_MANIFEST, f"path {root.number} {row.origin} (of no document)", key=key)

    def _file(self, root: _Root, path: str, origin: str, names: Collection[str], row: Row | None) -> FetchedRecord:
        key = self._key(root, path)
        folder, name = posixpath.split(path)
        if row is not None:
            origin = f"{origin} ({row.origin})"
            if row.values is None:
                return _failed(FailureCategory.BAD_MANIFEST, origin, key=key)
        media_type = MEDIA_TYPES.get(Path(name).suffix.lower())
        if media_type is None:
            return _failed(FailureCategory.UNSUPPORTED_FORMAT, origin, key=key)
        try:
            content = root.folder.read(path, self._max_bytes)
            beside = sidecar_of(name, names)
            own = None if beside is None else root.folder.read(posixpath.join(folder, beside), _SIDECAR_BYTES)
        except RecordError as error:
            return _failed(error.category, origin, key=key)
        sidecar = merged(row, own)
        manifest = LandedFile(
            source_key=key,
            root=root.fingerprint,
            path=_relative(root, path),
            media_type=media_type,
            content=sha256_hex(content),
            sidecar=None if sidecar is None else sha256_hex(sidecar),
            kind=self._kind,
            access=self._access,
            reader=self._reader,
            size=len(content),
        )
        attachments = (content,) if sidecar is None else (content, sidecar)
        return FetchedRecord(source_key=key, data=manifest.to_bytes(), origin=origin, attachments=attachments)

    def _key(self, root: _Root, path: str) -> str:
        return keyed_hash(self._secret, "document", _relative(root, path))


def sidecar_of(name: str, names: Collection[str]) -> str | None:
    """Return the name of a file's sidecar among the names of its folder: ``a.txt.meta.json`` before ``a.meta.json``, or ``None``."""
    return next((one for one in (name + SIDECAR, Path(name).stem + SIDECAR) if one in names), None)


def _documents_in(level: Level) -> Iterator[tuple[str, bool]]:
    """Yield each file of a folder that is neither its manifest nor another file's sidecar, and whether it is a sidecar of no file."""
    names = [name for name in level.names if name != MANIFEST]
    owned = {sidecar for name in names if not name.endswith(SIDECAR) if (sidecar := sidecar_of(name, level.names))}
    return ((name, name.endswith(SIDECAR)) for name in names if name not in owned)


def _manifest_bytes(root: _Root, folder: str) -> bytes | None:
    try:
        return root.folder.read(posixpath.join(folder, MANIFEST), MANIFEST_BYTES)
    except RecordError:
        return None


def _roots(paths: Sequence[str | Path], secret: bytes) -> list[_Root]:
    if not paths:
        raise UsageError("no file or folder was named")
    roots: list[_Root] = []
    seen: list[str] = []
    for number, given in enumerate(paths, start=1):
        opened = open_place(given, number)
        if opened.place in seen:
            continue
        if any(_lies_in(opened.place, other) or _lies_in(other, opened.place) for other in seen):
            raise UsageError(f"path {number} lies in another one, or another one in it", remedy="Name the outer folder only.")
        seen.append(opened.place)
        name = unicodedata.normalize("NFC", opened.folder.name)
        if opened.only is None and any(root.only is None and root.name == name for root in roots):
            raise UsageError(
                f"path {number} is a folder of the same name as another one", remedy="Give each its own name: it is part of keys."
            )
        roots.append(_Root(number, opened.folder, name, keyed_hash(secret, "folder", name), opened.only))
    return roots


def _lies_in(place: str, other: str) -> bool:
    return place.startswith(other.rstrip("/") + "/")


def _relative(root: _Root, path: str) -> str:
    return f"{root.name}/{unicodedata.normalize('NFC', path)}"


def _failed(category: str, origin: str, *, key: str | None = None) -> FetchedRecord:
    return FetchedRecord(source_key=key, data=b"", origin=origin, failure=str(category))
