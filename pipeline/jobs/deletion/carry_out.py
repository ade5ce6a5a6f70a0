"""Carries deletions out: evidence, then points, vectors, bytes and rows, then a separate proof. Killed anywhere, the next run goes on.

The order is what makes it so: nothing is removed before it is written down, what names something goes after it, and the request is ``erased``
only when every store was rewritten.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from filelock import FileLock
from sqlalchemy import Connection

from pipeline.domain.errors import ClindexError, UsageError
from pipeline.domain.evidence import Evidence, joined
from pipeline.domain.vocabulary import DeletionState, ErasureState, RunKind, Source
from pipeline.jobs.deletion.evidence import keep_evidence
from pipeline.jobs.deletion.landed import Landed, find_landed, remove_landed
from pipeline.jobs.deletion.patient import Others, find_others, remove_others
from pipeline.jobs.deletion.probe_file import kept_probes
from pipeline.jobs.deletion.purge import expunge, purge_cache, purge_points, purge_rows, purge_undo_files, sweep_cache
from pipeline.jobs.deletion.request import not_yet_deleted, withdraw
from pipeline.jobs.deletion.summaries import DeletionOutcome
from pipeline.observability import ProgressReporter, log_event
from pipeline.storage import deletions, erasure, holds, runs, suppressions
from pipeline.storage.deletions import DeletedDocument, Deletion
from pipeline.wiring import Services, utc_now

_BATCH: Final = 50  # documents between two commits; evidence of one is some hundred ids


def carry_out(services: Services, deletion_id: UUID) -> DeletionOutcome:
    """Remove everything that is left of a deletion's documents. One that is erased already is left as it is.

    What a legal hold names since it was asked for is kept: unsearchable, and the deletion stays open until the hold is released.

    Raises:
        UsageError: There is no such deletion.
        WriteVerificationError, StoreUnavailableError, StoreBusyError: A store did not do it; the deletion stays open, run it again.
    """
    with _alone(services):
        deletion = _deletion(services, deletion_id)
        return _carry_out(services, deletion) if deletion.state is DeletionState.OPEN else _outcome(services, deletion)


@contextmanager
def _alone(services: Services) -> Iterator[None]:
    """Wait until nobody else on this machine carries a deletion out: two who rewrite the same files would undo each other's work."""
    folder = services.settings.home / "erasures"
    folder.mkdir(mode=0o700, exist_ok=True)
    with FileLock(folder / "lock", mode=0o600):
        yield


def _carry_out(services: Services, deletion: Deletion) -> DeletionOutcome:
    started = time.monotonic()
    deletion_id = deletion.deletion_id
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, RunKind.DELETE, utc_now())
    finished = False
    try:
        erased = _erase(services, deletion)
        if erased:
            with services.db.begin() as tx:
                deletions.set_state(tx, deletion_id, DeletionState.ERASED, utc_now())
        finished = True
    finally:
        outcome = _outcome(services, _deletion(services, deletion_id), seconds=time.monotonic() - started)
        state: runs.RunState = "failed" if not finished else "success" if erased else "incomplete"
        with services.db.begin() as tx:
            runs.finish_run(tx, run_id, state, outcome.model_dump(mode="json"), utc_now())
        log_event(
            "deletion_carried_out", deletion_id=str(deletion_id), state=outcome.state, documents=outcome.documents, points=outcome.points
        )
    return outcome


def finish_open(services: Services) -> list[DeletionOutcome]:
    """Carry out every deletion that is open, and prove what is not certified. One that fails is logged, stays as it is, and stops no other.

    Deletions that truth has forgotten are among them (``recall``). Where nothing is open it costs two questions to truth.
    """
    from pipeline.jobs.certificates.forgotten import recall  # it asks for deletions, and imports this package

    recall(services)
    probes = kept_probes(services)  # before truth is asked: a deletion that begins meanwhile keeps its own
    with services.db.read() as tx:
        waiting = deletions.of_state(tx, DeletionState.OPEN, DeletionState.ERASED)
    needed = {str(one.deletion_id) for one in waiting}
    for path in probes:
        if path.name.split(".")[0] not in needed:  # of a run that was killed between its certificate and their removal
            path.unlink(missing_ok=True)
    return [_finish(services, deletion) for deletion in waiting]


