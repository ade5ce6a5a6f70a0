"""Asks for a deletion: what is named is suppressed, tombstoned and withdrawn from every collection in one commit, unsearchable at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import Connection

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.vocabulary import DeletionCause, DeletionState
from pipeline.jobs.acting import acting_user
from pipeline.jobs.deletion.summaries import DeletionRequest
from pipeline.jobs.guards import refuse_large_deletion
from pipeline.observability import log_event
from pipeline.storage import deletions, documents, erasure, fhir_erasure, holds, suppressions
from pipeline.storage.deletions import DeletedDocument, Deletion
from pipeline.wiring import Services, utc_now

_PSEUDONYM: Final = re.compile(r"[0-9a-f]{32}\Z")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What a request would delete."""

    documents: list[DeletedDocument]
    already: int
    chunks: int
    alive: int  # documents of the whole home
    going: int  # of these, alive

    @property
    def ids(self) -> list[UUID]:
        return [one.document_id for one in self.documents]


def request(
    services: Services,
    *,
    documents: Sequence[UUID] | None = None,
    patient: str | None = None,
    cause: DeletionCause,
    reason: str,
    by: str | None = None,
    approve_large: bool = False,
) -> DeletionRequest:
    """Ask for a deletion. From the commit on nothing of it is found, and it is not taken again; ``carry_out`` removes it.

    Args:
        services: The home.
        documents: These; every one must be known.
        patient: In place of documents, all of one patient's (a pseudonym), also those that come later.
        cause: Why, as a code.
        reason: Why, in a person's words; kept for ever. It must name nobody.
        by: Who; ``None``: the operating system's user.
        approve_large: A person decided that a larger share than ``max_delete_share`` may go.

    Returns:
        The request; its ``deletion_id`` is ``None`` where all documents were deleted before.

    Raises:
        UsageError: Nothing or both were named, a document is unknown, a pseudonym is none, or the reason is empty.
        GuardRefusedError: A legal hold names one of them, or they are too large a share. Nothing was changed.
    """
    if not reason.strip():
        raise UsageError("a deletion needs a reason", remedy="Say why with --reason; it is kept with the certificate.")
    from pipeline.jobs.certificates.forgotten import recall  # it withdraws what it finds, and imports this module

    recall(services)
    now = utc_now()
    deletion = Deletion(uuid4(), cause, patient, reason.strip(), acting_user(by), DeletionState.OPEN, now)
    with services.db.begin() as tx:
        suppressions.in_turn(tx, alone=True)
        chosen = _choose(tx, documents, patient)
        _refuse_held(tx, chosen, patient)
        if not approve_large:
            refuse_large_deletion(services.settings, chosen.going, chosen.alive, what="documents to be deleted for good")
        if not chosen.documents and patient is None:
            return _summary(chosen, cause, patient, deletion_id=None)
        deletions.add(tx, deletion)
        withdraw(tx, deletion, chosen.documents)
    log_event("deletion_requested", deletion_id=str(deletion.deletion_id), cause=cause.value, documents=len(chosen.documents))
    return _summary(chosen, cause, patient, deletion_id=deletion.deletion_id)


def preview(
    services: Services, *, documents: Sequence[UUID] | None = None, patient: str | None = None, cause: DeletionCause
) -> DeletionRequest:
    """Return what ``request`` would delete. Raises as it does, but for the share."""
    with services.db.read() as tx:
        chosen = _choose(tx, documents, patient)
        _refuse_held(tx, chosen, patient)
    return _summary(chosen, cause, patient, deletion_id=None, dry_run=True)


def withdraw(tx: Connection, deletion: Deletion, found: Sequence[DeletedDocument]) -> None:
    """Name documents in a deletion, and let nobody find or take them from this commit on."""
    ids = [one.document_id for one in found]
    deletions.add_documents(tx, deletion.deletion_id, found)
    aliases = fhir_erasure.every_alias(tx, [deletion.patient]) if deletion.patient else set()
    subjects = [*map(str, ids), *sorted(aliases)]
    suppressions.suppress(tx, subjects, deletion.deletion_id, deletion.requested_at)
    documents.tombstone(tx, ids, deletion.requested_at)
    erasure.withdraw(tx, ids, deletion.requested_at)


def not_yet_deleted(tx: Connection, ids: Sequence[UUID]) -> list[DeletedDocument]:
    """Return those of the documents that no deletion has erased, or is about to."""
    wanted = sorted(set(ids))
    done = erasure.bare_among(tx, wanted) | deletions.pending_among(tx, wanted)
    known = documents.load_documents(tx, [one for one in wanted if one not in done])
    return [DeletedDocument(key, row.source, row.kind) for key, row in known.items()]


def _choose(tx: Connection, ids: Sequence[UUID] | None, patient: str | None) -> _Chosen:
    if (ids is None) == (patient is None):
        raise UsageError("name documents, or one patient", remedy="--document ID (repeatable), or --patient PSEUDONYM.")
    if patient is not None and not _PSEUDONYM.match(patient):
        raise UsageError("a patient's pseudonym has 32 hex digits", remedy="`clindex search --json` shows it with every hit.")
    named = sorted(set(ids or ()))
    if patient is not None:
        named = erasure.documents_of_patient(tx, *fhir_erasure.every_alias(tx, [patient]))
    known = documents.load_documents(tx, named)
    if len(known) < len(named):
        missing = min(set(named) - set(known))
        raise UsageError(
            f"{len(named) - len(known)} of {len(named)} documents are unknown, such as {missing}",
            remedy="`clindex search --json` shows the ids of documents. Nothing was deleted.",
        )
    found = not_yet_deleted(tx, named)
    return _Chosen(
        documents=found,
        already=len(named) - len(found),
        chunks=erasure.count_chunks(tx, [one.document_id for one in found]),
        alive=documents.live_count(tx),
        going=sum(not known[one.document_id].tombstoned for one in found),
    )


def _refuse_held(tx: Connection, chosen: _Chosen, patient: str | None) -> None:
    held = holds.held(tx, chosen.ids)
    if held:
        raise GuardRefusedError(
            f"refused: {len(held)} of {len(chosen.ids)} documents are under a legal hold",
            remedy="`clindex hold list` shows who placed it and why.",
        )
    if patient is not None and any(holds.patient_held(tx, one) for one in fhir_erasure.every_alias(tx, [patient])):
        raise GuardRefusedError("refused: the patient is under a legal hold", remedy="`clindex hold list` shows who placed it and why.")


def _summary(
    chosen: _Chosen, cause: DeletionCause, patient: str | None, *, deletion_id: UUID | None, dry_run: bool = False
) -> DeletionRequest:
    return DeletionRequest(
        deletion_id=None if deletion_id is None else str(deletion_id),
        cause=cause.value,
        patient=patient,
        documents=len(chosen.documents),
        chunks=chosen.chunks,
        live_documents=chosen.alive,
        already_deleted=chosen.already,
        dry_run=dry_run,
    )
