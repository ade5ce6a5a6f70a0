"""What jobs return: plain JSON with stable names (DESIGN: "JSON that other tools read")."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pipeline.jobs.guards import Guard


class Summary(BaseModel):
    """Base of all summaries: frozen, no surprise keys, no input in errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class RecordFailure(Summary):
    """One record that was not taken."""

    source_key: str | None = Field(description="the source's id, or where it stood if it has none")
    category: str = Field(description="a FailureCategory")
    origin: str | None = Field(None, description="where it came from: page, file and line")
    field: str | None = Field(None, description="element that is wrong, of a FHIR resource")
    rule: str | None = Field(None, description="rule that it breaks; never a value")


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


class SourceSide(Summary):
    """What the last complete listing of one scope of a source says, against truth."""

    source: str
    scope: str
    listed_at: datetime = Field(description="when the listing began")
    listed: int = Field(description="different records that it names; each is in exactly one class")
    unreadable: int = Field(description="records that it names beside these and that could not be read")
    alive: int = Field(description="live documents of the source (and its folders) in truth")
    proves_absence: bool = Field(description="whether what it does not name has vanished; else vanished is 0")
    classes: dict[str, int] = Field(description="by SourceClass; all classes are named; vanished is not among the listed")
    reasons: dict[str, int] = Field(description="why records are missing or old in truth, by the category that their run recorded")
    agrees: bool = Field(description="none is missing, changed, tombstoned or vanished")
    sums_close: bool


class GuardVerdict(Summary):
    """What one guard says of a plan that it refuses."""

    guard: Guard
    reason: str
    approvable: bool = Field(description="whether a person's approval overrules it")


class UndoSummary(Summary):
    """What undoing a repair did."""

    plan: str = Field(description="id of the plan whose repair was undone")
    restored: int = Field(description="points written back as they were")
    removed: int = Field(description="points that the repair had added")
    points: int = Field(description="points of the index now")


class ReconcileSummary(Summary):
    """What reconciliation found, and what it repaired."""

    run_id: str
    expected: int = Field(description="points that must be there, and one for each document that was never indexed")
    found: int = Field(description="points that are there")
    clean: bool
    classes: dict[str, int]
    sums_close: bool = Field(description="every expected and every found point is in exactly one class")
    depth: Literal["digest", "deep"] = Field(
        "digest",
        description="deep: every point and vector was compared; digest: sums of payloads, and the counts of vectors that are lacking",
    )
    unmarked: int = Field(0, description="expected points of whose vectors nothing is known that they could be compared with")
    plan: str | None
    plan_sha256: str | None = Field(None, description="the plan's own hash")
    refused: list[GuardVerdict] = Field([], description="guards that refuse the plan; none: --repair carries it out")
    repaired: dict[str, int]
    approved_by: str | None = Field(None, description="who let the plan pass that was carried out; null: nobody had to")
    undo: str | None = Field(None, description="file that undoes the repair, kept for undo_days")
    undone: UndoSummary | None = None
    sources: list[SourceSide] = Field([], description="each source's last complete listing against truth; clean says nothing about it")
    sources_agree: bool = Field(True, description="truth holds what each source listed last, and nothing that has vanished")
    source_evidence: str | None = Field(None, description="file with a line for each record on which source and truth differ; null: none")
    seconds: float


class AgeBin(Summary):
    """Recruiting studies whose status was last confirmed between two ages."""

    from_hours: float
    to_hours: float | None = Field(description="not included; null: and older")
    count: int


class SourceFreshness(Summary):
    """How fresh the recruiting statuses of one source are."""

    recruiting: int
    breaches: int
    outdated: int
    oldest_hours: float


class Freshness(Summary):
    """How long ago sources confirmed that studies recruit, against the objective (CLINDEX_STATUS_MAX_AGE_HOURS)."""

    objective_hours: float
    recruiting: int = Field(description="live studies with status RECRUITING")
    breaches: int = Field(description="of these: confirmed longer ago than the objective, or outdated")
    outdated: int = Field(description="of these: their source lists a newer version that was not taken")
    oldest_hours: float | None = Field(description="null: no study recruits")
    by_source: dict[str, SourceFreshness]
    ages: list[AgeBin]


class StartFinding(StrEnum):
    """What the cheap check found."""

    SPEC = "spec"  # the collection was made for another model, dimension, sparse encoder or payload version than truth says
    POINTER = "pointer"  # other programs know another collection as the live one
    COUNT = "count"  # points too many or too few
    LACKING_DENSE = "lacking_dense"
    LACKING_SPARSE = "lacking_sparse"  # more, or fewer, than there are texts without terms
    DIGEST = "digest"  # a document's points are not those that truth expects
    UNEXPECTED_POINT = "unexpected_point"


class StartCheck(Summary):
    """What the check that runs at every start found."""

    verdict: Literal["clean", "drift", "unknown"] = Field(description="unknown: there is no collection of ours")
    collection: str
    findings: list[StartFinding] = []
    points: int = 0
    expected_points: int = 0
    lacking_dense: int = Field(0, description="points without a dense vector")
    lacking_sparse: int = Field(0, description="points without a sparse vector, those of texts without terms included")
    documents_checked: int = Field(0, description="documents whose digests were made anew from the index")
    points_read: int = 0
    seconds: float


class DeletionFacts(Summary):
    """Where deletions stand, for report and status."""

    open: int = Field(0, description="requested and not erased yet; what they name is unsearchable already")
    erased: int = Field(0, description="erased and not certified yet")
    certified: int = 0
    certificates: int = 0
    last_verified_at: datetime | None = Field(
        None, description="when `clindex certificate verify` or the DAG retention last looked; null: never"
    )
    last_verification_passed: bool | None = None


class HoldFacts(Summary):
    """Legal holds, for report and status."""

    active: int = 0


class StatusSummary(Summary):
    """Where a home stands."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: str = Field(alias="schema", description="revision of the truth's schema")
    collection: str
    documents: dict[str, int]
    points: int
    expected_points: int
    drift_check: Literal["clean", "drift", "unknown"]
    start_check: StartCheck
    last_runs: list[dict[str, object]]
    freshness: Freshness
    deletions: DeletionFacts = DeletionFacts()
    holds: HoldFacts = HoldFacts()
    home: str
