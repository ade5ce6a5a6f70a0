"""Alembic's entry point: runs migrations on the connection that ``pipeline.storage.migrations`` hands over."""

from __future__ import annotations

from alembic import context

import pipeline.storage.citation_tables
import pipeline.storage.fhir_tables
import pipeline.storage.proof_tables
import pipeline.storage.review_tables
import pipeline.storage.study_tables  # noqa: F401  both register their tables
from pipeline.storage.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,
)
context.run_migrations()
