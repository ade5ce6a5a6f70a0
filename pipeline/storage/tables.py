"""The tables of the truth: documents, how they came, and how they stand in the index. Studies, and what proves deletions, have files of their own.

Times are aware UTC, ids are UUIDs, hashes are hex digits. The first migration writes the same tables out; a test compares them.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    Uuid,
)

from pipeline.storage.types import CODE, FINGERPRINT, JSON_VALUE, KEY, LONG_TEXT, SCOPE, SHA256, UtcDateTime

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def table(name: str, *items: Any) -> Table:
    """Declare a table. MySQL's default collation ignores case and accents; a bytewise one agrees with the other databases."""
    return Table(name, METADATA, *items, mysql_engine="InnoDB", mysql_charset="utf8mb4", mysql_collate="utf8mb4_bin")


def document_reference(*, ondelete: str | None = None) -> Column[Any]:
    """Declare the key column that refers to a document."""
    return Column("document_id", Uuid, ForeignKey("documents.document_id", ondelete=ondelete), primary_key=True)


meta = table(
    "meta",
    Column("key", CODE, primary_key=True),
    Column("value", LONG_TEXT, nullable=False),
)

# How fresh a source said it was, and up to where it has been read.
source_state = table(
    "source_state",
    Column("source", CODE, primary_key=True),
    Column("scope", SCOPE, primary_key=True),
    Column("data_timestamp", String(64)),  # ISO 8601 as the source sent it
    Column("api_version", String(64)),
    Column("watermark", String(32)),  # ISO date of the newest update taken by a complete crawl
    Column("last_complete_at", UtcDateTime),
    Column("last_complete_crawl", Uuid),
)

