"""The tables of studies: one row a study with every scalar, and a child table for each list, in the record's order.

Column names are the registry's v2 names in snake case (``pipeline.domain.study``). Children go with their study.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Date, Float, ForeignKey, Integer, String, Table, Uuid

from pipeline.storage.tables import document_reference, table
from pipeline.storage.types import CODE, JSON_VALUE, LONG_TEXT, REGISTRY_CODE, SHA256

# Fields of ``domain.study.Status`` that hold a partial date; each takes four columns.
PARTIAL_DATES = (
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


def _partial_date(name: str) -> list[Column[Any]]:
    return [
        Column(f"{name}_text", String(64)),
        Column(f"{name}_precision", String(16)),
        Column(f"{name}_sort", Date),  # the first day it can mean
        Column(f"{name}_type", REGISTRY_CODE),
    ]


def _child(name: str, *columns: Column[Any]) -> Table:
    return table(
        name,
        Column("document_id", Uuid, ForeignKey("studies.document_id", ondelete="CASCADE"), primary_key=True),
        Column("position", Integer, primary_key=True),
        *columns,
    )


studies = table(
    "studies",
    document_reference(ondelete="CASCADE"),
    Column("nct_id", String(32), nullable=False, unique=True),
    # Identification
    Column("brief_title", LONG_TEXT),
    Column("official_title", LONG_TEXT),
    Column("acronym", LONG_TEXT),
    Column("org_study_id", LONG_TEXT),
    Column("organization", LONG_TEXT),
    # Status
    Column("overall_status", REGISTRY_CODE, index=True),
    Column("last_known_status", REGISTRY_CODE),
    Column("why_stopped", LONG_TEXT),
    *[column for name in PARTIAL_DATES for column in _partial_date(name)],
    # Sponsor
    Column("lead_sponsor_name", LONG_TEXT),
    Column("lead_sponsor_class", REGISTRY_CODE),
    # Description
    Column("brief_summary", LONG_TEXT),
    Column("detailed_description", LONG_TEXT),
    # Design
    Column("study_type", REGISTRY_CODE, index=True),
    Column("allocation", REGISTRY_CODE),
    Column("intervention_model", REGISTRY_CODE),
    Column("observational_model", REGISTRY_CODE),
    Column("time_perspective", REGISTRY_CODE),
    Column("primary_purpose", REGISTRY_CODE),
    Column("masking", REGISTRY_CODE),
    Column("enrollment_count", BigInteger),
    Column("enrollment_type", REGISTRY_CODE),
    # Eligibility
    Column("criteria", LONG_TEXT),
    Column("sex", REGISTRY_CODE),
    Column("minimum_age_text", LONG_TEXT),
    Column("minimum_age_days", Float(53)),
    Column("maximum_age_text", LONG_TEXT),
    Column("maximum_age_days", Float(53)),
    Column("healthy_volunteers", Boolean(create_constraint=False)),
    Column("gender_based", Boolean(create_constraint=False)),
    Column("gender_description", LONG_TEXT),
    Column("study_population", LONG_TEXT),
    Column("sampling_method", REGISTRY_CODE),
    Column("has_results", Boolean(create_constraint=False)),
)

study_secondary_ids = _child(
    "study_secondary_ids",
    Column("secondary_id", LONG_TEXT, nullable=False),
    Column("type", REGISTRY_CODE),
    Column("domain", LONG_TEXT),
    Column("link", LONG_TEXT),
)

study_aliases = _child("study_aliases", Column("alias", String(255), nullable=False, index=True))

# A condition's name is the registry's words. Its hash is the key: equal bytes, equal condition, whatever the length or collation.
conditions = table(
    "conditions",
    Column("condition_id", Integer, primary_key=True, autoincrement=True),
    Column("name_hash", SHA256, nullable=False, unique=True),
    Column("name", LONG_TEXT, nullable=False),
)

study_conditions = _child(
    "study_conditions",
    Column("condition_id", Integer, ForeignKey("conditions.condition_id"), nullable=False, index=True),
)

study_keywords = _child("study_keywords", Column("keyword", LONG_TEXT, nullable=False))
study_phases = _child("study_phases", Column("phase", REGISTRY_CODE, nullable=False))
study_std_ages = _child("study_std_ages", Column("std_age", REGISTRY_CODE, nullable=False))
study_who_masked = _child("study_who_masked", Column("who", REGISTRY_CODE, nullable=False))

study_arm_groups = _child(
    "study_arm_groups",
    Column("label", LONG_TEXT, nullable=False),
    Column("type", REGISTRY_CODE),
    Column("description", LONG_TEXT),
    Column("intervention_names", JSON_VALUE, nullable=False),
)

study_interventions = _child(
    "study_interventions",
    Column("name", LONG_TEXT, nullable=False),
    Column("type", REGISTRY_CODE),
    Column("description", LONG_TEXT),
    Column("arm_group_labels", JSON_VALUE, nullable=False),
    Column("other_names", JSON_VALUE, nullable=False),
)

study_outcomes = _child(
    "study_outcomes",
    Column("role", String(16), nullable=False),
    Column("measure", LONG_TEXT, nullable=False),
    Column("description", LONG_TEXT),
    Column("time_frame", LONG_TEXT),
)

study_locations = _child(
    "study_locations",
    Column("facility", LONG_TEXT),
    Column("status", REGISTRY_CODE),
    Column("city", LONG_TEXT),
    Column("state", LONG_TEXT),
    Column("zip", LONG_TEXT),
    Column("country", LONG_TEXT),
    Column("latitude", Float(53)),
    Column("longitude", Float(53)),
)

study_collaborators = _child(
    "study_collaborators",
    Column("name", LONG_TEXT, nullable=False),
    Column("sponsor_class", REGISTRY_CODE),
)

# What the normaliser noticed in the current record: unknown codes are counted from here, so nothing is counted twice.
study_notices = _child(
    "study_notices",
    Column("category", CODE, nullable=False, index=True),
    Column("field", String(255), nullable=False),
    Column("value", LONG_TEXT),
)
