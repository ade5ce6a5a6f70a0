"""Re-indexing in place: a preview first, then a new generation for every chosen document of the live collection."""

from __future__ import annotations

from uuid import UUID

from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import DocumentKind, Source
from pipeline.jobs.index import is_incomplete, run_index
from pipeline.jobs.index_plan import IdRange
from pipeline.jobs.summaries import IndexSummary, Summary
from pipeline.storage import index_state
from pipeline.wiring import Services


class ReindexSummary(Summary):
    """What re-indexing would do, or did."""

    reason: str
    dry_run: bool
    preview: dict[str, int]
    index: IndexSummary | None

    @property
    def incomplete(self) -> bool:
        """Whether something was left out."""
        return self.index is not None and is_incomplete(self.index)


def run_reindex(
    services: Services, *, reason: str, kind: str | None = None, source: str | None = None, dry_run: bool = True
) -> ReindexSummary:
    """Write every document of a kind and source anew.

    Raises:
        UsageError: The reason is empty, or the kind or source does not exist.
    """
    if not reason.strip():
        raise UsageError("a reason is needed", remedy="It is kept with the run: --reason 'new chunker'.")
    _check("kind", kind, [one.value for one in DocumentKind])
    _check("source", source, [one.value for one in Source])
    chosen, points = choose(services, kind=kind, source=source)
    preview = {"documents": len(chosen), "points_live": points}
    if dry_run:
        return ReindexSummary(reason=reason, dry_run=True, preview=preview, index=None)
    return ReindexSummary(
        reason=reason, dry_run=False, preview=preview, index=run_index(services, documents=chosen, force=True, reason=reason)
    )


def choose(services: Services, *, kind: str | None, source: str | None, within: IdRange | None = None) -> tuple[list[UUID], int]:
    """Return the documents that the filters name (of a stretch of ids), and how many live points they have."""
    first, last = (within.first, within.last) if within else (None, None)
    with services.db.read() as tx:
        rows = [
            row
            for row in index_state.scan(tx, first, last)
            if not row.tombstoned and kind in (None, row.kind) and source in (None, row.source)
        ]
    return [row.document_id for row in rows], sum(row.live_chunks for row in rows)


def _check(name: str, value: str | None, known: list[str]) -> None:
    if value is not None and value not in known:
        raise UsageError(f"no such {name}", remedy=f"Known: {', '.join(known)}.")
