"""Resources by a server's search, page by page; what changed since, by its history where it keeps one, deletions included.

Source: https://hl7.org/fhir/R4/http.html#search, #history, #paging.
"""

from __future__ import annotations

import email.utils
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from pipeline.domain.errors import SourceProtocolError
from pipeline.domain.fhir import BrokenEntry, FeedEnd, FeedEntry
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.sources.fhir.binaries import Binaries
from pipeline.stages.sources.fhir.entries import entries_of
from pipeline.stages.sources.fhir.scopes import scope_of
from pipeline.stages.sources.fhir.server import NAME, FhirServer
from pipeline.stages.sources.polite_http import RefusedStatusError

#: A link to a next page that the server has let go of: HAPI answers 410, others 404 or 400.
_LINK_IS_OVER: Final = frozenset({400, 404, 410})


class SearchFeed:
    """Resources of a server, type by type.

    Args:
        server: Asked.
        secret: The site's; the scope's name is made with it.
        authority: Whose ids the resources have.
        types: Types that are wanted; those that the server says it cannot search are left out, and counted.
        since: As ``FeedEnd.transaction_time`` of an earlier load said: only what changed from then on. ``None``: everything.
        page_size: Entries a page that are asked for.
        overlap: How long before ``since`` is asked again.

    A search names no deletions: those that happen between two full loads are seen where the server keeps a history.
    """

    def __init__(
        self,
        server: FhirServer,
        *,
        secret: bytes,
        authority: str,
        types: Sequence[str],
        since: str | None = None,
        page_size: int = 200,
        overlap: timedelta = timedelta(),
    ) -> None:
        self.authority = authority
        self.is_full = since is None
        self.scope = scope_of(secret, "search", authority, server.url, "system", types)
        self._server, self._types, self._page_size = server, sorted(types), page_size
        self._since = None if since is None else (datetime.fromisoformat(since) - overlap).isoformat()
        self._time: str | None = None
        self._broken = self._pages = self._read = 0
        self._is_done = False
        self._skipped: Counter[str] = Counter()

    def entries(self) -> Iterator[FeedEntry]:
        """See ``ResourceFeed``. What changed while a load goes on is loaded again by the next one."""
        version = self._server.version
        binaries = Binaries(self._server, self._skipped)
        with_history = self._server.has("history-type") or frozenset()
        for kind in self._known_types():
            for entry in self._of_type(kind, history=self._since is not None and kind in with_history):
                self._broken += isinstance(entry, BrokenEntry)
                yield entry
                yield from binaries.of(entry, version)
        self._is_done = True

    def end(self) -> FeedEnd:
        """See ``ResourceFeed``."""
        complete = self._is_done and not self._broken
        return FeedEnd(complete, transaction_time=self._time, promised=self._pages, read=self._read, skipped=dict(self._skipped))

    def _known_types(self) -> list[str]:
        can = self._server.has("search-type")
        left_out = [] if can is None else [kind for kind in self._types if kind not in can]
        if left_out:
            self._skipped["type_not_searchable"] += len(left_out)
        return [kind for kind in self._types if kind not in left_out]

    def _of_type(self, kind: str, *, history: bool) -> Iterator[FeedEntry]:
        params = {"_count": str(self._page_size)}
        if self._since is not None:
            params |= {"_since": self._since} if history else {"_lastUpdated": f"ge{self._since}"}
        url: str | None = f"{kind}/_history" if history else kind
        seen: set[str] = set()
        number = found = 0
        total: int | None = None
        while url is not None:
            number += 1
            self._pages += 1
            origin = f"{kind} page {number}"
            try:
                page = self._server.get(url, params if number == 1 else None)
            except RefusedStatusError as error:
                if number == 1 or error.status not in _LINK_IS_OVER:
                    raise
                yield BrokenEntry(origin, FailureCategory.INCOMPLETE_EXPORT, "link_expired")
                return
            if self._time is None:
                self._time = _moment(page.headers.get("Date"))
            bundle = page.value
            if not isinstance(bundle, Mapping) or bundle.get("resourceType") != "Bundle":
                raise SourceProtocolError(f"{NAME} answered a search with no Bundle")
            found += sum(1 for entry in _entries(bundle) if _is_match(entry))
            total = _least(total, bundle.get("total"))
            yield from entries_of(bundle, origin=origin, version=self._server.version)
            self._read += 1
            url = _next(bundle)
            if url in seen:
                raise SourceProtocolError(f"{NAME} named the same next page twice")
            if url is not None:
                seen.add(url)
        if total is not None and found < total:
            yield BrokenEntry(f"{kind} page {number}", FailureCategory.INCOMPLETE_EXPORT, "fewer_than_total")


def _entries(bundle: Mapping[str, Any]) -> list[Any]:
    listed = bundle.get("entry")
    return listed if isinstance(listed, list) else []


def _is_match(entry: object) -> bool:
    """Whether an entry counts in the total: not what was included with it, nor the server's remarks."""
    search = entry.get("search") if isinstance(entry, Mapping) else None
    return not isinstance(search, Mapping) or search.get("mode", "match") == "match"


def _least(total: int | None, said: object) -> int | None:
    """Return the smallest total that any page said: resources may go while pages are read."""
    if not isinstance(said, str) or not said.isdecimal():
        return total
    return int(said) if total is None else min(total, int(said))


def _next(bundle: Mapping[str, Any]) -> str | None:
    links = bundle.get("link")
    for link in links if isinstance(links, list) else ():
        if isinstance(link, Mapping) and link.get("relation") == "next" and isinstance(link.get("url"), str):
            return str(link["url"])
    return None


def _moment(header: str | None) -> str | None:
    """Return a ``Date`` header as an instant; ``None`` where it says none."""
    try:
        return email.utils.parsedate_to_datetime(header).isoformat() if header else None
    except ValueError:
        return None
