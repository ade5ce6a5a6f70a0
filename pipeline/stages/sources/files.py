"""Studies from files and folders: a ``RecordSource`` that reads what people downloaded, exported or were sent."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from pipeline.domain.errors import UsageError
from pipeline.domain.ports import FetchedPage, FetchedRecord, SourceVersion
from pipeline.domain.vocabulary import FailureCategory, Source
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.stages.sources.records import failed
from pipeline.stages.sources.study_file import read_studies

STANDARD_INPUT: Final = "-"
#: Records of one page: one commit of the listing each, as with the registry's pages.
_PAGE_RECORDS: Final = 200
#: A page also ends here, so that two hundred huge records do not fill memory.
_PAGE_BYTES: Final = 32 * 1024 * 1024
#: In a folder only files of these names are read; a file that is named is read whatever its name.
_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson"})


class StudyFiles:
    """Studies in files: a folder (recursively), a JSON array, JSON Lines, an API page or one study a file, each gzipped or not.

    Args:
        paths: Files and folders; ``-`` is standard input. What is reached twice is read once.
        settings: ``max_record_bytes`` is used.
        limit: At most so many records.
        stdin: Read for ``-``; by default the process's own.

    Raises:
        UsageError: No path was given, or one does not exist.
    """

    def __init__(self, paths: Sequence[str | Path], settings: Settings, *, limit: int | None = None, stdin: BinaryIO | None = None) -> None:
        if not paths:
            raise UsageError("no file or folder was named")
        for path in paths:
            if str(path) != STANDARD_INPUT and not Path(path).exists():
                raise UsageError(f"there is no file or folder {Path(path).name}")
        self._paths = [str(path) for path in paths]
        self._max_record_bytes = settings.max_record_bytes
        self._limit = limit
        self._stdin = stdin

    @property
    def name(self) -> str:
        """See ``RecordSource``."""
        return Source.CLINICALTRIALS_GOV.value

    @property
    def scope(self) -> str:
        """See ``RecordSource``."""
        return "files"

    @property
    def base_scope(self) -> str:
        """See ``RecordSource``."""
        return self.scope

    @property
    def can_prove_absence(self) -> bool:
        """Files say nothing about studies that are not in them."""
        return False

    @property
    def roots(self) -> None:
        """See ``RecordSource``: a registry has no folders."""

    def version(self) -> SourceVersion:
        """Files do not say how fresh they are."""
        return SourceVersion()

    def pages(self, *, resume_from: str | None = None) -> Iterator[FetchedPage]:
        """Yield pages of at most 200 records. Files cannot be resumed: they are read from the start, ``next_token`` is ``None``."""
        del resume_from
        records: list[FetchedRecord] = []
        size = 0
        for record in islice(self._records(), self._limit):
            records.append(record)
            size += len(record.data)
            if len(records) >= _PAGE_RECORDS or size >= _PAGE_BYTES:
                yield FetchedPage(tuple(records))
                records, size = [], 0
        if records:
            yield FetchedPage(tuple(records))

    def _records(self) -> Iterator[FetchedRecord]:
        seen: set[tuple[int, int] | str] = set()
        for path in self._paths:
            if path == STANDARD_INPUT:
                if path not in seen:
                    seen.add(path)
                    yield from self._read(self._stdin or sys.stdin.buffer, "stdin")
            elif Path(path).is_dir():
                yield from self._folder(Path(path), seen)
            else:
                yield from self._file(Path(path), seen)

    def _folder(self, folder: Path, seen: set[tuple[int, int] | str]) -> Iterator[FetchedRecord]:
        unreadable: list[str] = []
        taken = skipped = 0
        for root, folders, names in os.walk(folder, onerror=lambda error: unreadable.append(Path(error.filename).name)):
            folders.sort()
            for name in sorted(names):
                if is_study_file_name(name):
                    taken += 1
                    yield from self._file(Path(root, name), seen, named=False)
                else:
                    skipped += 1
        for name in unreadable:
            yield failed(FailureCategory.UNREADABLE_FILE, name)
        if not taken and not unreadable:
            yield failed(FailureCategory.UNREADABLE_FILE, f"{folder.name} (no file of studies in it)")
        if skipped:
            log_event("files_skipped", reason="name", count=skipped)

    def _file(self, path: Path, seen: set[tuple[int, int] | str], *, named: bool = True) -> Iterator[FetchedRecord]:
        try:
            status = path.stat()
            if not named and not stat.S_ISREG(status.st_mode):  # a pipe in a folder would never end
                yield failed(FailureCategory.UNREADABLE_FILE, path.name)
                return
            if (identity := (status.st_dev, status.st_ino)) in seen:
                return
            seen.add(identity)
            stream = path.open("rb")
        except OSError:
            yield failed(FailureCategory.UNREADABLE_FILE, path.name)
            return
        with stream:
            yield from self._read(stream, path.name)

    def _read(self, stream: BinaryIO, name: str) -> Iterator[FetchedRecord]:
        return read_studies(stream, name=name, max_record_bytes=self._max_record_bytes)


def is_study_file_name(name: str) -> bool:
    """Whether a file in a folder is one of ours by its name: ``.json``, ``.jsonl`` or ``.ndjson``, also with ``.gz``; no hidden file."""
    path = Path(name)
    if path.suffix.lower() == ".gz":
        path = Path(path.stem)
    return path.suffix.lower() in _SUFFIXES and not name.startswith(".")
