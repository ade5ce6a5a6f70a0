"""FHIR: resources with what became of them, their references, patients' numbers, and loads.

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_JSON = sa.JSON(none_as_null=True)
_MYSQL: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}


def upgrade() -> None:
    """Add tables."""
    _resources()
    _references()
    _patients()
    _loads()


def _resources() -> None:
    op.create_table(
        "fhir_resources",
        sa.Column("resource_key", sa.String(32), nullable=False),
        sa.Column("resource_type", sa.String(64), nullable=False),
        sa.Column("outcome", sa.String(64), nullable=False),
        sa.Column("payload_sha256", sa.String(64)),
        sa.Column("patient", sa.String(32)),
        sa.Column("order_key", sa.String(64)),
        sa.Column("path", sa.String(255)),
        sa.Column("rule", sa.String(64)),
        sa.Column("load_id", sa.Uuid(), nullable=False),
        sa.Column("scope", sa.String(512), nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("resource_key", name=op.f("pk_fhir_resources")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_fhir_resources_patient"), "fhir_resources", ["patient"])
    op.create_index(op.f("ix_fhir_resources_load_id"), "fhir_resources", ["load_id"])
    op.create_index(op.f("ix_fhir_resources_outcome_resource_type"), "fhir_resources", ["outcome", "resource_type"])


def _references() -> None:
    op.create_table(
        "fhir_references",
        sa.Column("resource_key", sa.String(32), nullable=False),
        sa.Column("target_key", sa.String(32), nullable=False),
        sa.Column("element", sa.String(64), nullable=False),
        _of_resource("fhir_references"),
        sa.PrimaryKeyConstraint("resource_key", "target_key", "element", name=op.f("pk_fhir_references")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_fhir_references_target_key"), "fhir_references", ["target_key"])


def _patients() -> None:
    op.create_table(
        "fhir_patients",
        sa.Column("alias", sa.String(32), nullable=False),
        sa.Column("patient", sa.String(32), nullable=False),
        sa.Column("resource_key", sa.String(32), nullable=False),
        _of_resource("fhir_patients"),
        sa.PrimaryKeyConstraint("alias", "patient", name=op.f("pk_fhir_patients")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_fhir_patients_resource_key"), "fhir_patients", ["resource_key"])
    op.create_index(op.f("ix_fhir_patients_patient"), "fhir_patients", ["patient"])


def _loads() -> None:
    op.create_table(
        "fhir_loads",
        sa.Column("load_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("scope", sa.String(512), nullable=False),
        sa.Column("is_full", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("transaction_time", sa.String(64)),
        sa.Column("promised", sa.Integer()),
        sa.Column("read", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("counts", _JSON),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("finished_at", _MOMENT),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_fhir_loads_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("load_id", name=op.f("pk_fhir_loads")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_fhir_loads_run_id"), "fhir_loads", ["run_id"])
    op.create_index(op.f("ix_fhir_loads_scope_started_at"), "fhir_loads", ["scope", "started_at"])


def _of_resource(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_resource_key_fhir_resources")
    return sa.ForeignKeyConstraint(["resource_key"], ["fhir_resources.resource_key"], name=name, ondelete="CASCADE")
