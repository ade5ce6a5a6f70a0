"""Resources by a server's bulk export: begun, waited for, read file by file, and cleared away.

Source: https://hl7.org/fhir/uv/bulkdata/export.html.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from pipeline.domain.errors import ClindexError, RecordError, SourceProtocolError, SourceRefusedError, SourceUnavailableError
from pipeline.domain.fhir import BrokenEntry, FeedEnd, FeedEntry, Waiting
from pipeline.domain.vocabulary import FailureCategory, FhirVersion
from pipeline.fhir.exact_json import read_exact
from pipeline.observability import log_event
from pipeline.stages.sources.fhir.binaries import Binaries
from pipeline.stages.sources.fhir.bulk_manifest import ExportFile, Manifest, manifest_of
from pipeline.stages.sources.fhir.entries import entries_of
from pipeline.stages.sources.fhir.export_lines import Line, lines_at
from pipeline.stages.sources.fhir.scopes import scope_of
from pipeline.stages.sources.fhir.server import FHIR_JSON, ISSUES, NAME, FhirServer, Page
from pipeline.stages.sources.polite_http import RefusedStatusError
from pipeline.stages.sources.politeness import retry_after_seconds

_KICK_OFF: Final = {"Accept": FHIR_JSON, "Prefer": "respond-async"}
_ACCEPTED: Final = 202
_READY: Final = frozenset({200, _ACCEPTED})
#: Between two questions whether an export is ready, where the server does not say: doubled from the first to the longest.
_FIRST_POLL_SECONDS: Final = 2.0
_LONGEST_POLL_SECONDS: Final = 60.0
#: A wait is cut into pieces, so that the run gives signs of life (``jobs.heartbeat``).
_SIGN_SECONDS: Final = 20.0
#: Statuses with which a file's link has come to its end: a new question for the manifest may give a new one.
_EXPIRED: Final = frozenset({400, 401, 403, 404, 410})
_LINKS_A_FILE: Final = 2
_PERCENT: Final = re.compile(r"\d{1,3}(?:\.\d+)?\s?%", re.ASCII)
_OUTCOME: Final = "OperationOutcome"


class BulkFeed:
    """One export of a server.

    Args:
        server: Asked.
        secret: The site's; the scope's name is made with it.
        authority: Whose ids the resources have.
        level: ``system``, ``patient``, or ``group:ID``.
        types: Types that are asked for; those of which the server says that it does not have them are left out, and counted.
        since: ``transactionTime`` of an earlier export: only what changed from then on, and what was deleted. ``None``: everything.
        hours: How long an export is waited for.
    """

    def __init__(
        self,
        server: FhirServer,
        *,
        secret: bytes,
        authority: str,
        level: str,
        types: Sequence[str],
        since: str | None = None,
        hours: float = 12.0,
    ) -> None:
        self.authority = authority
        self.is_full = since is None
        self.scope = scope_of(secret, "bulk", authority, server.url, level, types)
        self._server, self._level, self._types, self._since = server, level, sorted(types), since
        self._longest = timedelta(hours=hours)
        self._time: str | None = None
        self._broken = self._files = self._read = 0
        self._skipped: Counter[str] = Counter()

    def entries(self) -> Iterator[FeedEntry]:
        """See ``ResourceFeed``."""
        status = self._begin()
        try:
            manifest = yield from self._wait(status)
            self._time, self._files = manifest.transaction_time, len(manifest.files)
            binaries = Binaries(self._server, self._skipped)
            for number, file in enumerate(manifest.files, start=1):
                before = self._broken
                for entry in self._file(status, manifest, file, number):
                    self._broken += isinstance(entry, BrokenEntry)
                    yield entry
                    yield from binaries.of(entry, self._server.version)
                self._read += self._broken == before
        finally:
            self._clear(status)

    def end(self) -> FeedEnd:
        """See ``ResourceFeed``."""
        return FeedEnd(
            self._time is not None and not self._broken,
            transaction_time=self._time,
            promised=self._files,
            read=self._read,
            skipped=dict(self._skipped),
        )

    def _begin(self) -> str:
        """Begin the export; return where its status is asked for."""
        kind, _, group = self._level.partition(":")
        path = {"system": "$export", "patient": "Patient/$export"}.get(kind, f"Group/{group}/$export")
        params = {"_type": ",".join(self._known_types())}
        if self._since is not None:
            params["_since"] = self._since
        try:
            page = self._server.get(path, params, headers=_KICK_OFF, accept=frozenset({_ACCEPTED}))
        except RefusedStatusError as error:
            raise SourceRefusedError(
                f"{error.message}: no export was begun",
                remedy="Check the client's rights and CLINDEX_FHIR_GROUP; a server without bulk export is read with CLINDEX_FHIR_FROM=search.",
            ) from None
        where = page.headers.get("Content-Location")
        if where is None:
            raise SourceProtocolError(f"{NAME} began an export and did not say where it is")
        return str(where)

    def _known_types(self) -> list[str]:
        has = self._server.has("read") or self._server.has("search-type")
        left_out = [] if has is None else [kind for kind in self._types if kind not in has]
        if left_out:
            self._skipped["type_not_on_server"] += len(left_out)
        return [kind for kind in self._types if kind not in left_out] or self._types

    def _wait(self, status: str) -> Generator[FeedEntry, None, Manifest]:
        """Ask until the manifest is there; return it.

        Raises:
            SourceUnavailableError: It was not, for all the time that there is.
        """
        http = self._server.http
        until = http.clock() + self._longest
        seconds = _FIRST_POLL_SECONDS
        while (page := self._server.get(status, accept=_READY)).status == _ACCEPTED:
            if http.clock() >= until:
                raise SourceUnavailableError(
                    f"{NAME} was not ready with its export in time",
                    remedy="It was cancelled. CLINDEX_FHIR_EXPORT_HOURS says how long is waited.",
                )
            asked = retry_after_seconds(page.headers.get("Retry-After"), now=http.clock())
            log_event("fhir_export_waiting", progress=_progress(page))
            left = min(asked if asked is not None else seconds, _LONGEST_POLL_SECONDS * 5)
            while left > 0:
                http.sleep(min(left, _SIGN_SECONDS))
                left -= _SIGN_SECONDS
                yield Waiting()
            seconds = min(seconds * 2, _LONGEST_POLL_SECONDS)
            yield Waiting()
        return manifest_of(page.value)

    def _file(self, status: str, manifest: Manifest, file: ExportFile, number: int) -> Iterator[FeedEntry]:
        origin = f"{file.part} file {number}"
        rows = 0
        try:
            for line_number, line in self._lines(status, manifest, file):
                rows += 1
                yield from self._entries(file, line, f"{origin} line {line_number}")
        except RefusedStatusError as error:
            yield BrokenEntry(origin, FailureCategory.INCOMPLETE_EXPORT, f"http_{error.status}")
        except SourceProtocolError:
            yield BrokenEntry(origin, FailureCategory.INCOMPLETE_EXPORT, "cut")
        else:
            if file.count is not None and rows != file.count:
                yield BrokenEntry(origin, FailureCategory.INCOMPLETE_EXPORT, "count")

    def _lines(self, status: str, manifest: Manifest, file: ExportFile) -> Iterator[tuple[int, Line]]:
        """Yield a file's lines; where its link is over before the first one, once more by a new link."""
        url = file.url
        for attempt in range(1, _LINKS_A_FILE + 1):
            rows = 0
            try:
                for found in lines_at(self._server, url, with_token=manifest.with_token):
                    rows += 1
                    yield found
            except RefusedStatusError as error:
                if rows or attempt == _LINKS_A_FILE or error.status not in _EXPIRED:
                    raise
                url = self._new_link(status, file) or url
            else:
                return

    def _new_link(self, status: str, file: ExportFile) -> str | None:
        page = self._server.get(status, accept=_READY)
        if page.status == _ACCEPTED:
            return None
        same = (one.url for one in manifest_of(page.value).files if (one.part, one.position) == (file.part, file.position))
        return next(same, None)

    def _entries(self, file: ExportFile, line: Line, origin: str) -> Iterator[FeedEntry]:
        try:
            if isinstance(line, RecordError):
                raise line
            value = read_exact(line)
        except RecordError as error:
            yield BrokenEntry(origin, FailureCategory(error.category))
            return
        if file.part == "error":
            yield from self._told(value, origin)
        else:
            yield from entries_of(value, origin=origin, version=self._version)

    @property
    def _version(self) -> FhirVersion | None:
        return self._server.version

    def _told(self, value: Any, origin: str) -> Iterator[FeedEntry]:
        """Yield what a server could not export; its warnings and remarks are counted."""
        issues = value.get("issue") if isinstance(value, Mapping) else None
        for issue in issues if isinstance(issues, list) else ():
            severity = issue.get("severity") if isinstance(issue, Mapping) else None
            if severity in {"warning", "information", "success"}:
                self._skipped[f"server_{severity}"] += 1
                continue
            code = issue.get("code") if isinstance(issue, Mapping) else None
            yield BrokenEntry(origin, FailureCategory.INCOMPLETE_EXPORT, f"server_{code}" if code in ISSUES else "server_error")

    def _clear(self, status: str) -> None:
        """Tell the server that its files are not needed any more: patients' data lie there until then."""
        try:
            self._server.get(status, method="DELETE", accept=frozenset({200, 202, 204, 404, 405, 410}))
        except (ClindexError, RecordError) as error:
            log_event("fhir_export_not_cleared", level=logging.WARNING, error=type(error).__name__)


def _progress(page: Page) -> str | None:
    """Return how far an export is, where the server says it in percent; its other words are its own."""
    found = _PERCENT.search(page.headers.get("X-Progress", ""))
    return found[0] if found else None
