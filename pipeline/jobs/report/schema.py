"""The report's JSON Schema, for ``schemas/report.json``."""

from __future__ import annotations

from typing import Any

from pipeline.jobs.report.model import RunReport


def schema() -> dict[str, Any]:
    """Return the schema of the report as it is written to a file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **RunReport.model_json_schema(mode="serialization")}
