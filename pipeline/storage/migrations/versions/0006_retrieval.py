"""Retrieval: keys of the API, the log of searches, feedback and interleaving, and what old citations are resolved by.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_JSON = sa.JSON(none_as_null=True)
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
_MYSQL: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}


def upgrade() -> None:
    """Add tables."""
    _api_keys()
    _search_log()
    _feedback()
    _citations()


def _api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.String(16), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("labels", _JSON),
        sa.Column("departments", _JSON),
        sa.Column("patients", _JSON),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT),
        sa.Column("revoked_at", _MOMENT),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_api_keys")),
        **_MYSQL,
    )


def _search_log() -> None:
    op.create_table(
        "search_log",
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("search_id", sa.Uuid(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("key_id", sa.String(16)),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("endpoint", sa.String(64), nullable=False),
        sa.Column("query_hash", sa.String(64)),
        sa.Column("filters", _JSON, nullable=False),
        sa.Column("documents", _JSON, nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.UniqueConstraint("search_id", name=op.f("uq_search_log_search_id")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_search_log")),
        **_MYSQL,
    )


def _feedback() -> None:
    op.create_table(
        "interleavings",
        sa.Column("search_id", sa.Uuid(), nullable=False),
        sa.Column("first", sa.String(32), nullable=False),
        sa.Column("second", sa.String(32), nullable=False),
        sa.Column("teams", _JSON, nullable=False),
        sa.ForeignKeyConstraint(["search_id"], ["search_log.search_id"], name=op.f("fk_interleavings_search_id_search_log")),
        sa.PrimaryKeyConstraint("search_id", name=op.f("pk_interleavings")),
        **_MYSQL,
    )
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("search_id", sa.Uuid(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("event", sa.String(16), nullable=False),
        sa.Column("document_id", sa.Uuid()),
        sa.Column("position", sa.Integer()),
        sa.ForeignKeyConstraint(["search_id"], ["search_log.search_id"], name=op.f("fk_feedback_search_id_search_log")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feedback")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_feedback_search_id"), "feedback", ["search_id"])
    op.create_index(op.f("ix_feedback_at"), "feedback", ["at"])


def _citations() -> None:
    op.add_column("chunk_accounts", sa.Column("text_version", sa.String(32)))
    op.add_column("chunk_accounts", sa.Column("scrubbed_by", sa.String(32)))
    _of_document(
        "cited_versions",
        [
            sa.Column("generation", sa.Integer(), nullable=False, autoincrement=False),
            sa.Column("text_version", sa.String(32), nullable=False),
            sa.Column("scrubbed_by", sa.String(32), nullable=False),
            sa.Column("places", _JSON, nullable=False),
            sa.Column("superseded_at", _MOMENT, nullable=False),
        ],
        key="generation",
    )
    _of_document(
        "cited_texts", [sa.Column("text_key", sa.String(32), nullable=False), sa.Column("text", _TEXT, nullable=False)], key="text_key"
    )


def _of_document(name: str, columns: list[sa.Column[Any]], *, key: str) -> None:
    op.create_table(
        name,
        sa.Column("document_id", sa.Uuid(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f(f"fk_{name}_document_id_documents")),
        sa.PrimaryKeyConstraint("document_id", key, name=op.f(f"pk_{name}")),
        **_MYSQL,
    )
