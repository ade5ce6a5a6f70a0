"""What a deletion tells: ids, counts and states."""

from __future__ import annotations

from pydantic import Field

from pipeline.jobs.summaries import Summary


class DeletionRequest(Summary):
    """What was asked for, or with ``dry_run`` would be."""

    deletion_id: str | None = Field(description="null where nothing was to be done, or only looked at")
    cause: str = Field(description="a DeletionCause")
    patient: str | None = Field(description="pseudonym, where all of one patient's documents were named")
    documents: int
    chunks: int = Field(description="of these documents, in all generations and collections")
    live_documents: int = Field(description="all documents that are alive: what the share is of")
    already_deleted: int = Field(description="documents that were named and are erased already, or about to be")
    dry_run: bool = False


class DeletionOutcome(Summary):
    """How far a deletion is, and what it has removed since it was asked for."""

    deletion_id: str
    cause: str
    state: str = Field(description="a DeletionState")
    documents: int
    erased: int = Field(description="documents of which nothing is left")
    held: int = Field(0, description="documents that a legal hold keeps: unsearchable, not erased, until it is released")
    points: int
    texts: int = Field(description="embedded texts that no other document has: their vectors left the cache")
    landed: int = Field(description="objects in landing that no other document uses")
    rows: dict[str, int] = Field(description="rows of truth, by table")
    certificate: int | None = Field(None, description="number of its certificate")
    seconds: float = 0.0


class LiftSummary(Summary):
    """That a subject may be taken again."""

    subject: str = Field(description="a document's id or a patient's pseudonym")
    deletion_id: str = Field(description="by which it had been deleted")
    lifted_by: str
    reason: str
