"""Verifies the log of searches: every row's hash and seal, the chain from the first to the recorded head."""

from __future__ import annotations

import hmac
import re
from datetime import datetime
from typing import Final

from pydantic import Field
from sqlalchemy import Connection

from pipeline.domain.errors import ClindexError, UsageError
from pipeline.jobs.summaries import Summary
from pipeline.observability import log_event
from pipeline.storage import search_log
from pipeline.storage.search_log import NO_PREVIOUS, Head, LogRow
from pipeline.wiring import Services, utc_now

_SHOWN: Final = 20  # problems: whoever looks for more looks at the database
_HEAD: Final = re.compile(r"([1-9][0-9]*):([0-9a-f]{64})\Z", re.ASCII)


class LogReport(Summary):
    """What became of the log of searches."""

    verified_at: str = Field(description="ISO 8601, UTC")
    passed: bool
    rows: int
    head: str | None = Field(
        description="number and hash of the newest row: noted elsewhere, they show later that nobody has replaced the whole"
    )
    problems: list[str] = Field(description="what is wrong, by number of row; the first 20")


def verify_log(services: Services, *, noted: str | None = None, now: datetime | None = None) -> LogReport:
    """Read the whole log, and say whether a row was changed, removed or put in.

    Args:
        services: The home.
        noted: A head (``NUMBER:HASH``) that was noted earlier: it must still stand in the chain. Without it, who has the site's secret and
            the database can replace the whole.
        now: The clock, for tests.

    Raises:
        UsageError: ``noted`` is no head.
    """
    asked = _noted(noted)
    secret = services.secret
    problems: list[str] = []
    previous, expected, number = NO_PREVIOUS, 1, 0
    hashes_noted: str | None = None
    with services.db.read() as tx:
        head = _head(tx, problems)
        try:
            for row in search_log.rows_of(tx):
                number = row.number
                problems += _problems(row, previous=previous, expected=expected, secret=secret)
                previous, expected = row.hash, row.number + 1
                if asked and row.number == asked[0]:
                    hashes_noted = row.hash
        except (ValueError, TypeError):
            problems.append(f"after row {number}: a row cannot be read")
        rows = search_log.count(tx)
    problems += _end(head, number=number, last=previous, secret=secret)
    if asked and hashes_noted != asked[1]:
        problems.append(f"row {asked[0]}: not the one that was noted")
    log_event("search_log_verified", rows=rows, problems=len(problems))
    return LogReport(
        verified_at=(now or utc_now()).isoformat(),
        passed=not problems,
        rows=rows,
        head=f"{head.number}:{head.hash}" if head else None,
        problems=problems[:_SHOWN],
    )


def _head(tx: Connection, problems: list[str]) -> Head | None:
    try:
        return search_log.head(tx)
    except ClindexError as error:
        problems.append(error.message)
        return None


def _problems(row: LogRow, *, previous: str, expected: int, secret: bytes) -> list[str]:
    found = []
    if row.number != expected:
        found.append(f"row {row.number}: {row.number - expected} rows before it are missing")
    elif row.previous != previous:
        found.append(f"row {row.number}: it does not follow the row before")
    if not _same(row.hash, search_log.hash_of(row.number, row.entry, row.previous)):
        found.append(f"row {row.number}: changed")
    if not _same(row.seal, search_log.seal_of(secret, row.hash)):
        found.append(f"row {row.number}: not sealed by this site")
    return found


def _end(head: Head | None, *, number: int, last: str, secret: bytes) -> list[str]:
    if head is None:
        return ["the head is gone"] if number else []
    if not _same(head.seal, search_log.head_seal_of(secret, head.number, head.hash)):
        return ["the head is not sealed by this site"]
    if (head.number, head.hash) != (number, last):
        return [f"the newest row is {number}, and the head says {head.number}"]
    return []


def _noted(value: str | None) -> tuple[int, str] | None:
    if value is None:
        return None
    found = _HEAD.match(value)
    if not found:
        raise UsageError("a head is NUMBER:HASH", remedy="`clindex audit verify --json` shows it as `head`.")
    return int(found[1]), found[2]


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
