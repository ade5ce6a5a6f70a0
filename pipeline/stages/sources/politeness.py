"""How often a source may be asked, and how long to wait before asking again."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

Sleep = Callable[[float], None]  # seconds

_SECONDS: Final = re.compile(r"\d{1,9}", re.ASCII)


class Pacer:
    """Spaces requests evenly: never more than ``per_minute``, and no bursts."""

    def __init__(self, per_minute: float, *, sleep: Sleep, monotonic: Callable[[], float]) -> None:
        self._interval = 60.0 / per_minute  # seconds
        self._sleep = sleep
        self._monotonic = monotonic
        self._next_at: float | None = None

    def wait(self) -> None:
        """Return when the next request may be sent."""
        now = self._monotonic()
        begin = now if self._next_at is None else max(now, self._next_at)
        self._next_at = begin + self._interval
        if begin > now:
            self._sleep(begin - now)


def retry_after_seconds(value: str | None, *, now: datetime) -> float | None:
    """Read a ``Retry-After`` header (RFC 9110, 10.2.3: seconds or an HTTP date); ``None`` where it says nothing readable."""
    if value is None:
        return None
    if _SECONDS.fullmatch(value.strip()):
        return float(value)
    try:
        until = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    if until.tzinfo is None:  # "-0000": the header's dates are always in UTC
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
