"""What jobs return: plain JSON with stable names (DESIGN: "JSON that other tools read")."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Summary(BaseModel):
    """Base of all summaries: frozen, no surprise keys, no input in errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class RecordFailure(Summary):
    """One record that was not taken."""

    source_key: str | None = Field(description="the source's id, or where it stood if it has none")
    category: str = Field(description="a FailureCategory")
    origin: str | None = Field(None, description="where it came from: page, file and line")


class IngestSummary(Summary):
    """What an ingestion did to truth."""

    run_id: str
    crawl_id: str
    scope: str
    complete: bool = Field(description="as many records came as the source promised, and each could be read")
    resumed: bool
    seen: int = Field(description="records that came, taken or not")
    new: int
    changed: int
    unchanged: int
    tombstoned: int
    failed: int
    failures: list[RecordFailure]
    notices: dict[str, int] = Field(description="count by NoticeCategory")
    pages: dict[str, int] = Field({}, description="pages of the files that were read, by PageOutcome")
    seconds: float


class DocumentCounts(Summary):
    """Documents by what indexing did with them."""

    indexed: int = 0
    skipped: int = 0
    payload_only: int = 0
    failed: int = 0
    quarantined: int = 0
    deleted: int = 0
    overtaken: int = Field(0, description="another run wrote them, or they were deleted, while this one did")

    def __add__(self, other: DocumentCounts) -> DocumentCounts:
        mine, theirs = self.model_dump(), other.model_dump()
        return DocumentCounts(**{name: mine[name] + theirs[name] for name in mine})


class IndexSummary(Summary):
    """What an index run wrote."""

    documents: DocumentCounts = DocumentCounts()
    chunks: int = 0
    embedded: int = Field(0, description="distinct texts that went through the model")
    cached: int = Field(0, description="distinct texts whose vectors were known")
    points_written: int = 0
    points_deleted: int = 0
    payloads_updated: int = 0
    unexplained: int = Field(0, description="characters of the source that no chunk and no declared drop accounts for")
    failures: list[RecordFailure] = []
    seconds: dict[str, float] = Field({}, description="seconds by stage")
    run_id: str | None = None

    def __add__(self, other: IndexSummary) -> IndexSummary:
        names = ("chunks", "embedded", "cached", "points_written", "points_deleted", "payloads_updated", "unexplained")
        seconds = {key: self.seconds.get(key, 0.0) + other.seconds.get(key, 0.0) for key in [*self.seconds, *other.seconds]}
        return IndexSummary(
            documents=self.documents + other.documents,
            failures=[*self.failures, *other.failures],
            seconds=seconds,
            run_id=self.run_id or other.run_id,
            **{name: getattr(self, name) + getattr(other, name) for name in names},
        )


class ReconcileSummary(Summary):
    """What reconciliation found, and what it repaired."""

    run_id: str
    expected: int = Field(description="points that must be there, and one for each document that was never indexed")
    found: int = Field(description="points that are there")
    clean: bool
    classes: dict[str, int]
    sums_close: bool = Field(description="every expected and every found point is in exactly one class")
    depth: Literal["digest", "deep"] = Field(
        "digest", description="deep: every point and vector was compared; digest: sums of payloads, and the counts of vectors that are lacking"
    )
    unmarked: int = Field(0, description="expected points of whose vectors nothing is known that they could be compared with")
    plan: str | None
    repaired: dict[str, int]
    seconds: float


class StatusSummary(Summary):
    """Where a home stands."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: str = Field(alias="schema", description="revision of the truth's schema")
    collection: str
    documents: dict[str, int]
    points: int
    expected_points: int
    drift_check: Literal["clean", "drift", "unknown"]
    last_runs: list[dict[str, object]]
    home: str
