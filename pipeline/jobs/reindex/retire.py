"""Collections that are no more: previous ones after their grace, and candidates that somebody gave up.

The role is set first, the points go next and are found absent, then truth forgets what stood for them. Killed in between, the next run
finishes; until then deletions reach what may still be there.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pipeline.domain.errors import UsageError, WriteVerificationError
from pipeline.domain.vocabulary import CollectionRole
from pipeline.jobs.reindex.summaries import RetiredCollection, RetirementSummary
from pipeline.observability import log_event
from pipeline.storage import citation_archive, collections
from pipeline.storage.collections import CollectionRecord
from pipeline.wiring import Services, is_of_family, utc_now


def retire(services: Services, now: datetime, *, at_once: bool = False) -> RetirementSummary:
    """Retire the previous collections whose grace is over, and finish what was killed.

    Args:
        services: The home.
        now: The time.
        at_once: Whatever their grace: a person asked for it.
    """
    with services.db.begin() as tx:
        live = collections.live(tx)
        since = live.promoted_at if live else None
        until = None if since is None else since + timedelta(days=services.settings.collection_grace_days)
        previous = [one for one in collections.of_role(tx, CollectionRole.PREVIOUS) if is_of_family(one.name, services.settings.collection)]
        over = at_once or (until is not None and until <= now)
        for one in previous if over else ():
            collections.set_role(tx, one.name, CollectionRole.RETIRED)
    kept = {} if over else {one.name: "" if until is None else until.isoformat() for one in previous}
    return RetirementSummary(retired=finish(services, now), kept=kept)


def abandon(services: Services, now: datetime) -> RetirementSummary:
    """Give up the candidate.

    Raises:
        UsageError: There is none.
    """
    with services.db.begin() as tx:
        record = collections.newest(tx, CollectionRole.CANDIDATE)
        if record is None:
            raise UsageError("there is no candidate collection", remedy="`clindex collections` shows what there is.")
        collections.set_role(tx, record.name, CollectionRole.RETIRED)
    return RetirementSummary(retired=finish(services, now), kept={})


def finish(services: Services, now: datetime | None = None) -> list[RetiredCollection]:
    """Remove the points of every collection whose retirement was begun."""
    with services.db.read() as tx:
        begun = [one for one in collections.of_role(tx, CollectionRole.RETIRED) if one.retired_at is None]
    return [_remove(services, one, now or utc_now()) for one in begun]


def _remove(services: Services, record: CollectionRecord, now: datetime) -> RetiredCollection:
    index = services.catalog.open(record.name)
    with index.session():
        info = index.describe()
        points = (info.points if info else 0) or 0
        index.remove()  # also what is left of one whose removal was killed
    if record.name in services.catalog.names():
        raise WriteVerificationError(f"the collection {record.name} is still in the store after it was removed")
    with services.db.begin() as tx:
        citation_archive.supersede_collection(tx, record.name, now, keep=services.settings.citation_versions)
        rows = collections.forget(tx, record.name)
        collections.set_role(tx, record.name, CollectionRole.RETIRED, retired_at=now)
    log_event("collection_retired", collection=record.name, points=points, chunks=rows)
    return RetiredCollection(name=record.name, points=points, chunks=rows)
