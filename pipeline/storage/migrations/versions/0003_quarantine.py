"""Quarantine: what the gate refused and why, and who let which content pass.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
_MYSQL: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "quarantine",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("content_hash", sa.String(32), nullable=False),
        sa.Column("fingerprint", sa.String(32), nullable=False),
        sa.Column("policy", sa.String(128), nullable=False),
        sa.Column("gate", sa.String(16), nullable=False),
        sa.Column("findings", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("since", _MOMENT, nullable=False),
        sa.Column("judged_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f("fk_quarantine_document_id_documents")),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_quarantine")),
        **_MYSQL,
    )
    op.create_table(
        "quarantine_releases",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("fingerprint", sa.String(32), nullable=False),
        sa.Column("content_hash", sa.String(32), nullable=False),
        sa.Column("policy", sa.String(128), nullable=False),
        sa.Column("gate", sa.String(16), nullable=False),
        sa.Column("classes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("released_by", sa.String(255), nullable=False),
        sa.Column("reason", _LONG_TEXT, nullable=False),
        sa.Column("released_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f("fk_quarantine_releases_document_id_documents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quarantine_releases")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_quarantine_releases_document_id"), "quarantine_releases", ["document_id"])
