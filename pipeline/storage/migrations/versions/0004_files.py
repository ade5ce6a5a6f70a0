"""Files with pages: how each was read, its pages, pictures, table rows and numbers, and what chunks say of pages and sections.

Revision ID: 0004
Revises: 0003
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_JSON = sa.JSON(none_as_null=True)
_MYSQL: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}


def upgrade() -> None:
    """Add the tables, and columns to chunks."""
    for column in _chunk_columns():
        op.add_column("chunks", column)
    op.create_table(
        "readings",
        sa.Column("reading_key", sa.String(32), nullable=False),
        sa.Column("artifact_sha256", sa.String(64), nullable=False),
        sa.Column("read_at", _MOMENT, nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("peak_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("reading_key", name=op.f("pk_readings")),
        **_MYSQL,
    )
    _pages()
    _of_document(
        "document_figures",
        [
            _number("position"),
            _number("number"),
            _number("page"),
            sa.Column("kind", sa.String(16), nullable=False),
            _number("width"),
            _number("height"),
            sa.Column("image_sha256", sa.String(64)),
            _flag("on_redacted_page"),
            sa.Column("captioned_by", sa.String(16), nullable=False),
            _number("vision_tokens"),
        ],
        key=["position"],
    )
    _of_document(
        "document_identifiers",
        [
            sa.Column("scheme", sa.String(32), nullable=False),
            sa.Column("value", sa.String(255), nullable=False),
            sa.Column("provenance", sa.String(16), nullable=False),
            sa.Column("page", sa.Integer()),
            _flag("own"),
        ],
        key=["scheme", "value"],
    )
    op.create_index(op.f("ix_document_identifiers_scheme_value"), "document_identifiers", ["scheme", "value"])
    _of_document(
        "table_rows",
        [
            _number("table_number"),
            _number("number"),
            _number("generation"),
            sa.Column("page", sa.Integer()),
            sa.Column("cells", _JSON, nullable=False),
        ],
        key=["table_number", "number"],
    )


def _chunk_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("page_to", sa.Integer()),
        sa.Column("headings", _JSON),
        sa.Column("content_type", sa.String(16)),
        sa.Column("element", sa.String(16), nullable=False, server_default="text"),
        sa.Column("element_number", sa.Integer()),
        sa.Column("confidence", sa.Float(), nullable=False, server_default="1"),
        sa.Column("suspects", _JSON),
        sa.Column("icd_codes", _JSON),
    ]


def _pages() -> None:
    counted = ("characters", "body", "furniture", "dropped", "unexplained", "tables", "figures", "suspects", "rotation")
    _of_document(
        "document_pages",
        [
            _number("page"),
            sa.Column("outcome", sa.String(16), nullable=False),
            sa.Column("reason", sa.String(16)),
            sa.Column("failure", sa.String(64)),
            sa.Column("confidence", sa.Float(), nullable=False),
            sa.Column("lowest", sa.Float(), nullable=False),
            *[_number(name) for name in counted],
            sa.Column("skew", sa.Float(), nullable=False),
            _number("dpi"),
            sa.Column("seconds", sa.Float(), nullable=False),
        ],
        key=["page"],
    )


def _of_document(name: str, columns: list[sa.Column[Any]], *, key: list[str]) -> None:
    op.create_table(
        name,
        sa.Column("document_id", sa.Uuid(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f(f"fk_{name}_document_id_documents")),
        sa.PrimaryKeyConstraint("document_id", *key, name=op.f(f"pk_{name}")),
        **_MYSQL,
    )


def _number(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=False, autoincrement=False)


def _flag(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Boolean(create_constraint=False), nullable=False)
