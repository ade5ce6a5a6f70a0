"""What loading and ingesting FHIR return."""

from __future__ import annotations

from pydantic import Field

from pipeline.jobs.summaries import IngestSummary, RecordFailure, Summary


class LoadSummary(Summary):
    """What became of the entries of a feed: each is in exactly one outcome, or broken."""

    run_id: str
    scope: str
    complete: bool = Field(description="every file that was promised came whole, and every line of it could be read")
    full: bool = Field(description="it names everything in its scope: what a complete one does not name is gone")
    files: int | None = Field(description="files or pages that were promised; null: nobody said")
    files_read: int
    entries: int
    outcomes: dict[str, int] = Field(description="entries by ResourceOutcome; older_version: a newer version is there")
    by_type: dict[str, dict[str, int]] = Field(description="the same by type of resource")
    broken: int = Field(description="entries that are no resources")
    unchanged: int = Field(description="resources that truth has with the same bytes")
    vanished: int = Field(description="resources that a complete full load did not name any more")
    unresolved_references: int = Field(
        description="references that name no resource: of no entry of their Bundle, or by a search for anything but one identifier"
    )
    bad_attachments: int
    skipped: dict[str, int] = Field(description="what was passed over, by reason")
    failed: int = Field(description="broken entries, quarantined resources, attachments that cannot be read")
    failures: list[RecordFailure] = Field([], description="the same one by one: where it stood, element and rule")


class FhirSummary(Summary):
    """What loading a feed and making documents of what is loaded did."""

    load: LoadSummary
    ingest: IngestSummary
    files_changed: int = Field(0, description="the site's files of which patients' records know more than when they were taken last")
    files_failed: int = Field(0, description="of these, files that could not be read: their old text stays")
