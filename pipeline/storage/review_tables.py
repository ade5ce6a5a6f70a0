"""The table of what people decided about findings. No text of any document."""

from __future__ import annotations

from sqlalchemy import Column, Index, String

from pipeline.storage.tables import table
from pipeline.storage.types import CODE, FINGERPRINT, JSON_VALUE, LONG_TEXT, UtcDateTime

# One row a decision; one that was withdrawn stays. No reference to a document: a decision may come before its document, from another home.
review_decisions = table(
    "review_decisions",
    Column("decision_id", FINGERPRINT, primary_key=True),
    Column("finding_id", FINGERPRINT, nullable=False, index=True),
    Column("kind", CODE, nullable=False),  # a ``FindingKind``
    Column("subject", String(64), nullable=False),  # a document's id, or a resource's key
    Column("rule", CODE, nullable=False),
    Column("locus", String(255), nullable=False),
    Column("basis", FINGERPRINT),
    Column("action", String(16), nullable=False),
    Column("fix", JSON_VALUE),
    Column("reason", CODE, nullable=False),
    Column("note", LONG_TEXT, nullable=False),
    Column("decided_by", String(255), nullable=False),
    Column("decided_at", UtcDateTime, nullable=False),
    Column("obeyed_at", UtcDateTime),  # when truth was last brought to it; NULL: the next run has to
    Column("withdrawn_by", String(255)),
    Column("withdrawn_at", UtcDateTime),
    Index(None, "subject", "kind"),
    Index(None, "obeyed_at"),
)
