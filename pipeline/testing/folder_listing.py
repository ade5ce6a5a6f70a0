"""Listings of studies that prove absence, whole or cut short, as a registry sends them: a ``RecordSource`` over a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pipeline.domain.ports import FetchedPage, SourceVersion
from pipeline.domain.vocabulary import Source
from pipeline.stages.sources.records import record_of

_PAGE: Final = 2  # studies a page: a listing of a small home has several


class FolderListing:
    """All studies of a folder, one a file, as a complete listing of everything.

    Args:
        folder: JSON files; their names give the order.
        keep: Only the first so many are sent; ``None``: all.
        honest: Whether the listing still promises all of them. Otherwise it says that what it sends is everything.
        data_timestamp: How fresh the source says it is (ISO 8601).
    """

    name: Final = Source.CLINICALTRIALS_GOV.value
    scope: Final = "all"
    base_scope: Final = "all"
    can_prove_absence: Final = True
    roots: Final = None

    def __init__(self, folder: Path, *, keep: int | None = None, honest: bool = True, data_timestamp: str | None = None) -> None:
        self._paths = sorted(folder.glob("*.json"))
        self._keep = len(self._paths) if keep is None else keep
        self._promised = len(self._paths) if honest else self._keep
        self._timestamp = data_timestamp

    def version(self) -> SourceVersion:
        """See ``RecordSource``."""
        return SourceVersion(data_timestamp=self._timestamp)

    def pages(self, *, resume_from: str | None = None) -> Iterator[FetchedPage]:
        """Yield pages of two studies; a token is the number of those that came before."""
        start = int(resume_from or 0)
        for first in range(start, max(self._keep, start + 1), _PAGE):
            paths = self._paths[first : min(first + _PAGE, self._keep)]
            after = first + _PAGE
            records = tuple(record_of(json.loads(path.read_text(encoding="utf-8")), origin=path.name) for path in paths)
            yield FetchedPage(records, next_token=str(after) if after < self._keep else None, total=self._promised)
