"""The first schema: runs and crawls, documents, studies with their children, chunks and index state.

Revision ID: 0001
Revises: none
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Written out here and not taken from the code, which moves on while this migration must not.
_MOMENT = sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb")
_MYSQL: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}
_PARTIAL_DATES = (
    "status_verified_date",
    "start_date",
    "primary_completion_date",
    "completion_date",
    "study_first_submit_date",
    "study_first_post_date",
    "last_update_submit_date",
    "last_update_post_date",
    "results_first_post_date",
)


def upgrade() -> None:
    """Make every table. There is no way down: what is older than this is an empty database."""
    _sources()
    _runs()
    _documents()
    _index()
    _studies()
    _identification()
    _conditions()
    _design()
    _outcomes_and_sites()


def _partial_date(name: str) -> list[sa.Column[Any]]:
    return [
        sa.Column(f"{name}_text", sa.String(64)),
        sa.Column(f"{name}_precision", sa.String(16)),
        sa.Column(f"{name}_sort", sa.Date()),
        sa.Column(f"{name}_type", sa.String(255)),
    ]


def _sources() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("value", _LONG_TEXT, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_meta")),
        **_MYSQL,
    )
    op.create_table(
        "source_state",
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("scope", sa.String(512), nullable=False),
        sa.Column("data_timestamp", sa.String(64)),
        sa.Column("api_version", sa.String(64)),
        sa.Column("watermark", sa.String(32)),
        sa.Column("last_complete_at", _MOMENT),
        sa.Column("last_complete_crawl", sa.Uuid()),
        sa.PrimaryKeyConstraint("source", "scope", name=op.f("pk_source_state")),
        **_MYSQL,
    )
    op.create_table(
        "crawls",
        sa.Column("crawl_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("scope", sa.String(512), nullable=False),
        sa.Column("parameters_hash", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("next_token", _LONG_TEXT),
        sa.Column("promised", sa.Integer()),
        sa.Column("received", sa.Integer(), server_default="0", nullable=False),
        sa.Column("pages", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("data_timestamp", sa.String(64)),
        sa.Column("api_version", sa.String(64)),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("finished_at", _MOMENT),
        sa.PrimaryKeyConstraint("crawl_id", name=op.f("pk_crawls")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_crawls_source_state"), "crawls", ["source", "state"])
    op.create_table(
        "listing",
        sa.Column("crawl_id", sa.Uuid(), nullable=False),
        sa.Column("source_key", sa.String(255), nullable=False),
        sa.Column("payload_sha256", sa.String(64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("updated", sa.String(64)),
        sa.Column("origin", _LONG_TEXT, nullable=False),
        sa.ForeignKeyConstraint(["crawl_id"], ["crawls.crawl_id"], name=op.f("fk_listing_crawl_id_crawls"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("crawl_id", "source_key", name=op.f("pk_listing")),
        **_MYSQL,
    )


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("finished_at", _MOMENT),
        sa.Column("counts", sa.JSON()),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_runs")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_runs_kind_started_at"), "runs", ["kind", "started_at"])
    op.create_table(
        "run_outcomes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("category", sa.String(64), nullable=False),
        sa.Column("source_key", sa.String(255)),
        sa.Column("field", sa.String(255)),
        sa.Column("value", _LONG_TEXT),
        sa.Column("origin", _LONG_TEXT),
        sa.Column("count", sa.Integer(), server_default="1", nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_run_outcomes_run_id_runs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_outcomes")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_run_outcomes_run_id"), "run_outcomes", ["run_id"])


def _documents() -> None:
    op.create_table(
        "documents",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.String(64), nullable=False),
        sa.Column("source_key", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("title", _LONG_TEXT, nullable=False),
        sa.Column("payload_sha256", sa.String(64), nullable=False),
        sa.Column("content_hash", sa.String(32), nullable=False),
        sa.Column("facets_hash", sa.String(32), nullable=False),
        sa.Column("facets", sa.JSON(), nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.Column("tombstoned_at", _MOMENT),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_documents")),
        sa.UniqueConstraint("source", "source_key", name=op.f("uq_documents_source_source_key")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_documents_source_kind"), "documents", ["source", "kind"])
    op.create_index(op.f("ix_documents_tombstoned_at"), "documents", ["tombstoned_at"])


def _index() -> None:
    op.create_table(
        "index_state",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("generation", sa.Integer(), server_default="0", nullable=False),
        sa.Column("writing_generation", sa.Integer()),
        sa.Column("live_generation", sa.Integer()),
        sa.Column("live_fingerprint", sa.String(32)),
        sa.Column("live_facets_hash", sa.String(32)),
        sa.Column("live_recipe", sa.String(32)),
        sa.Column("live_chunks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error_category", sa.String(64)),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f("fk_index_state_document_id_documents")),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_index_state")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_index_state_state"), "index_state", ["state"])
    op.create_table(
        "chunks",
        sa.Column("point_id", sa.Uuid(), nullable=False),
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("section", sa.String(32), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("piece", sa.Integer(), nullable=False),
        sa.Column("pieces", sa.Integer(), nullable=False),
        sa.Column("is_exclusion", sa.Boolean()),
        sa.Column("scope", sa.JSON(), nullable=False),
        sa.Column("context", sa.JSON(), nullable=False),
        sa.Column("text", _LONG_TEXT, nullable=False),
        sa.Column("embed_text", _LONG_TEXT),
        sa.Column("part", sa.String(64), nullable=False),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer()),
        sa.Column("token_count", sa.Integer(), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("repeats", sa.JSON(), nullable=False),
        sa.Column("payload_hash", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f("fk_chunks_document_id_documents")),
        sa.PrimaryKeyConstraint("point_id", name=op.f("pk_chunks")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_chunks_document_id_generation"), "chunks", ["document_id", "generation"])
    op.create_index(op.f("ix_chunks_text_hash"), "chunks", ["text_hash"])
    op.create_table(
        "chunk_accounts",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(32), nullable=False),
        sa.Column("formats", sa.JSON(), nullable=False),
        sa.Column("language", sa.String(16)),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("chunked", sa.Integer(), nullable=False),
        sa.Column("dropped", sa.Integer(), nullable=False),
        sa.Column("redacted", sa.Integer(), nullable=False),
        sa.Column("unexplained", sa.Integer(), nullable=False),
        sa.Column("by_reason", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], name=op.f("fk_chunk_accounts_document_id_documents")),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_chunk_accounts")),
        **_MYSQL,
    )


def _studies() -> None:
    op.create_table(
        "studies",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("nct_id", sa.String(32), nullable=False),
        sa.Column("brief_title", _LONG_TEXT),
        sa.Column("official_title", _LONG_TEXT),
        sa.Column("acronym", _LONG_TEXT),
        sa.Column("org_study_id", _LONG_TEXT),
        sa.Column("organization", _LONG_TEXT),
        sa.Column("overall_status", sa.String(255)),
        sa.Column("last_known_status", sa.String(255)),
        sa.Column("why_stopped", _LONG_TEXT),
        *[column for name in _PARTIAL_DATES for column in _partial_date(name)],
        sa.Column("lead_sponsor_name", _LONG_TEXT),
        sa.Column("lead_sponsor_class", sa.String(255)),
        sa.Column("brief_summary", _LONG_TEXT),
        sa.Column("detailed_description", _LONG_TEXT),
        sa.Column("study_type", sa.String(255)),
        sa.Column("allocation", sa.String(255)),
        sa.Column("intervention_model", sa.String(255)),
        sa.Column("observational_model", sa.String(255)),
        sa.Column("time_perspective", sa.String(255)),
        sa.Column("primary_purpose", sa.String(255)),
        sa.Column("masking", sa.String(255)),
        sa.Column("enrollment_count", sa.BigInteger()),
        sa.Column("enrollment_type", sa.String(255)),
        sa.Column("criteria", _LONG_TEXT),
        sa.Column("sex", sa.String(255)),
        sa.Column("minimum_age_text", _LONG_TEXT),
        sa.Column("minimum_age_days", sa.Float(precision=53)),
        sa.Column("maximum_age_text", _LONG_TEXT),
        sa.Column("maximum_age_days", sa.Float(precision=53)),
        sa.Column("healthy_volunteers", sa.Boolean()),
        sa.Column("gender_based", sa.Boolean()),
        sa.Column("gender_description", _LONG_TEXT),
        sa.Column("study_population", _LONG_TEXT),
        sa.Column("sampling_method", sa.String(255)),
        sa.Column("has_results", sa.Boolean()),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.document_id"], name=op.f("fk_studies_document_id_documents"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_studies")),
        sa.UniqueConstraint("nct_id", name=op.f("uq_studies_nct_id")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_studies_overall_status"), "studies", ["overall_status"])
    op.create_index(op.f("ix_studies_study_type"), "studies", ["study_type"])


def _identification() -> None:
    op.create_table(
        "study_aliases",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("alias", sa.String(255), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_aliases_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_aliases")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_study_aliases_alias"), "study_aliases", ["alias"])
    op.create_table(
        "study_secondary_ids",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("secondary_id", _LONG_TEXT, nullable=False),
        sa.Column("type", sa.String(255)),
        sa.Column("domain", _LONG_TEXT),
        sa.Column("link", _LONG_TEXT),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_secondary_ids_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_secondary_ids")),
        **_MYSQL,
    )
    op.create_table(
        "study_collaborators",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", _LONG_TEXT, nullable=False),
        sa.Column("sponsor_class", sa.String(255)),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_collaborators_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_collaborators")),
        **_MYSQL,
    )


def _conditions() -> None:
    op.create_table(
        "conditions",
        sa.Column("condition_id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name_hash", sa.String(64), nullable=False),
        sa.Column("name", _LONG_TEXT, nullable=False),
        sa.PrimaryKeyConstraint("condition_id", name=op.f("pk_conditions")),
        sa.UniqueConstraint("name_hash", name=op.f("uq_conditions_name_hash")),
        **_MYSQL,
    )
    op.create_table(
        "study_conditions",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("condition_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["condition_id"], ["conditions.condition_id"], name=op.f("fk_study_conditions_condition_id_conditions")),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_conditions_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_conditions")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_study_conditions_condition_id"), "study_conditions", ["condition_id"])
    op.create_table(
        "study_keywords",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("keyword", _LONG_TEXT, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_keywords_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_keywords")),
        **_MYSQL,
    )


def _design() -> None:
    op.create_table(
        "study_phases",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(255), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_phases_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_phases")),
        **_MYSQL,
    )
    op.create_table(
        "study_std_ages",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("std_age", sa.String(255), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_std_ages_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_std_ages")),
        **_MYSQL,
    )
    op.create_table(
        "study_who_masked",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("who", sa.String(255), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_who_masked_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_who_masked")),
        **_MYSQL,
    )
    op.create_table(
        "study_arm_groups",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("label", _LONG_TEXT, nullable=False),
        sa.Column("type", sa.String(255)),
        sa.Column("description", _LONG_TEXT),
        sa.Column("intervention_names", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_arm_groups_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_arm_groups")),
        **_MYSQL,
    )
    op.create_table(
        "study_interventions",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", _LONG_TEXT, nullable=False),
        sa.Column("type", sa.String(255)),
        sa.Column("description", _LONG_TEXT),
        sa.Column("arm_group_labels", sa.JSON(), nullable=False),
        sa.Column("other_names", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_interventions_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_interventions")),
        **_MYSQL,
    )


def _outcomes_and_sites() -> None:
    op.create_table(
        "study_outcomes",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("measure", _LONG_TEXT, nullable=False),
        sa.Column("description", _LONG_TEXT),
        sa.Column("time_frame", _LONG_TEXT),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_outcomes_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_outcomes")),
        **_MYSQL,
    )
    op.create_table(
        "study_locations",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("facility", _LONG_TEXT),
        sa.Column("status", sa.String(255)),
        sa.Column("city", _LONG_TEXT),
        sa.Column("state", _LONG_TEXT),
        sa.Column("zip", _LONG_TEXT),
        sa.Column("country", _LONG_TEXT),
        sa.Column("latitude", sa.Float(precision=53)),
        sa.Column("longitude", sa.Float(precision=53)),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_locations_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_locations")),
        **_MYSQL,
    )
    op.create_table(
        "study_notices",
        sa.Column("document_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("category", sa.String(64), nullable=False),
        sa.Column("field", sa.String(255), nullable=False),
        sa.Column("value", _LONG_TEXT),
        sa.ForeignKeyConstraint(
            ["document_id"], ["studies.document_id"], name=op.f("fk_study_notices_document_id_studies"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_study_notices")),
        **_MYSQL,
    )
    op.create_index(op.f("ix_study_notices_category"), "study_notices", ["category"])