crawls = table(
    "crawls",
    Column("crawl_id", Uuid, primary_key=True),
    Column("source", CODE, nullable=False),
    Column("scope", SCOPE, nullable=False),
    Column("parameters_hash", SHA256, nullable=False),
    Column("state", String(16), nullable=False),
    Column("next_token", LONG_TEXT),
    Column("promised", Integer),  # records, as the source said on its first page
    Column("received", Integer, nullable=False, server_default="0"),  # readable records, duplicates included
    Column("pages", Integer, nullable=False, server_default="0"),
    Column("failed", Integer, nullable=False, server_default="0"),
    Column("data_timestamp", String(64)),
    Column("api_version", String(64)),
    Column("started_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Index(None, "source", "state"),
)

# What one crawl named. Vanished = live in truth, and not named by a complete one.
listing = table(
    "listing",
    Column("crawl_id", Uuid, ForeignKey("crawls.crawl_id", ondelete="CASCADE"), primary_key=True),
    Column("source_key", KEY, primary_key=True),
    Column("payload_sha256", SHA256, nullable=False),
    Column("position", Integer, nullable=False),  # ascending in the order the crawl saw them
    Column("updated", String(64)),  # ISO date, as the source sent it
    Column("origin", LONG_TEXT, nullable=False),
)

runs = table(
    "runs",
    Column("run_id", Uuid, primary_key=True),
    Column("kind", CODE, nullable=False),
    Column("state", String(16), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("counts", JSON_VALUE),
    Column("host", String(255)),  # where the process that began it runs
    Column("pid", Integer),
    Column("pid_started", BigInteger),  # clock ticks since boot, so that a number that is used again is not believed; NULL: not known
    Column("beat_at", UtcDateTime),  # when it last gave a sign of life
    Index(None, "kind", "started_at"),
)

run_outcomes = table(
    "run_outcomes",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", Uuid, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("stage", CODE, nullable=False),
    Column("severity", String(16), nullable=False),
    Column("category", CODE, nullable=False),
    Column("source_key", KEY),
    Column("field", String(255)),
    Column("value", LONG_TEXT),
    Column("origin", LONG_TEXT),
    Column("count", Integer, nullable=False, server_default="1"),
)

documents = table(
    "documents",
    Column("document_id", Uuid, primary_key=True),
    Column("source", CODE, nullable=False),
    Column("source_key", KEY, nullable=False),
    Column("kind", CODE, nullable=False),
    Column("title", LONG_TEXT, nullable=False),
    Column("payload_sha256", SHA256, nullable=False),
    Column("content_hash", FINGERPRINT, nullable=False),
    Column("facets_hash", FINGERPRINT, nullable=False),
    Column("facets", JSON_VALUE, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),  # when its record last changed here
    Column("seen_at", UtcDateTime, nullable=False),  # when its source last named it
    Column("tombstoned_at", UtcDateTime, index=True),
    Column("root", FINGERPRINT),  # keyed hash of the folder it was listed in; NULL: its source has no folders
    UniqueConstraint("source", "source_key"),
    Index(None, "source", "kind"),
)

# Collections of points of this home. Which one is live is said here and nowhere else; an alias or pointer in the store follows.
collections = table(
    "collections",
    Column("name", CODE, primary_key=True),  # as the store knows it
    Column("role", String(16), nullable=False, index=True),
    Column("model", LONG_TEXT, nullable=False),  # the dense embedder's fingerprint
    Column("dimensions", Integer, nullable=False),
    Column("sparse", LONG_TEXT, nullable=False),
    Column("payload_version", String(16), nullable=False),
    Column("settings", JSON_VALUE, nullable=False),  # what opens its model: name or path, backend
    Column("reason", LONG_TEXT, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("promoted_at", UtcDateTime),
    Column("retired_at", UtcDateTime),
    Column("verdict", JSON_VALUE),  # of the gate that let it become live
)

# How far a collection agrees with the truth. It says what was done, never what is there: reconciliation reads the index itself.
index_state = table(
    "index_state",
    document_reference(),
    Column("collection", CODE, primary_key=True),
    Column("state", String(16), nullable=False),
    Column("generation", Integer, nullable=False, server_default="0"),  # the highest one ever given out for this collection
    Column("writing_generation", Integer),
    Column("live_generation", Integer),
    Column("live_fingerprint", FINGERPRINT),
    Column("live_facets_hash", FINGERPRINT),
    Column("live_recipe", FINGERPRINT),
    Column("live_chunks", Integer, nullable=False, server_default="0"),
    Column("live_digest", FINGERPRINT),  # of the points that must be there, whatever their order; NULL: written before there were digests
    Column("live_without_terms", Integer),  # chunks that have no sparse vector; NULL: not known, written before there were marks
    Column("error_category", CODE),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("updated_at", UtcDateTime, nullable=False),
    Index(None, "collection", "state"),
)

chunks = table(
    "chunks",
    Column("point_id", Uuid, primary_key=True),
    Column("document_id", Uuid, ForeignKey("documents.document_id"), nullable=False),
    Column("generation", Integer, nullable=False),
    Column("section", String(32), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("piece", Integer, nullable=False),
    Column("pieces", Integer, nullable=False),
    Column("is_exclusion", Boolean(create_constraint=False)),
    Column("scope", JSON_VALUE, nullable=False),
    Column("context", JSON_VALUE, nullable=False),
    Column("text", LONG_TEXT, nullable=False),
    Column("embed_text", LONG_TEXT),  # NULL: the same as text
    Column("part", CODE, nullable=False),
    Column("span_start", Integer, nullable=False),  # characters of the de-identified part, half-open
    Column("span_end", Integer, nullable=False),
    Column("page", Integer),
    Column("page_to", Integer),
    Column("headings", JSON_VALUE),  # of the sections around it, outermost first; NULL: none
    Column("content_type", String(16)),
    Column("element", String(16), nullable=False, server_default="text"),
    Column("element_number", Integer),
    Column("confidence", Float, nullable=False, server_default="1"),
    Column("suspects", JSON_VALUE),  # [[start, end], …] in the part; NULL: none
    Column("icd_codes", JSON_VALUE),
    Column("token_count", Integer, nullable=False),
    Column("text_hash", SHA256, nullable=False, index=True),  # of what is embedded
    Column("repeats", JSON_VALUE, nullable=False),
    Column("payload_hash", FINGERPRINT, nullable=False),
    Column("dense_mark", Double),  # by which its vector is known again (domain/vector_marks.py); NULL: written before there were marks
    Column("sparse_mark", Double),  # 0: no terms; NULL: written before there were marks
    Index(None, "document_id", "generation"),
)

# Where every character of a document's text went, by generation: that of the live one, and of those in other collections.
chunk_accounts = table(
    "chunk_accounts",
    document_reference(),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("outcome", String(32), nullable=False),
    Column("formats", JSON_VALUE, nullable=False),
    Column("language", String(16)),
    Column("characters", Integer, nullable=False),
    Column("chunked", Integer, nullable=False),
    Column("dropped", Integer, nullable=False),
    Column("redacted", Integer, nullable=False),
    Column("unexplained", Integer, nullable=False),
    Column("by_reason", JSON_VALUE, nullable=False),
    Column("text_version", FINGERPRINT),  # of the de-identified text; NULL: written before citations needed it
    Column("scrubbed_by", FINGERPRINT),  # of the policy and the known identifiers that de-identified it
)

# What reading a file gave, kept in landing: a file is read once by one version of the reader.
readings = table(
    "readings",
    Column(
        "reading_key", FINGERPRINT, primary_key=True
    ),  # keyed hash of the file's content, its media type and the reader with its options
    Column("artifact_sha256", SHA256, nullable=False),
    Column("content_key", FINGERPRINT, index=True),  # keyed hash of the file's content alone; NULL: kept before deletions needed it
    Column("read_at", UtcDateTime, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("peak_bytes", BigInteger, nullable=False),
)

# The account of every page of a file, as it was read last. No text.
document_pages = table(
    "document_pages",
    document_reference(),
    Column("page", Integer, primary_key=True, autoincrement=False),
    Column("outcome", String(16), nullable=False),
    Column("reason", String(16)),
    Column("failure", CODE),
    Column("confidence", Float, nullable=False),
    Column("lowest", Float, nullable=False),
    Column("characters", Integer, nullable=False),
    Column("body", Integer, nullable=False),
    Column("furniture", Integer, nullable=False),
    Column("dropped", Integer, nullable=False),
    Column("unexplained", Integer, nullable=False),
    Column("tables", Integer, nullable=False),
    Column("figures", Integer, nullable=False),
    Column("suspects", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("skew", Float, nullable=False),
    Column("dpi", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
)

# Pictures of a document's pages: what was kept lies in landing. The caption stands in the chunk of the same element number.
document_figures = table(
    "document_figures",
    document_reference(),
    Column("position", Integer, primary_key=True, autoincrement=False),  # order on the pages, from 1
    Column("number", Integer, nullable=False),  # as chunks name it; 0: classified out
    Column("page", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("width", Integer, nullable=False),  # pixels
    Column("height", Integer, nullable=False),
    Column("image_sha256", SHA256),
    Column("on_redacted_page", Boolean(create_constraint=False), nullable=False),
    Column("captioned_by", String(16), nullable=False),
    Column("vision_tokens", Integer, nullable=False),
)

# Numbers that name a document: of its protocol, its registrations (many-to-many), its reference. Shape-checked, never free text.
document_identifiers = table(
    "document_identifiers",
    document_reference(),
    Column("scheme", String(32), primary_key=True),
    Column("value", KEY, primary_key=True),
    Column("provenance", String(16), nullable=False),
    Column("page", Integer),
    Column("own", Boolean(create_constraint=False), nullable=False),  # False: of another document that this one mentions
    Index(None, "scheme", "value"),
)

# Rows of tables, de-identified, by generation. ``number`` 0 holds the names of the columns.
table_rows = table(
    "table_rows",
    document_reference(),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("table_number", Integer, primary_key=True, autoincrement=False),  # within the document, from 1
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("page", Integer),
    Column("cells", JSON_VALUE, nullable=False),  # as printed, one a column
)

# Documents that the gate refused, as it judged them last: classes, counts and offsets, no text.
quarantine = table(
    "quarantine",
    document_reference(),
    Column("content_hash", FINGERPRINT, nullable=False),
    Column("fingerprint", FINGERPRINT, nullable=False),  # of the content and recipe that were judged
    Column("policy", String(128), nullable=False),
    Column("gate", String(16), nullable=False),
    Column("findings", JSON_VALUE, nullable=False),
    Column("since", UtcDateTime, nullable=False),
    Column("judged_at", UtcDateTime, nullable=False),
)

# Who let a document pass that the gate had refused, and why: only ever added to.
quarantine_releases = table(
    "quarantine_releases",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("document_id", Uuid, ForeignKey("documents.document_id"), nullable=False, index=True),
    Column("fingerprint", FINGERPRINT, nullable=False),
    Column("content_hash", FINGERPRINT, nullable=False),
    Column("policy", String(128), nullable=False),
    Column("gate", String(16), nullable=False),
    Column("classes", JSON_VALUE, nullable=False),
    Column("released_by", String(255), nullable=False),
    Column("reason", LONG_TEXT, nullable=False),
    Column("released_at", UtcDateTime, nullable=False),
)
