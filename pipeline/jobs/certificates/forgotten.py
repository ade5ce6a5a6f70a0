"""Certificates that truth has forgotten: it was restored from a backup that is older than their deletions. Their files tell what must go again.

Whoever takes documents in, writes points or deletes calls ``recall`` first: without the suppressions the next ingestion would take in again
what was deleted for good, and the next certificate would start another chain beside the first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.vocabulary import DeletionCause, DeletionState
from pipeline.jobs.certificates.model import Certificate, body_hash, certificate_files, head_seal_of, same, seal_of
from pipeline.jobs.deletion.request import not_yet_deleted, withdraw
from pipeline.observability import log_event
from pipeline.storage import certificates, deletions, suppressions
from pipeline.storage.certificates import NO_PREVIOUS, CertificateRow
from pipeline.storage.deletions import Deletion
from pipeline.wiring import Services

_REASON = "asked for again: truth was restored from before certificate %d"  # the person's own words went with the row


def recall(services: Services) -> int:
    """Ask again for every deletion of which there is a certificate's file and truth knows nothing. Returns how many.

    In one commit their subjects are suppressed and their documents withdrawn; ``finish_open`` erases them again. A certificate that goes on
    where truth's chain ends takes its place in it as it was issued; one that does not is issued anew. A file that this site did not seal is
    left alone: anybody could have put it there, and ``clindex certificate verify`` names it. Where nothing is forgotten it costs the listing
    of one folder and one question to truth.
    """
    with services.db.read() as tx:
        missing = _unknown(services, tx)
    if not missing:
        return 0
    with services.db.begin() as tx:
        suppressions.in_turn(tx, alone=True)
        found = [one for path in _unknown(services, tx) if (one := _sealed(services, path)) is not None]
        for one in found:
            _ask_again(services, tx, one)
    for one in found:
        log_event("deletion_recalled", level=logging.WARNING, deletion_id=one.body.deletion_id, number=one.body.number)
    return len(found)


def _unknown(services: Services, tx: Connection) -> list[Path]:
    """Return files of certificates whose deletions truth does not know, in the chain's order."""
    files = list(_named(services))
    known = deletions.known_among(tx, [one for _, one in files])
    return [path for path, one in files if one not in known]


def _named(services: Services) -> Iterator[tuple[Path, UUID]]:
    for path in certificate_files(services.settings):
        try:
            yield path, UUID(path.stem.partition("-")[2])
        except ValueError:  # nothing of ours
            continue


def _sealed(services: Services, path: Path) -> Certificate | None:
    """Return a certificate that this site has sealed, to the last byte; ``None`` for any other file."""
    try:
        content = path.read_bytes()
        one = Certificate.model_validate_json(content)
        _ = datetime.fromisoformat(one.body.requested_at), datetime.fromisoformat(one.body.issued_at), DeletionCause(one.body.cause)
    except (OSError, ValueError):
        one = None
    if (
        one is None
        or not same(one.hash, body_hash(one.body.model_dump(mode="json")))
        or not same(one.seal, seal_of(services.secret, one.hash))
        or content != one.file_bytes()
        or path.name != one.file_name
    ):
        log_event("certificate_unknown", level=logging.WARNING, number=path.name.partition("-")[0])
        return None
    return one


def _ask_again(services: Services, tx: Connection, one: Certificate) -> None:
    body = one.body
    requested = datetime.fromisoformat(body.requested_at)
    deletion = Deletion(
        UUID(body.deletion_id),
        DeletionCause(body.cause),
        body.patient,
        _REASON % body.number,
        body.requested_by,
        DeletionState.OPEN,
        requested,
    )
    ids = [UUID(document.document_id) for document in body.documents]
    deletions.add(tx, deletion)
    suppressions.suppress(tx, map(str, ids), deletion.deletion_id, requested)  # also of documents that truth does not know now
    withdraw(tx, deletion, not_yet_deleted(tx, ids))
    head = certificates.head(tx)
    number, previous = (head.number + 1, head.hash) if head else (1, NO_PREVIOUS)
    if body.number == number and same(body.previous, previous):
        row = CertificateRow(
            number,
            deletion.deletion_id,
            body.model_dump(mode="json"),
            previous,
            one.hash,
            one.seal,
            datetime.fromisoformat(body.issued_at),
        )
        certificates.add(tx, row, head_seal=head_seal_of(services.secret, number, one.hash))
