"""The tables of what people decided and what was proved: approvals, deletions, suppressions, legal holds, certificates."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Uuid

from pipeline.storage.tables import table
from pipeline.storage.types import CODE, JSON_VALUE, LONG_TEXT, SHA256, UtcDateTime

# Who approved a repair plan or a large deletion that a guard had refused, and why: only ever added to.
approvals = table(
    "approvals",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("plan", String(64), nullable=False, index=True),
    Column("seal", SHA256, nullable=False),  # of the plan as it was approved
    Column("approved_by", String(255), nullable=False),
    Column("reason", LONG_TEXT, nullable=False),
    Column("approved_at", UtcDateTime, nullable=False),
)

# One request to delete: what was asked, why, by whom, how far it is. A request that was killed half-way is finished by the next run.
deletions = table(
    "deletions",
    Column("deletion_id", Uuid, primary_key=True),
    Column("cause", String(32), nullable=False),
    Column("patient", String(64)),  # pseudonym, where all of one patient's documents were named
    Column("reason", LONG_TEXT, nullable=False),
    Column("requested_by", String(255), nullable=False),
    Column("state", String(16), nullable=False, index=True),
    Column("requested_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
)

# What one request deletes. The evidence (ids of points, keyed hashes of bytes and texts) is what the verifier looks for.
deletion_documents = table(
    "deletion_documents",
    Column("deletion_id", Uuid, ForeignKey("deletions.deletion_id"), primary_key=True),
    Column("document_id", Uuid, primary_key=True, index=True),  # no reference: what truth holds of it may go one day
    Column("source", CODE, nullable=False),
    Column("kind", CODE, nullable=False),
    Column("state", String(16), nullable=False),
    Column("evidence", JSON_VALUE, nullable=False),
)

# What must not come back although its source still offers it, until a person lifts it. ``subject`` is a document's id or a patient's pseudonym.
suppressions = table(
    "suppressions",
    Column("subject", String(64), primary_key=True),
    Column("deletion_id", Uuid, nullable=False),
    Column("since", UtcDateTime, nullable=False),
)

# What must not be deleted, whoever asks. A released hold stays as a row.
legal_holds = table(
    "legal_holds",
    Column("hold_id", Uuid, primary_key=True),
    Column("subject", String(64), nullable=False, index=True),  # a document's id or a patient's pseudonym
    Column("reason", LONG_TEXT, nullable=False),
    Column("placed_by", String(255), nullable=False),
    Column("placed_at", UtcDateTime, nullable=False),
    Column("released_by", String(255)),
    Column("released_reason", LONG_TEXT),
    Column("released_at", UtcDateTime),
)

# Proofs of deletion, each holding the hash of the one before: only ever added to.
certificates = table(
    "certificates",
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1, without a gap
    Column("deletion_id", Uuid, nullable=False, unique=True),
    Column("body", JSON_VALUE, nullable=False),
    Column("previous", SHA256, nullable=False),  # hash of the certificate before; zeros for the first
    Column("hash", SHA256, nullable=False),
    Column("seal", SHA256, nullable=False),  # HMAC-SHA256 of the hash by the site's secret
    Column("issued_at", UtcDateTime, nullable=False),
)
