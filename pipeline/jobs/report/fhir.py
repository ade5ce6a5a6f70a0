"""Collects what the report says of FHIR: how far each feed is loaded, what became of every resource, what is quarantined and why. No value."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from pydantic import Field
from sqlalchemy import Connection

from pipeline.jobs.summaries import Summary
from pipeline.storage import fhir_loads, fhir_resources

SHOWN_SCOPES: Final = 20  # a site has a handful of feeds
SHOWN_RULES: Final = 50  # the database has all
EXAMPLES: Final = 20  # resources named for each rule


class ScopeFacts(Summary):
    """How far one feed is loaded."""

    scope: str = Field(description="way, authority and keyed hashes; no address and no name")
    state: str = Field(description="of the last load: open, complete or incomplete")
    is_full: bool = Field(description="whether it asked for everything")
    files: int | None = Field(description="files or pages that were promised; null: nobody said")
    files_read: int = Field(description="of these, read whole")
    started_at: datetime
    finished_at: datetime | None
    loaded_to: str | None = Field(
        description="moment that the server says its data are of, at the last complete load; where the next begins"
    )
    full_at: datetime | None = Field(description="when the last complete full load began: only it shows what vanished")


class QuarantinedRule(Summary):
    """Resources that break one rule at one place."""

    resource_type: str
    path: str | None = Field(description="element")
    rule: str | None = Field(description="of FHIR, or of ours; never a value")
    resources: int
    kept: int = Field(description="of these, resources of which a good version before is still indexed")
    examples: list[str] = Field(description="keys of the first 20")


class FhirFacts(Summary):
    """Every FHIR resource that was read, and the feeds that it came by."""

    scopes: list[ScopeFacts]
    by_type: dict[str, dict[str, int]] = Field(description="resources by type and ResourceOutcome of their newest version")
    quarantined: list[QuarantinedRule] = Field(description="the most frequent 50")

    @property
    def outcomes(self) -> dict[str, int]:
        """Resources by outcome."""
        found: dict[str, int] = {}
        for counts in self.by_type.values():
            for outcome, count in counts.items():
                found[outcome] = found.get(outcome, 0) + count
        return found


def fhir_facts(tx: Connection) -> FhirFacts | None:
    """Return the report's section on FHIR; ``None``: no feed was ever loaded."""
    scopes = [ScopeFacts.model_validate(row) for row in fhir_loads.last_by_scope(tx, limit=SHOWN_SCOPES)]
    if not scopes:
        return None
    by_type: dict[str, dict[str, int]] = {}
    for kind, outcome, count in fhir_resources.by_type(tx):
        by_type.setdefault(kind, {})[outcome] = count
    rules = [
        QuarantinedRule(resource_type=kind, path=path, rule=rule, resources=count, kept=kept, examples=examples)
        for kind, path, rule, count, kept, examples in fhir_resources.quarantined(tx, limit=SHOWN_RULES, examples=EXAMPLES)
    ]
    return FhirFacts(scopes=scopes, by_type=by_type, quarantined=rules)
