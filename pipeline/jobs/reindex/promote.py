"""Which collection is live: a candidate's promotion, and the way back. One commit each; the store's pointer follows.

A reader resolves the live collection and hydrates by its name: it sees the old one complete or the new one complete. Killed before the
commit, nothing happened; after it, the next command moves the pointer.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from pipeline.domain.errors import CollectionMissingError, GuardRefusedError, TransientError, UsageError
from pipeline.domain.vocabulary import CollectionRole, RunKind
from pipeline.jobs.pointer import ensure_pointer
from pipeline.jobs.reindex.build import behind, fill
from pipeline.jobs.reindex.gate import judge, refusal_of
from pipeline.jobs.reindex.summaries import SwitchSummary, Verdict
from pipeline.observability import log_event
from pipeline.storage import chunks as chunk_store
from pipeline.storage import collections, runs
from pipeline.storage.collections import CollectionRecord
from pipeline.wiring import Services, is_of_family, utc_now

# Each round indexes what changed during the one before: with a source that sends one document a second, the second round has a handful.
MAX_ROUNDS: Final = 5
_WRITERS: Final = frozenset({RunKind.INDEX.value, RunKind.REINDEX.value})


def promote(services: Services, record: CollectionRecord, *, verdict: Verdict | None = None) -> SwitchSummary:
    """Make a candidate the live collection.

    Args:
        services: The home.
        record: The candidate.
        verdict: What the gate said of it lately; ``None``: it is judged now. What is indexed after the verdict is read back as it is written.

    Raises:
        GuardRefusedError: The gate stands against it, or an index run is at work. Nothing was switched.
        TransientError: Documents changed faster than they were indexed.
    """
    if behind(services, record):
        fill(services, record)
    verdict = verdict if verdict is not None else judge(services, record)
    if not verdict.passed:
        raise refusal_of(verdict)
    live = services.live().collection
    for number in range(1, MAX_ROUNDS + 1):
        start = time.monotonic()
        if _switch(services, record, verdict):
            ensure_pointer(services)
            seconds = round(time.monotonic() - start, 4)
            log_event("promoted", collection=record.name, previous=live, seconds=seconds)
            return SwitchSummary(live=record.name, previous=live, rounds=number, behind=0, switch_seconds=seconds, verdict=verdict)
        fill(services, record)
    raise TransientError(
        f"documents kept changing: {record.name} was behind after {MAX_ROUNDS} rounds", remedy="Promote when no ingestion is running."
    )


def _switch(services: Services, record: CollectionRecord, verdict: Verdict) -> bool:
    """Change the roles, unless a document changed since the candidate was filled. Returns whether it did."""
    with services.db.begin() as tx:
        _refuse_writers(tx, utc_now())
        collections.hold_documents(tx)
        found = collections.get(tx, record.name)
        if found is None or found.role is not CollectionRole.CANDIDATE:
            raise UsageError(f"{record.name} is no candidate any more", remedy="`clindex collections` shows what there is.")
        if behind(services, record):
            return False
        collections.promote(tx, record.name, utc_now(), verdict=verdict.model_dump(mode="json"))
    return True


def _refuse_writers(tx: Connection, now: datetime) -> None:
    """A run at work writes to the collection that was live when it began."""
    at_work = [run for run in runs.alive(tx, now) if run.kind in _WRITERS]
    if at_work:
        raise GuardRefusedError(
            f"{len(at_work)} index runs are at work, such as {at_work[0].run_id}",
            remedy="Wait until they are done; `clindex status` shows runs.",
        )


def roll_back(services: Services) -> SwitchSummary:
    """Make the collection that was live before the live one again.

    It is not refused for being behind: this is for the hour when the new collection is wrong. What was deleted meanwhile cannot show (truth
    decides), what changed is named in ``behind``, and the next ``clindex index`` writes it.

    Raises:
        UsageError: There is none to go back to.
        GuardRefusedError: It holds fewer points than truth says, or an index run is at work. Nothing was switched.
    """
    with services.db.read() as tx:
        previous = _previous(tx, services.settings.collection)
    if previous is None:
        raise UsageError("there is no collection to go back to", remedy="`clindex collections` shows what there is.")
    live = services.live().collection
    _require_points(services, previous)
    start = time.monotonic()
    with services.db.begin() as tx:
        _refuse_writers(tx, utc_now())
        now_previous, now_live = collections.get(tx, previous.name), collections.live(tx)
        if now_previous is None or now_previous.role is not CollectionRole.PREVIOUS or now_live is None or now_live.name != live:
            raise GuardRefusedError("another switch was faster; nothing was done", remedy="`clindex collections` shows what there is.")
        collections.promote(tx, previous.name, utc_now())
    ensure_pointer(services)
    seconds = round(time.monotonic() - start, 4)
    log_event("rolled_back", collection=previous.name, previous=live, seconds=seconds)
    return SwitchSummary(live=previous.name, previous=live, rounds=0, behind=behind(services, previous), switch_seconds=seconds)


def _previous(tx: Connection, first: str) -> CollectionRecord | None:
    """Return the collection of this family that was live last."""
    found = [one for one in collections.of_role(tx, CollectionRole.PREVIOUS) if is_of_family(one.name, first)]
    return max(found, key=lambda one: one.promoted_at or one.created_at, default=None)


def _require_points(services: Services, record: CollectionRecord) -> None:
    """A collection that lost points while nobody looked must not go live.

    More points than truth expects are of documents that were tombstoned meanwhile: they are shown to nobody, and the next index run removes them.
    """
    there = services.at(record)
    with there.index.session() as index:
        info: Any = index.describe()
        if info is None:
            raise CollectionMissingError(
                f"the collection {record.name} is not in the store", remedy="Build one: `clindex reindex --candidate`."
            )
        with services.db.read() as tx:
            expected = chunk_store.expected_count(tx, collection=record.name)
        found = info.points
    if info.spec != record.spec or found is None or found < expected:
        raise GuardRefusedError(
            f"{record.name} holds {found} points and should hold at least {expected}, or was made for something else; nothing was switched",
            remedy="Build a new one: `clindex reindex --candidate --reason TEXT`.",
        )
