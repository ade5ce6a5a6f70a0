"""Signs of life of a run, so that a killed one is not taken for one that goes on (``storage.runs``)."""

from __future__ import annotations

import time
from typing import Final
from uuid import UUID

from pipeline.storage import runs
from pipeline.wiring import Services, utc_now

# A small commit each; far below ``runs.SILENT_FOR``, so that many may be missed.
BEAT_SECONDS: Final = 30.0


class Heartbeat:
    """Gives a run's signs of life: call ``beat`` as often as you like, it writes one every ``BEAT_SECONDS``, the first at once."""

    def __init__(self, services: Services, run_id: UUID) -> None:
        self._services, self._run_id = services, run_id
        self._last: float | None = None

    def beat(self) -> None:
        """Write a sign of life if the last one is old enough."""
        now = time.monotonic()
        if self._last is not None and now - self._last < BEAT_SECONDS:
            return
        self._last = now
        with self._services.db.begin() as tx:
            runs.beat(tx, self._run_id, utc_now())
