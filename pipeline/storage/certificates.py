"""Certificates of deletion: a chain in which each holds the hash of the one before. Only ever added to.

The chain's head (number, hash, seal) stands in ``meta`` too, so that a certificate that is taken away from the end is missed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, func, insert, select

from pipeline.domain.vocabulary import RunKind
from pipeline.storage import meta
from pipeline.storage.proof_tables import certificates
from pipeline.storage.tables import runs

#: ``previous`` of the first certificate.
NO_PREVIOUS: Final = "0" * 64

_HEAD_KEY: Final = "certificates_head"
_VERIFIED_KEY: Final = "certificates_verified"


@dataclass(frozen=True, slots=True)
class CertificateRow:
    """One certificate as it is stored. ``body`` is all that its hash is made of; number, previous and time stand in it too."""

    number: int
    deletion_id: UUID
    body: Mapping[str, Any] = field(repr=False)
    previous: str
    hash: str
    seal: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class LastVerification:
    """How the last verification of certificates ended."""

    at: datetime
    passed: bool


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The newest certificate, as it was recorded beside the chain."""

    number: int
    hash: str
    seal: str


def add(tx: Connection, row: CertificateRow, *, head_seal: str) -> None:
    """Add a certificate and make it the chain's head.

    Raises:
        StoreRejectedError: Another process has used its number, or certified its deletion; at the transaction's end.
    """
    values = {name: getattr(row, name) for name in CertificateRow.__dataclass_fields__}
    tx.execute(insert(certificates).values({**values, "body": dict(row.body)}))
    meta.put(tx, _HEAD_KEY, json.dumps({"number": row.number, "hash": row.hash, "seal": head_seal}))


def head(tx: Connection) -> ChainHead | None:
    """Return what was recorded as the chain's head; ``None`` where no certificate was ever issued.

    Raises:
        ValueError: What stands there is none. Holds no value.
    """
    stored = meta.get(tx, _HEAD_KEY)
    if stored is None:
        return None
    try:
        values = json.loads(stored)
        return ChainHead(int(values["number"]), str(values["hash"]), str(values["seal"]))
    except (ValueError, KeyError, TypeError):
        raise ValueError("no head of a chain") from None


def last(tx: Connection) -> CertificateRow | None:
    """Return the certificate with the highest number."""
    return _first(tx, select(certificates).order_by(certificates.c.number.desc()).limit(1))


def get(tx: Connection, number: int) -> CertificateRow | None:
    """Return a certificate, or ``None``."""
    return _first(tx, select(certificates).where(certificates.c.number == number))


def of_deletion(tx: Connection, deletion_id: UUID) -> CertificateRow | None:
    """Return the certificate of a deletion, or ``None``."""
    return _first(tx, select(certificates).where(certificates.c.deletion_id == deletion_id))


def listed(tx: Connection) -> list[CertificateRow]:
    """Return all certificates in the chain's order."""
    return [_row(row) for row in tx.execute(select(certificates).order_by(certificates.c.number))]


def count(tx: Connection) -> int:
    """Return how many there are."""
    number: int = tx.execute(select(func.count()).select_from(certificates)).scalar_one()
    return number


def keep_verification(tx: Connection, verification: LastVerification) -> None:
    """Record how a verification ended, in place of the one before."""
    meta.put(tx, _VERIFIED_KEY, json.dumps({"at": verification.at.isoformat(), "passed": verification.passed}))


def last_verification(tx: Connection) -> LastVerification | None:
    """Return how the last verification ended; ``None``: there was none."""
    stored = meta.get(tx, _VERIFIED_KEY)
    if stored is None:
        return None
    values = json.loads(stored)
    return LastVerification(datetime.fromisoformat(values["at"]), bool(values["passed"]))


def lifted(tx: Connection, since: datetime) -> set[str]:
    """Return the documents (ids) and patients (pseudonyms) that a person let be taken in again since a moment: runs keep who and why."""
    query = select(runs.c.counts).where(runs.c.kind == RunKind.DELETE.value, runs.c.started_at >= since)
    return {counts["lifted"]["subject"] for counts in tx.execute(query).scalars() if counts and "lifted" in counts}


def _first(tx: Connection, query: Any) -> CertificateRow | None:
    row = tx.execute(query).one_or_none()
    return None if row is None else _row(row)


def _row(row: Any) -> CertificateRow:
    return CertificateRow(**row._mapping)
