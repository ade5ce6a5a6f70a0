"""Tombstones what a complete listing does not name any more, unless that is too much at once, or a legal hold keeps it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.vocabulary import NoticeCategory
from pipeline.jobs.guards import refuse_large_deletion
from pipeline.settings import Settings
from pipeline.storage import crawls, documents, holds, runs
from pipeline.storage.runs import RunOutcome
from pipeline.wiring import utc_now


def tombstone_vanished(
    tx: Connection,
    settings: Settings,
    *,
    run_id: UUID,
    crawl_id: UUID,
    source: str,
    roots: Sequence[str] | None,
    failed: Collection[str],
) -> int:
    """Tombstone live documents that a listing does not name. Returns how many.

    Args:
        tx: A transaction.
        settings: The home's.
        run_id: The run that the report shows held documents with.
        crawl_id: The listing, complete.
        source: Whose documents.
        roots: Of these folders alone, where the source lists folders.
        failed: Keys that the listing named and could not read: what stands under them has not vanished.

    Raises:
        GuardRefusedError: So many vanished that the listing itself is suspect; nothing was tombstoned.
    """
    now = utc_now()
    missed = crawls.vanished(tx, crawl_id, source, now=now, roots=roots)
    gone = {key: source_key for key, source_key in missed if source_key not in failed}
    total = documents.live_count(tx, roots=roots)  # of the folders alone: beside many trials, all notes are few
    refuse_large_deletion(settings, len(gone), total, what="documents vanished from the listing")
    held = holds.held(tx, sorted(gone))
    kept = [RunOutcome("fetch", "notice", NoticeCategory.ON_HOLD.value, source_key=gone[key]) for key in sorted(held)]
    runs.add_outcomes(tx, run_id, kept)
    return documents.tombstone(tx, sorted(set(gone) - held), now)
