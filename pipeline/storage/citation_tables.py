"""The tables that let an old citation be told from a new text: superseded versions of documents, and those of their passages that are gone."""

from __future__ import annotations

from sqlalchemy import Column, Integer

from pipeline.storage.tables import document_reference, table
from pipeline.storage.types import FINGERPRINT, JSON_VALUE, LONG_TEXT, UtcDateTime

# Versions of a document's de-identified text that were live, and where their passages stood. The newest few of each document are kept.
cited_versions = table(
    "cited_versions",
    document_reference(),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("text_version", FINGERPRINT, nullable=False),
    Column("scrubbed_by", FINGERPRINT, nullable=False),  # what de-identified it: under another, its texts are neither kept nor shown
    Column("places", JSON_VALUE, nullable=False),  # [[section, ordinal, piece, part, start, end, page, key of the text], …]
    Column("superseded_at", UtcDateTime, nullable=False),
)

# De-identified passages that these versions had and the live one has not.
cited_texts = table(
    "cited_texts",
    document_reference(),
    Column("text_key", FINGERPRINT, primary_key=True),  # of the passage's text, parents included
    Column("text", LONG_TEXT, nullable=False),
)
