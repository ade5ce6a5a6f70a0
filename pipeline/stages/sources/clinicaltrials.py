"""Studies from ClinicalTrials.gov's API v2: a ``RecordSource`` over its listing, or over single ids.

Contract: the registry's own OpenAPI file (``/studies``, ``/studies/{nctId}``, ``/version``).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, Final

import httpx

from pipeline.domain.errors import SourceProtocolError, UsageError
from pipeline.domain.identifiers import is_nct_id
from pipeline.domain.ports import FetchedPage, FetchedRecord, SourceVersion
from pipeline.domain.vocabulary import FailureCategory, Source
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.stages.sources.polite_http import RefusedStatusError, utc_now
from pipeline.stages.sources.politeness import Sleep
from pipeline.stages.sources.records import failed, record_of
from pipeline.stages.sources.registry_client import RegistryClient

#: Ascending, so that a study that is updated while the listing goes on moves to its end: it can come twice, never be missed.
#: Ties cannot be broken: the API sorts by date and numeric fields only.
_SORT: Final = "LastUpdatePostDate:asc"
#: Ids that are asked for in one request: a URL stays under 1 kB, and a page of full records near 1 MB.
_IDS_A_PAGE: Final = 50
_IDS_TOKEN: Final = "ids:"  # noqa: S105 - what a page token of single ids begins with


class ClinicalTrialsSource:
    """The registry, or the part of it that a query, a date, ids or a limit leave.

    Args:
        settings: The ``registry_*`` settings.
        query: What to search for, as on the registry's site ("other terms").
        nct_ids: Fetch these studies only; excludes ``query`` and ``since``.
        since: Only studies whose last update was posted on this day or later.
        limit: At most so many studies.
        client: Sends the requests; by default one of its own.
        sleep: Waits; tests replace it.
        clock: The time now in UTC.

    Raises:
        UsageError: An id has not the shape of one, or ids come together with a query or a date.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        query: str | None = None,
        nct_ids: Sequence[str] = (),
        since: date | None = None,
        limit: int | None = None,
        client: httpx.Client | None = None,
        sleep: Sleep = time.sleep,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._query = query.strip() or None if query is not None else None
        self._ids = tuple(dict.fromkeys(nct_id.strip().upper() for nct_id in nct_ids))
        self._since = since
        self._limit = limit
        if self._ids and (self._query or since):
            raise UsageError("single ids cannot be combined with a query or a date")
        if not all(is_nct_id(nct_id) for nct_id in self._ids):
            raise UsageError("an id is not NCT and eight digits")
        if limit is not None and limit < 1:
            raise UsageError("the limit must be at least 1")
        self._page_size = settings.registry_page_size
        self._client = RegistryClient(settings, client=client, sleep=sleep, clock=clock)

    @property
    def name(self) -> str:
        """See ``RecordSource``."""
        return Source.CLINICALTRIALS_GOV.value

    @property
    def scope(self) -> str:
        """Names what is listed: ``all``, ``ids``, ``query:…``, ``since:…``, ``limit:…``, several joined by a blank."""
        if self._ids:
            return "ids"
        parts = (
            f"query:{self._query}" if self._query else None,
            f"since:{self._since.isoformat()}" if self._since else None,
            f"limit:{self._limit}" if self._limit else None,
        )
        return " ".join(part for part in parts if part) or "all"

    @property
    def base_scope(self) -> str:
        """See ``RecordSource``: ``all`` or ``query:…``. Ids and limits leave gaps, so they move no watermark but their own."""
        if self._ids or self._limit:
            return self.scope
        return f"query:{self._query}" if self._query else "all"

    @property
    def can_prove_absence(self) -> bool:
        """Whether this lists everything there is (within its query): no date, no ids, no limit."""
        return not (self._ids or self._since or self._limit)

    @property
    def roots(self) -> None:
        """See ``RecordSource``: a registry has no folders."""

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def version(self) -> SourceVersion:
        """See ``RecordSource``."""
        value = self._client.get("/version", {}, accept=lambda value: isinstance(value, dict))
        timestamp, api = value.get("dataTimestamp"), value.get("apiVersion")
        return SourceVersion(timestamp if isinstance(timestamp, str) else None, api if isinstance(api, str) else None)

    def pages(self, *, resume_from: str | None = None) -> Iterator[FetchedPage]:
        """Yield pages; see ``RecordSource``. An expired page token begins the listing anew, once (``FetchedPage.restarted``)."""
        return self._single_studies(resume_from) if self._ids else self._listing(resume_from)

    def _parameters(self) -> dict[str, str]:
        """Return the parameters that all pages share."""
        size = min(self._page_size, self._limit or self._page_size)
        params = {"format": "json", "pageSize": str(size), "sort": _SORT}
        if self._query:
            params["query.term"] = self._query
        if self._since:
            params["filter.advanced"] = f"AREA[LastUpdatePostDate]RANGE[{self._since.isoformat()},MAX]"
        return params

    def _listing(self, token: str | None) -> Iterator[FetchedPage]:
        number, left, used, restarted, resumed = 1, self._limit, set[str](), False, token is not None
        while True:
            try:
                page = self._page(token)
            except RefusedStatusError as error:
                if token is None or restarted or error.status != httpx.codes.BAD_REQUEST:
                    raise
                log_event("listing_restarted", level=logging.WARNING, reason="page_token_refused", page=number)
                number, left, token, restarted, resumed = 1, self._limit, None, True, False
                used.clear()
                continue
            origin = f"{'resumed ' if resumed else ''}page {number}"
            studies = page["studies"][:left]
            left = left - len(studies) if left is not None else None
            token = page.get("nextPageToken") if left != 0 else None
            yield FetchedPage(
                records=tuple(record_of(study, origin=f"{origin} study {place}") for place, study in enumerate(studies, start=1)),
                next_token=token,
                total=self._promised(page),
                restarted=restarted and number == 1,
            )
            if token is None:
                return
            if token in used:
                raise SourceProtocolError("the registry handed out the same page token twice")
            used.add(token)
            number += 1

    def _page(self, token: str | None) -> dict[str, Any]:
        params = self._parameters()
        params |= {"countTotal": "true"} if token is None else {"pageToken": token}
        page: dict[str, Any] = self._client.get("/studies", params, accept=_is_page)
        return page

    def _promised(self, page: dict[str, Any]) -> int | None:
        """Return how many studies the registry promises in all, as far as they are wanted."""
        total = page.get("totalCount")
        if not isinstance(total, int) or isinstance(total, bool):
            return None
        return total if self._limit is None else min(total, self._limit)

    def _single_studies(self, token: str | None) -> Iterator[FetchedPage]:
        """Yield pages of studies asked for by id; the token says how many ids are done."""
        ids = self._ids[: self._limit]
        done = int(token.removeprefix(_IDS_TOKEN)) if token is not None and token.startswith(_IDS_TOKEN) else 0
        for start in range(done, len(ids), _IDS_A_PAGE):
            end = start + _IDS_A_PAGE
            yield FetchedPage(tuple(self._by_id(ids[start:end])), next_token=f"{_IDS_TOKEN}{end}" if end < len(ids) else None)

    def _by_id(self, ids: Sequence[str]) -> Iterator[FetchedRecord]:
        """Yield one record an id: several are asked for in one request, and what that leaves out (aliases, unknown ids) one by one."""
        listed: dict[str | None, FetchedRecord] = {}
        if len(ids) > 1:
            params = {"format": "json", "pageSize": str(len(ids)), "filter.ids": "|".join(ids)}
            page = self._client.get("/studies", params, accept=_is_page)
            records = (record_of(study, origin=f"ids, study {place}") for place, study in enumerate(page["studies"], start=1))
            listed = {record.source_key: record for record in records}
        for nct_id in ids:
            yield listed.get(nct_id) or self._single_study(nct_id)

    def _single_study(self, nct_id: str) -> FetchedRecord:
        origin = f"study {nct_id}"
        try:
            study = self._client.get(f"/studies/{nct_id}", {"format": "json"}, accept=lambda value: isinstance(value, dict))
        except RefusedStatusError as error:
            if error.status not in (httpx.codes.NOT_FOUND, httpx.codes.GONE):
                raise
            return failed(FailureCategory.NOT_FOUND, origin, source_key=nct_id)
        record = record_of(study, origin=origin, asked_as=nct_id)
        if record.asked_as is not None:
            log_event("alias_redirect", asked_as=nct_id, source_key=record.source_key)
        return record


def _is_page(value: Any) -> bool:
    """Whether a value has the shape that the API promises for a page of studies."""
    if not isinstance(value, dict) or not isinstance(value.get("studies"), list):
        return False
    token = value.get("nextPageToken")
    return token is None or (isinstance(token, str) and token != "")
