"""Undoes a repair: puts the index back as it was, ids, vectors and payloads, without embedding; truth is not touched.

What the index held comes back exactly, faults included: reconciliation then finds the drift that the repair had found. Documents that the
repair indexed anew have a new live generation in truth, and their points of that generation are removed: they are found again once
reconciliation has repaired them, or truth has been put back too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pipeline.domain.errors import GuardRefusedError, UsageError, WriteVerificationError
from pipeline.domain.points import PointFilter, payload_hash
from pipeline.domain.ports import VectorIndex
from pipeline.jobs.plans.evidence import running_jobs
from pipeline.jobs.plans.findings import in_batches
from pipeline.jobs.plans.model import plans_folder
from pipeline.jobs.plans.undo_file import finished_key, point_id_of, read_undo, remove_expired, undo_path, unpacked
from pipeline.jobs.plans.world import world_of
from pipeline.jobs.summaries import UndoSummary
from pipeline.observability import ProgressReporter, log_event
from pipeline.storage import meta
from pipeline.wiring import Services, utc_now

_BATCH: Final = 500  # points written back at once, with their vectors


def undo(services: Services, path: str) -> UndoSummary:
    """Put the index back as it was before a repair.

    Args:
        services: The home.
        path: Of the undo file, or of the plan beside it.

    Raises:
        UsageError: There is no undo file.
        GuardRefusedError: It was edited, is of another collection, a job is running, or index or truth have changed since the repair.
        WriteVerificationError: Something that was written back does not read back; undo again.
    """
    file = _file_of(path)
    head, saved, touched = _survey(services, file)
    with services.index.session() as index:
        removed = _remove_added(index, touched, saved)
        with ProgressReporter("restore points", total=len(saved)) as progress:
            restored = _restore(services, index, file, progress)
        points = index.count()
    log_event("plan_undone", plan=head["plan"], restored=restored, removed=removed)
    return UndoSummary(plan=head["plan"], restored=restored, removed=removed, points=points)


def _file_of(path: str) -> Path:
    given = Path(path)
    if given.name.startswith("plan-") and given.suffix == ".json":
        return undo_path(given.parent, given.stem.removeprefix("plan-"))
    return given


def _survey(services: Services, file: Path) -> tuple[dict[str, Any], set[UUID | int], list[UUID]]:
    """Read the whole file before anything is changed: its head, the ids of its points, and the documents that the repair wrote anew."""
    head: dict[str, Any] | None = None
    end: dict[str, Any] | None = None
    saved: set[UUID | int] = set()
    touched: list[UUID] = []
    for entry in read_undo(file, secret=services.secret):
        if "point" in entry:
            saved.add(point_id_of(entry["point"]))
        elif "touched" in entry:
            touched.append(UUID(entry["touched"]))
        else:
            head, end = entry.get("head", head), entry.get("end", end)
    if head is None:
        raise UsageError(f"{file} is no undo file", remedy="A repair writes one beside its plan and names it.")
    _refuse(services, head, end)
    return head, saved, touched


def _refuse(services: Services, head: dict[str, Any], end: dict[str, Any] | None) -> None:
    if head["collection"] != services.collection:
        raise GuardRefusedError(
            f"the repair was of collection {head['collection']}, and {services.collection} is live now",
            remedy="Points of another collection are not mixed in; what is wrong is found by `clindex reconcile`.",
        )
    with services.index.session() as index, services.db.read() as tx:
        finished = meta.get(tx, finished_key(head["plan"])) is not None
        running = [kind for kind, _ in running_jobs(tx)]
        now = {"world": world_of(tx, collection=services.collection), "points": index.count()}
    if finished and end is None:
        raise GuardRefusedError(
            f"the undo file of plan {head['plan']} ends early: the repair was finished, and the file's last line is missing",
            remedy="Nothing was restored; bring the file back whole, or leave the repair as it is.",
        )
    if running:
        raise GuardRefusedError(f"a job is running: {', '.join(running)}", remedy="Wait until it has ended.")
    if end is not None and end != now:
        raise GuardRefusedError(
            f"the index or the database has changed since the repair of plan {head['plan']}, or it was undone already",
            remedy="Undoing would put old points over newer ones. `clindex reconcile` says what is wrong now.",
        )


def _remove_added(index: VectorIndex, touched: list[UUID], saved: set[UUID | int]) -> int:
    """Remove points of documents that the repair wrote anew, but for those that were there before."""
    removed = 0
    for document in touched:
        added = [point.id for point in index.scan(PointFilter(document_ids=(document,))) if point.id not in saved]
        index.delete_points(added)
        removed += len(added)
    return removed


def _restore(services: Services, index: VectorIndex, file: Path, progress: ProgressReporter) -> int:
    restored = 0
    for batch in in_batches(_first_saved(read_undo(file, secret=services.secret)), _BATCH):
        points = [unpacked(entry) for entry in batch]
        index.restore(points)
        found = {point.id: payload_hash(point.payload) for point in index.retrieve([point.id for point in points])}
        if wrong := sum(found.get(point.id) != payload_hash(point.payload) for point in points):
            raise WriteVerificationError(f"{wrong} of {len(points)} points did not read back as they were", remedy="Undo again.")
        restored += len(points)
        progress.advance(len(points))
    return restored


def _first_saved(entries: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield each point as it was saved first: what was saved again later had been changed by the repair."""
    seen: set[UUID | int] = set()
    for entry in entries:
        if "point" in entry and (key := point_id_of(entry["point"])) not in seen:
            seen.add(key)
            yield entry["point"]


def remove_old_undo_files(services: Services) -> int:
    """Remove undo files that are older than the settings allow; returns how many."""
    removed = remove_expired(plans_folder(services), utc_now(), days=services.settings.undo_days)
    if removed:
        log_event("undo_files_removed", count=removed)
    return removed
