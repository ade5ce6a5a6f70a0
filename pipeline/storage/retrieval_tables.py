"""The tables of retrieval: who may search, what was searched (a sealed chain), and what readers did with the hits. No text in any of them."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Uuid

from pipeline.storage.tables import table
from pipeline.storage.types import CODE, JSON_VALUE, SHA256, UtcDateTime

# Keys of the HTTP API. A revoked or expired one stays as a row: the log of searches names it.
api_keys = table(
    "api_keys",
    Column("key_id", String(16), primary_key=True),  # public part of the key
    Column("name", String(255), nullable=False),
    Column("role", String(16), nullable=False),
    Column("digest", SHA256, nullable=False),  # HMAC-SHA256 of the whole key by the site's secret
    Column("labels", JSON_VALUE),  # access labels that it is limited to; NULL: not limited by them
    Column("departments", JSON_VALUE),
    Column("patients", JSON_VALUE),  # pseudonyms
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
)

# Every answered request that showed documents, each row holding the hash of the one before: only ever added to.
search_log = table(
    "search_log",
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1, without a gap
    Column("search_id", Uuid, nullable=False, unique=True),
    Column("at", UtcDateTime, nullable=False),
    Column("key_id", String(16)),  # NULL: a request without a key
    Column("role", String(16), nullable=False),
    Column("endpoint", CODE, nullable=False),
    Column("query_hash", SHA256),  # HMAC-SHA256 by the site's secret; NULL: no query
    Column("filters", JSON_VALUE, nullable=False),  # closed vocabularies as they are, other values as keyed hashes
    Column("documents", JSON_VALUE, nullable=False),  # ids, in the order shown
    Column("hits", Integer, nullable=False),
    Column("previous", SHA256, nullable=False),  # hash of the row before; zeros for the first
    Column("hash", SHA256, nullable=False),
    Column("seal", SHA256, nullable=False),  # HMAC-SHA256 of the hash by the site's secret
)

# Two settings compared on one search: whose hit each shown document was.
interleavings = table(
    "interleavings",
    Column("search_id", Uuid, ForeignKey("search_log.search_id"), primary_key=True),
    Column("first", String(32), nullable=False),  # names of the settings
    Column("second", String(32), nullable=False),
    Column("teams", JSON_VALUE, nullable=False),  # {document id: name of the setting}
)

# What a reader did with a search or one of its hits.
feedback = table(
    "feedback",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("search_id", Uuid, ForeignKey("search_log.search_id"), nullable=False, index=True),
    Column("at", UtcDateTime, nullable=False, index=True),
    Column("event", String(16), nullable=False),
    Column("document_id", Uuid),  # NULL: about the search as a whole
    Column("position", Integer),  # of the hit, from 1
)