def _finish(services: Services, deletion: Deletion) -> DeletionOutcome:
    try:
        return prove(services, carry_out(services, deletion.deletion_id))
    except ClindexError as error:
        log_event("deletion_unfinished", level=logging.ERROR, deletion_id=str(deletion.deletion_id), error=type(error).__name__)
        return _outcome(services, _deletion(services, deletion.deletion_id))


def prove(services: Services, outcome: DeletionOutcome) -> DeletionOutcome:
    """Let the verifier look for what was erased, and certify it. One that is not erased is returned as it is.

    Raises:
        IncompleteRunError: The verifier met something; the deletion is open again.
    """
    from pipeline.jobs.certificates.issue import certify  # it reads deletions, and imports this package

    if outcome.state == DeletionState.OPEN:
        return outcome
    certificate = certify(services, UUID(outcome.deletion_id))
    return outcome.model_copy(update={"state": DeletionState.CERTIFIED.value, "certificate": certificate.body.number})


def _deletion(services: Services, deletion_id: UUID) -> Deletion:
    with services.db.read() as tx:
        found = deletions.get(tx, deletion_id)
    if found is None:
        raise UsageError(f"there is no deletion {deletion_id}", remedy="`clindex certificate list` shows those that were certified.")
    return found


def _erase(services: Services, deletion: Deletion) -> bool:
    """Remove everything. Returns whether nothing is kept by a hold."""
    with services.db.begin() as tx:
        suppressions.in_turn(tx, alone=True)
        named = list(deletions.documents_of(tx, deletion.deletion_id))
        late = _late(tx, deletion, named)
        withdraw(tx, deletion, [*named, *late])  # again: a truth restored from a backup, or what came while the request was made
        held = holds.held(tx, [one.document_id for one in named])
        keys = erasure.source_keys(tx, [one.document_id for one in (*named, *late)])
    going = [one for one in (*named, *late) if one.document_id not in held]
    landed = find_landed(services, [keys[one.document_id] for one in going]) if going else {}
    others = Others() if held else find_others(services, deletion, {key for source, key in keys.values() if source == Source.FHIR})
    if going:
        landed[going[0].document_id].add(others.landed)  # what is no document leaves its evidence with one that is
    gone = {one.document_id for one in going}
    with ProgressReporter("delete documents", total=len(going)) as progress:
        for start in range(0, len(going), _BATCH):
            ids = [one.document_id for one in going[start : start + _BATCH]]
            _erase_batch(services, deletion, ids, landed, gone)
            progress.advance(len(ids))
    remove_others(services, others)
    if going or others.keys:
        sweep_cache(services)
        expunge(services)
    return not held


def _late(tx: Connection, deletion: Deletion, named: Sequence[DeletedDocument]) -> list[DeletedDocument]:
    """Return documents of a suppressed patient that the deletion does not name yet."""
    if deletion.patient is None:
        return []
    aliases = {deletion.patient} | suppressions.patients_of(tx, deletion.deletion_id)
    found = set(erasure.documents_of_patient(tx, *aliases)) - {one.document_id for one in named}
    return not_yet_deleted(tx, sorted(found))


def _erase_batch(services: Services, deletion: Deletion, ids: Sequence[UUID], landed: dict[UUID, Landed], gone: set[UUID]) -> None:
    keep_evidence(services, deletion.deletion_id, ids, landed, but=gone)
    with services.db.read() as tx:
        batch = [one for one in deletions.documents_of(tx, deletion.deletion_id) if one.document_id in set(ids)]
    purge_points(services, batch)
    purge_cache(services, ids)
    for one in ids:
        remove_landed(services, landed[one])
    purge_undo_files(services, batch)
    purge_rows(services, deletion.deletion_id, ids)


def _outcome(services: Services, deletion: Deletion, *, seconds: float = 0.0) -> DeletionOutcome:
    with services.db.read() as tx:
        named = list(deletions.documents_of(tx, deletion.deletion_id))
        waiting = [one.document_id for one in named if one.state is ErasureState.REQUESTED]
        held = holds.held(tx, waiting)
    evidence = joined(one.evidence or Evidence({}) for one in named)
    return DeletionOutcome(
        deletion_id=str(deletion.deletion_id),
        cause=deletion.cause.value,
        state=deletion.state.value,
        documents=len(named),
        erased=len(named) - len(waiting),
        held=len(held),
        points=len(evidence.point_ids),
        texts=len(evidence.texts),
        landed=len(evidence.landed),
        rows=dict(evidence.rows or {}),
        seconds=round(seconds, 3),
    )
