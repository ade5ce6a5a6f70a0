"""Decisions of people about findings.

Revision ID: 0008
Revises: 0007
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_JSON = sa.JSON(none_as_null=True)
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
_MYSQL: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "review_decisions",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("finding_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("rule", sa.String(64), nullable=False),
        sa.Column("locus", sa.String(255), nullable=False),
        sa.Column("basis", sa.String(32)),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("fix", _JSON),
        sa.Column("reason", sa.String(64), nullable=False),
        sa.Column("note", _TEXT, nullable=False),
        sa.Column("decided_by", sa.String(255), nullable=False),
        sa.Column("decided_at", _MOMENT, nullable=False),
        sa.Column("obeyed_at", _MOMENT),
        sa.Column("withdrawn_by", sa.String(255)),
        sa.Column("withdrawn_at", _MOMENT),
        sa.PrimaryKeyConstraint("decision_id", name=op.f("pk_review_decisions")),
        **_MYSQL,
    )
    for columns in (["finding_id"], ["subject", "kind"], ["obeyed_at"]):
        op.create_index(op.f(f"ix_review_decisions_{'_'.join(columns)}"), "review_decisions", columns)
