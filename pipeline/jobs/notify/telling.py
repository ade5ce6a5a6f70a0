"""Tells of runs that a person names, or of the last ones."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from pipeline.jobs.notify.facts import message_of, named
from pipeline.jobs.notify.model import NotifySummary
from pipeline.jobs.notify.sending import send
from pipeline.settings import Settings
from pipeline.storage.engine import Database
from pipeline.wiring import utc_now


def tell(db: Database, settings: Settings, run_ids: Sequence[UUID], *, dry_run: bool) -> NotifySummary:
    """Send the message about these runs (none: the last run of each kind), or only return it.

    Raises:
        UsageError: There is no run of such an id.
    """
    with db.read() as tx:
        message = message_of(tx, settings, named(tx, run_ids), now=utc_now())
    if message is None or dry_run:
        return NotifySummary(message=message)
    return NotifySummary(message=message, deliveries=send(message, settings))
