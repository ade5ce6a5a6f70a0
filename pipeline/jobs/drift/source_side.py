"""The third side of reconciliation: what each source listed last, against truth. Reads truth only; nobody asks a source again.

Index and truth may be equal and both be wrong: a record that was listed and never taken is in neither. Every listed record is put into
exactly one class, every live document that a listing should name and does not is ``vanished``.
"""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.vocabulary import SourceClass
from pipeline.jobs.summaries import ReconcileSummary, SourceSide
from pipeline.storage import source_listings as listings
from pipeline.storage.source_listings import Difference, Listing
from pipeline.storage.suppressions import suppressed
from pipeline.wiring import Services

# These say that a source and truth disagree; the others have a reason that stands in truth itself.
DISAGREEMENTS: Final = (SourceClass.MISSING_IN_TRUTH, SourceClass.CHANGED, SourceClass.TOMBSTONED, SourceClass.VANISHED)

_BATCH: Final = 500  # values in one IN list
_NOT_TOLD: Final = "not_recorded"  # no outcome of the run names the record: its batch was lost, or truth was changed afterwards

#: Called with each difference: the listing, the record and the reason that its run recorded.
Note = Callable[[Listing, Difference, str | None], None]


def source_side(tx: Connection, note: Note | None = None) -> list[SourceSide]:
    """Return one row for each kept listing, by source, newest first.

    Args:
        tx: A transaction on truth.
        note: Called with each record that is not equal; ``None``: they are only counted.
    """
    return [_compare(tx, one, note) for one in listings.last_complete(tx)]


def with_sources(services: Services, summary: ReconcileSummary) -> ReconcileSummary:
    """Return a reconciliation's summary with the third side beside it; ``clean`` stays what it is, between index and truth."""
    with services.db.read() as tx:
        sides, evidence = write_evidence(tx, services.settings.reports_folder / "plans", UUID(summary.run_id))
    agree = all(one.agrees and one.sums_close for one in sides)
    return summary.model_copy(update={"sources": sides, "sources_agree": agree, "source_evidence": evidence})


def write_evidence(tx: Connection, folder: Path, run_id: UUID) -> tuple[list[SourceSide], str | None]:
    """Return the rows, and the path of ``source-RUN.jsonl`` where anything differs: ids, classes and categories, no keys and no text."""
    path, lines = folder / f"source-{run_id}.jsonl", 0
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:

        def note(of: Listing, one: Difference, reason: str | None) -> None:
            nonlocal lines
            lines += 1
            row = {"class": one.found.value, "document_id": str(one.document_id), "source": of.source, "scope": of.scope, "reason": reason}
            file.write(json.dumps(row) + "\n")

        sides = source_side(tx, note)
    if not lines:
        path.unlink()
    return sides, str(path) if lines else None


def _compare(tx: Connection, of: Listing, note: Note | None) -> SourceSide:
    classes: Counter[SourceClass] = Counter()
    reasons: Counter[str] = Counter()
    for one, reason in itertools.chain(_named(tx, of), _unnamed(tx, of)):
        classes[one.found] += 1
        if one.found in (SourceClass.MISSING_IN_TRUTH, SourceClass.CHANGED):
            reasons[reason or _NOT_TOLD] += 1
        if note is not None:
            note(of, one, reason)
    listed = sum(count for name, count in classes.items() if name is not SourceClass.VANISHED)
    classes[SourceClass.EQUAL] = listings.equal_count(tx, of)
    return SourceSide(
        source=of.source,
        scope=of.scope,
        listed_at=of.started_at,
        listed=of.listed,
        unreadable=of.failed,
        alive=listings.alive_count(tx, of),
        proves_absence=of.proves_absence,
        classes={name.value: classes[name] for name in SourceClass},
        reasons=dict(sorted(reasons.items())),
        agrees=not any(classes[name] for name in DISAGREEMENTS),
        sums_close=listed + classes[SourceClass.EQUAL] == of.listed,
    )


def _named(tx: Connection, of: Listing) -> Iterator[tuple[Difference, str | None]]:
    """Yield listed records that truth does not hold as listed, with the reason that the listing's run recorded."""
    for batch in _batches(listings.differences(tx, of)):
        told = listings.told(tx, of.run_id, [one.source_key for one in batch])
        kept_out = suppressed(tx, [str(one.document_id) for one in batch])
        for one in batch:
            reason = told.get(one.source_key)
            is_suppressed = str(one.document_id) in kept_out or reason == SourceClass.SUPPRESSED.value
            if is_suppressed and one.found is not SourceClass.SUPERSEDED:
                yield Difference(one.document_id, one.source_key, SourceClass.SUPPRESSED), reason
            else:
                yield one, reason


def _unnamed(tx: Connection, of: Listing) -> Iterator[tuple[Difference, str | None]]:
    """Yield what has vanished. A file that the listing named and could not read is there."""
    for batch in _batches(listings.vanished(tx, of)):
        told = listings.told(tx, of.run_id, [one.source_key for one in batch])
        yield from ((one, None) for one in batch if one.source_key not in told)


def _batches(found: Iterable[Difference]) -> Iterator[tuple[Difference, ...]]:
    source = iter(found)
    while batch := tuple(itertools.islice(source, _BATCH)):
        yield batch
