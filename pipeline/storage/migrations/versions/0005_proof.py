"""Proof: collections beside each other, digests and marks, deletions with their certificates, holds, suppressions, approvals.

Revision ID: 0005
Revises: 0004
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
_JSON = sa.JSON(none_as_null=True)
_MYSQL: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}


def upgrade() -> None:
    """Add columns and tables, and make three keys longer."""
    for column in (
        sa.Column("host", sa.String(255)),
        sa.Column("pid", sa.Integer()),
        sa.Column("pid_started", sa.BigInteger()),
        sa.Column("beat_at", _MOMENT),
    ):
        op.add_column("runs", column)
    op.add_column("readings", sa.Column("content_key", sa.String(32)))
    op.create_index(op.f("ix_readings_content_key"), "readings", ["content_key"])
    op.add_column("chunks", sa.Column("dense_mark", sa.Double()))
    op.add_column("chunks", sa.Column("sparse_mark", sa.Double()))
    _index_state()
    _chunk_accounts()
    _table_rows()
    _collections()
    _deletions()
    _people()


def _index_state() -> None:
    """One row a document and collection. What was written before belongs to the home's one collection, which ``init`` names."""
    kept = (
        "document_id", "state", "generation", "writing_generation", "live_generation", "live_fingerprint", "live_facets_hash", "live_recipe",
        "live_chunks", "error_category", "attempts", "updated_at",
    )  # fmt: skip
    _remake(
        "index_state",
        [
            sa.Column("collection", sa.String(64), nullable=False),
            sa.Column("state", sa.String(16), nullable=False),
            sa.Column("generation", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("writing_generation", sa.Integer()),
            sa.Column("live_generation", sa.Integer()),
            sa.Column("live_fingerprint", sa.String(32)),
            sa.Column("live_facets_hash", sa.String(32)),
            sa.Column("live_recipe", sa.String(32)),
            sa.Column("live_chunks", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("live_digest", sa.String(32)),
            sa.Column("live_without_terms", sa.Integer()),
            sa.Column("error_category", sa.String(64)),
            sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
            sa.Column("updated_at", _MOMENT, nullable=False),
        ],
        key=["collection"],
        kept=kept,
        added={"collection": "''"},
        indexes=[["collection", "state"]],
    )


def _chunk_accounts() -> None:
    numbers = ("characters", "chunked", "dropped", "redacted", "unexplained")
    _remake(
        "chunk_accounts",
        [
            _number("generation"),
            sa.Column("outcome", sa.String(32), nullable=False),
            sa.Column("formats", _JSON, nullable=False),
            sa.Column("language", sa.String(16)),
            *[sa.Column(name, sa.Integer(), nullable=False) for name in numbers],
            sa.Column("by_reason", _JSON, nullable=False),
        ],
        key=["generation"],
        kept=("document_id", "generation", "outcome", "formats", "language", *numbers, "by_reason"),
    )


def _table_rows() -> None:
    _remake(
        "table_rows",
        [
            _number("generation"),
            _number("table_number"),
            _number("number"),
            sa.Column("page", sa.Integer()),
            sa.Column("cells", _JSON, nullable=False),
        ],
        key=["generation", "table_number", "number"],
        kept=("document_id", "generation", "table_number", "number", "page", "cells"),
    )


def _remake(
    name: str,
    columns: list[sa.Column[Any]],
    *,
    key: list[str],
    kept: tuple[str, ...],
    added: dict[str, str] | None = None,
    indexes: list[list[str]] | None = None,
) -> None:
    """Give a table another primary key: SQLite alters none, so rows wait in a plain copy, the same way on every database."""
    waiting = f"{name}_0005"
    op.execute(f"CREATE TABLE {waiting} AS SELECT * FROM {name}")  # noqa: S608 - names of ours
    op.drop_table(name)
    op.create_table(
        name,
        sa.Column("document_id", sa.Uuid(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f(f"fk_{name}_document_id_documents")),
        sa.PrimaryKeyConstraint("document_id", *key, name=op.f(f"pk_{name}")),
        **_MYSQL,
    )
    for names in indexes or []:
        op.create_index(op.f(f"ix_{name}_{'_'.join(names)}"), name, names)
    more = added or {}
    into, values = ", ".join([*kept, *more]), ", ".join([*kept, *more.values()])
    op.execute(f"INSERT INTO {name} ({into}) SELECT {values} FROM {waiting}")  # noqa: S608 - names of ours
    op.drop_table(waiting)


def _collections() -> None:
    op.create_table(
        "collections",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("model", _TEXT, nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("sparse", _TEXT, nullable=False),
        sa.Column("payload_version", sa.String(16), nullable=False),
        sa.Column("settings", _JSON, nullable=False),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("promoted_at", _MOMENT),
        sa.Column("retired_at", _MOMENT),
        sa.Column("verdict", _JSON),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_collections")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_collections_role"), "collections", ["role"])


def _deletions() -> None:
    op.create_table(
        "deletions",
        sa.Column("deletion_id", sa.Uuid(), nullable=False),
        sa.Column("cause", sa.String(32), nullable=False),
        sa.Column("patient", sa.String(64)),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("requested_by", sa.String(255), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("requested_at", _MOMENT, nullable=False),
        sa.Column("finished_at", _MOMENT),
        sa.PrimaryKeyConstraint("deletion_id", name=op.f("pk_deletions")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_deletions_state"), "deletions", ["state"])
    op.create_table(
        "deletion_documents",
        sa.Column("deletion_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("evidence", _JSON, nullable=False),
        sa.ForeignKeyConstraint(["deletion_id"], ["deletions.deletion_id"], name=op.f("fk_deletion_documents_deletion_id_deletions")),
        sa.PrimaryKeyConstraint("deletion_id", "document_id", name=op.f("pk_deletion_documents")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_deletion_documents_document_id"), "deletion_documents", ["document_id"])
    op.create_table(
        "suppressions",
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("deletion_id", sa.Uuid(), nullable=False),
        sa.Column("since", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_suppressions")),
        **_MYSQL,
    )
    op.create_table(
        "certificates",
        _number("number"),
        sa.Column("deletion_id", sa.Uuid(), nullable=False),
        sa.Column("body", _JSON, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("issued_at", _MOMENT, nullable=False),
        sa.UniqueConstraint("deletion_id", name=op.f("uq_certificates_deletion_id")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_certificates")),
        **_MYSQL,
    )


def _people() -> None:
    op.create_table(
        "approvals",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("plan", sa.String(64), nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("approved_by", sa.String(255), nullable=False),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("approved_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_approvals_plan"), "approvals", ["plan"])
    op.create_table(
        "legal_holds",
        sa.Column("hold_id", sa.Uuid(), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("placed_by", sa.String(255), nullable=False),
        sa.Column("placed_at", _MOMENT, nullable=False),
        sa.Column("released_by", sa.String(255)),
        sa.Column("released_reason", _TEXT),
        sa.Column("released_at", _MOMENT),
        sa.PrimaryKeyConstraint("hold_id", name=op.f("pk_legal_holds")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_legal_holds_subject"), "legal_holds", ["subject"])


def _number(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=False, autoincrement=False)
