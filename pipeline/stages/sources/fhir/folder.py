"""Resources from files: NDJSON (gzipped or not), Bundles and single resources, in folders on disks and behind fsspec URLs."""

from __future__ import annotations

import posixpath
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pipeline.domain.errors import RecordError, UsageError
from pipeline.domain.fhir import SITE, BrokenEntry, FeedEnd, FeedEntry
from pipeline.domain.identifiers import keyed_hash
from pipeline.domain.vocabulary import FailureCategory, FhirVersion
from pipeline.fhir.exact_json import read_exact
from pipeline.fhir.xml import read_xml
from pipeline.stages.sources.byte_streams import read_chunks
from pipeline.stages.sources.fhir.entries import entries_of
from pipeline.stages.sources.folders import Opened, open_place
from pipeline.stages.sources.json_lines import lines_of

_LINES: Final = (".ndjson", ".jsonl")
_JSON: Final = (".json",)
_XML: Final = (".xml",)
_GZIP: Final = ".gz"
#: A Bundle is parsed whole: some 10 bytes of memory a byte of it. A larger export belongs into NDJSON.
MAX_BUNDLE_BYTES: Final = 64 * 1024 * 1024
#: A line holds one resource; attachments in base64 make it large.
MAX_LINE_BYTES: Final = 64 * 1024 * 1024
#: Rows of a bulk export's own log: no resources, and no failures.
_LOG_NAMES: Final = ("log.ndjson", "log.ndjson.gz")


@dataclass(frozen=True, slots=True)
class _File:
    number: int
    place: Opened = field(repr=False)
    path: str = field(repr=False)


class FolderFeed:
    """Files of a site.

    Args:
        paths: Folders (read recursively, hidden files apart) and files: paths, or URLs with a protocol.
        secret: The site's; the scope's fingerprint is made with it.
        authority: Whose ids the resources have.
        version: The release of FHIR, where the files are known to be of one.
        full: Whether folders hold all that there is of their scope, so that what they do not name is gone. Folders are known by their names:
            another export in a folder of the same name is the same scope.

    Raises:
        UsageError: No path was given, one does not exist or cannot be opened.
        SourceRefusedError, SourceUnavailableError: A store refuses us, or does not answer.
    """

    def __init__(
        self, paths: Sequence[str | Path], *, secret: bytes, authority: str = SITE, version: FhirVersion | None = None, full: bool = True
    ) -> None:
        if not paths:
            raise UsageError("no file or folder was named")
        self.authority = authority
        self._version = version
        self._places = [open_place(given, number) for number, given in enumerate(paths, start=1)]
        names = sorted(keyed_hash(secret, "folder", unicodedata.normalize("NFC", one.folder.name)) for one in self._places)
        are_folders = all(one.only is None for one in self._places)
        self.is_full = full and are_folders
        self.scope = f"{'folders' if are_folders else 'files'}:{authority}:{','.join(names)}"
        self._broken = self._files = self._read = 0
        self._skipped: Counter[str] = Counter()

    def entries(self) -> Iterator[FeedEntry]:
        """See ``ResourceFeed``. Files come in order of their paths, each read once."""
        for file in self._listed():
            self._files += 1
            before = self._broken
            for entry in self._of_file(file):
                self._broken += isinstance(entry, BrokenEntry)
                yield entry
            self._read += self._broken == before
        if not self._files:
            self._broken += 1
            yield BrokenEntry("path 1 (no FHIR file in it)", FailureCategory.UNREADABLE_FILE)

    def end(self) -> FeedEnd:
        """See ``ResourceFeed``."""
        return FeedEnd(not self._broken, promised=self._files, read=self._read, skipped=dict(self._skipped))

    def _listed(self) -> Iterator[_File]:
        number = 0
        for place in self._places:
            if place.only is not None:
                number += 1
                yield _File(number, place, place.only)
                continue
            for level in place.folder.walk():
                if not level.is_readable:
                    self._skipped["unreadable_folder"] += 1
                    self._broken += 1
                self._skipped["hidden"] += level.hidden
                self._skipped["linked_folder"] += level.links
                for name in level.names:
                    if name in _LOG_NAMES:
                        self._skipped["export_log"] += 1
                    elif _plain_suffix(name) not in (*_LINES, *_JSON, *_XML):
                        self._skipped["other_file"] += 1
                    else:
                        number += 1
                        yield _File(number, place, posixpath.join(level.folder, name))
        self._skipped = +self._skipped

    def _of_file(self, file: _File) -> Iterator[FeedEntry]:
        origin = f"file {file.number}"
        try:
            with closing(file.place.folder.open(file.path)) as stream:
                chunks = read_chunks(stream)
                if _plain_suffix(file.path) in _LINES:
                    yield from self._lines(chunks, origin)
                    return
                content = _bounded(chunks)
        except RecordError as error:
            yield BrokenEntry(origin, FailureCategory(error.category))
            return
        except Exception as error:  # noqa: BLE001 - every driver has errors of its own
            yield BrokenEntry(origin, FailureCategory.UNREADABLE_FILE, type(error).__name__)
            return
        try:
            value = read_xml(content, self._version or FhirVersion.R4) if _plain_suffix(file.path) in _XML else read_exact(content)
        except RecordError as error:
            yield BrokenEntry(origin, FailureCategory(error.category))
            return
        yield from entries_of(value, origin=origin, version=self._version)

    def _lines(self, chunks: Iterator[bytes], origin: str) -> Iterator[FeedEntry]:
        before = 0
        for number, line in lines_of(chunks, max_bytes=MAX_LINE_BYTES):
            if number > before + 1:
                self._skipped["blank_line"] += number - before - 1
            before = number
            where = f"{origin} line {number}"
            try:
                if isinstance(line, RecordError):
                    raise line
                value = read_exact(line)
            except RecordError as error:
                yield BrokenEntry(where, FailureCategory(error.category))
                continue
            yield from entries_of(value, origin=where, version=self._version)


def _plain_suffix(name: str) -> str:
    lower = name.casefold()
    return posixpath.splitext(lower.removesuffix(_GZIP))[1]


def _bounded(chunks: Iterator[bytes]) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > MAX_BUNDLE_BYTES:
            raise RecordError(FailureCategory.TOO_LARGE, f"larger than {MAX_BUNDLE_BYTES} bytes; NDJSON has no such bound")
    return bytes(content)
