"""The report's contract (``schemas/report.json``): ids, counts, durations and codes. No text of a document is in it.

Shares are 0..1, durations seconds, moments aware UTC. ``None`` as a counted value means that the record gave none.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from pipeline.jobs.evaluate.trend import EvaluationTrend
from pipeline.jobs.feedback import FeedbackSummary
from pipeline.jobs.report.fhir import FhirFacts
from pipeline.jobs.report.quality import QualityFacts
from pipeline.jobs.summaries import DeletionFacts, Freshness, HoldFacts, SourceSide, Summary

REPORT_VERSION: Literal["1"] = "1"

VerdictState = Literal["ok", "incomplete", "drift"]
Equality = Literal["equal", "different", "unproven"]


class Count(Summary):
    """How often one value occurs."""

    value: str | None = Field(description="the value as stored; null: none was given")
    count: int


class CountAndShare(Summary):
    """A count and its share of the whole."""

    count: int
    share: float = Field(description="0..1; 0 where the whole is empty")


class HomeFacts(Summary):
    """Which home the report is about."""

    folder: str
    database: str = Field(description="sqlite, postgresql, mysql or mariadb")
    schema_revision: str | None = Field(description="revision of the truth's schema")
    index: Literal["embedded", "server"]
    collection: str
    model: str = Field(description="the embedding model by its setting")


class SourceFacts(Summary):
    """How fresh one listing of a source is."""

    source: str
    scope: str
    data_timestamp: str | None = Field(description="ISO 8601, as the source sent it")
    api_version: str | None
    watermark: str | None = Field(description="ISO date of the newest update taken by a complete listing")
    last_complete_at: datetime | None


class RunFacts(Summary):
    """The run of one kind that began last."""

    run_id: str
    kind: str
    state: str = Field(description="running, success, incomplete, failed or killed")
    started_at: datetime
    finished_at: datetime | None
    seconds: float | None = Field(description="from start to finish; null while it runs")
    counts: dict[str, int] = Field(description="the run's summary; a nested count is named outer.inner")
    flags: dict[str, bool] = Field(description="the summary's yes-or-no answers, such as complete")


class StageSeconds(Summary):
    """Time that one stage of the last run of a kind took."""

    run: str
    stage: str
    seconds: float


class Runs(Summary):
    """The last run of each kind; null: there was none."""

    ingest: RunFacts | None = Field(description="of trials")
    ingest_documents: RunFacts | None = Field(None, description="of the site's documents")
    load_fhir: RunFacts | None = Field(None, description="of FHIR resources from their feed")
    ingest_fhir: RunFacts | None = Field(None, description="of the documents that FHIR resources are")
    index: RunFacts | None
    reconcile: RunFacts | None

    @property
    def ingestions(self) -> list[RunFacts]:
        """Those that there were."""
        return [run for run in (self.ingest, self.ingest_documents, self.ingest_fhir) if run]

    @property
    def all(self) -> list[RunFacts]:
        """All that there were, in the order of a night."""
        every = (self.ingest, self.ingest_documents, self.load_fhir, self.ingest_fhir, self.index, self.reconcile)
        return [run for run in every if run]


class DocumentFacts(Summary):
    """Documents that truth knows."""

    live: int = Field(description="not deleted")
    kind: list[Count] = Field([], description="live documents by DocumentKind")
    by_state: dict[str, int] = Field(description="by DocumentState, deleted ones included; all states are named")
    overall_status: list[Count] = Field(description="live studies")
    study_type: list[Count] = Field(description="live studies")
    phase: list[Count] = Field(description="live studies; one with two phases counts under both")


class ChunkFacts(Summary):
    """Live chunks: one point each must be in the index."""

    total: int
    by_section: dict[str, int] = Field(description="by Section; all sections are named")


class LengthBin(Summary):
    """Chunks whose length is between two numbers of tokens, both included."""

    first: int
    last: int
    count: int


class LengthFacts(Summary):
    """Lengths of live chunks in the model's tokens, against its window."""

    window: int | None = Field(description="most tokens the model reads; null: the model cannot be opened here")
    bins: list[LengthBin]
    longest: int
    near_window: CountAndShare = Field(description="chunks above 90 % of the window")
    over_window: int = Field(description="chunks the model would cut: must be 0")


class LossFacts(Summary):
    """Where every character of the live documents' text went."""

    characters: int
    chunked: int
    dropped: int
    redacted: int
    unexplained: int = Field(description="must be 0")
    by_reason: dict[str, int] = Field(description="dropped characters by DropReason; all reasons are named")
    documents_with_unexplained: int


class DriftFacts(Summary):
    """What the last reconciliation that ended found in the index."""

    run_id: str
    finished_at: datetime | None
    current: bool = Field(description="neither truth nor index was changed by a job since it looked")
    clean: bool
    sums_close: bool
    expected: int
    found: int
    classes: dict[str, int] = Field(description="points by DriftClass; all classes are named")
    repaired: dict[str, int]


class FailureExample(Summary):
    """Which record failed."""

    source_key: str | None
    origin: str | None = Field(description="where it came from: page, or file and line")


class FailureGroup(Summary):
    """What failed in the last run of a kind, for one reason."""

    run: str
    stage: str
    category: str = Field(description="a FailureCategory")
    count: int
    examples: list[FailureExample] = Field(description="the first 50")


class NoticeCount(Summary):
    """What was noticed although the record was taken."""

    category: str = Field(description="a NoticeCategory")
    studies: int = Field(description="live studies that have it now")
    last_runs: int = Field(description="times it was noticed in the last ingest and index runs")


class UnknownValue(Summary):
    """A registry code that this version does not know. It is kept as it came."""

    field: str
    value: str
    studies: int


class UnknownValues(Summary):
    """Registry codes that are unknown: the most frequent, and how many there are."""

    distinct: int
    shown: list[UnknownValue]


class EmbeddingFacts(Summary):
    """Where the vectors of the last index run came from, in distinct texts."""

    embedded: CountAndShare
    cached: CountAndShare


class Verdict(Summary):
    """The answer in one word, and why."""

    state: VerdictState
    index_and_database: Equality
    reasons: list[str] = Field(description="sentences; empty when the state is ok")


class ReleaseFacts(Summary):
    """That a person let a document pass that the gate had refused."""

    document_id: str
    released_at: datetime
    released_by: str
    reason: str = Field(description="in that person's words")
    policy: str
    classes: dict[str, int] = Field(description="identifiers by class that the gate had found")


class AuditFacts(Summary):
    """What the last audit for identifiers found in what is stored and shown."""

    run_id: str
    finished_at: datetime | None
    clean: bool
    documents: int
    leaked_documents: int
    leaked_characters: int
    leaks: list[Count] = Field(description="by class")


class PrivacyFacts(Summary):
    """Documents that the gate holds back, the releases, the last audit."""

    held: int = 0
    held_classes: list[Count] = Field([], description="identifiers in held documents by class")
    releases: list[ReleaseFacts] = Field([], description="the newest 50")
    audit: AuditFacts | None = Field(None, description="null: no audit has ended yet")


class PageNamed(Summary):
    """A page that a person should look at."""

    document_id: str
    kind: str
    page: int
    outcome: str = Field(description="a PageOutcome")
    failure: str | None = Field(description="a FailureCategory")
    confidence: float = Field(description="0..1; of OCR the mean over its words")
    suspects: int = Field(description="numbers and units that OCR is not sure of")


class PageFacts(Summary):
    """Pages of the site's files, and where every character of them went while they were read."""

    documents: int = Field(0, description="live documents with pages")
    by_outcome: dict[str, int] = Field({}, description="pages by PageOutcome; all are named")
    ocr_reasons: list[Count] = Field([], description="pages by OcrReason")
    failures: list[Count] = Field([], description="failed pages by FailureCategory")
    characters: int = Field(0, description="signs of the pages, blanks left out")
    body: int = 0
    furniture: int = Field(0, description="running headers and footers: not indexed")
    dropped: int = Field(0, description="declared: hyphens repaired, doubled glyphs, repeated table headers")
    unexplained: int = Field(0, description="must be 0")
    tables: int = 0
    figures: int = 0
    suspects: int = Field(0, description="numbers and units that OCR is not sure of: flagged on their chunks")
    low_confidence: int = Field(0, description="pages that OCR read with a mean confidence below 0.7")
    to_look_at: list[PageNamed] = Field([], description="the first 50 that failed or were read badly")


class RunReport(Summary):
    """Everything the page shows."""

    report_version: Literal["1"] = REPORT_VERSION
    created_at: datetime
    verdict: Verdict
    home: HomeFacts
    sources: list[SourceFacts]
    runs: Runs
    seconds_by_stage: list[StageSeconds]
    documents: DocumentFacts
    chunks: ChunkFacts
    lengths: LengthFacts
    parse_outcomes: dict[str, CountAndShare] = Field(description="studies by ParseOutcome of their eligibility text; all are named")
    formats: list[Count] = Field(description="live documents by layout met in their text; one with two layouts counts under both")
    languages: list[Count] = Field(description="live documents; null: English, or too short to tell")
    loss: LossFacts
    drift: DriftFacts | None = Field(description="null: no reconciliation has ended yet")
    failures: list[FailureGroup]
    notices: list[NoticeCount]
    unknown_values: UnknownValues
    embedding: EmbeddingFacts | None = Field(description="null: no index run has ended yet")
    privacy: PrivacyFacts = PrivacyFacts()
    pages: PageFacts = PageFacts()
    deletions: DeletionFacts = DeletionFacts()
    holds: HoldFacts = HoldFacts()
    source_sides: list[SourceSide] = Field([], description="sources against the database, as the last reconciliation that ended found them")
    freshness: Freshness | None = Field(None, description="how old recruiting statuses are when the report is written")
    evaluations: EvaluationTrend = EvaluationTrend()
    feedback: FeedbackSummary | None = Field(None, description="what readers did with hits, over all time; null in reports of before")
    fhir: FhirFacts | None = Field(None, description="FHIR resources and their feeds; null: none was ever loaded")
    quality: QualityFacts | None = Field(None, description="the last check of data quality; null: none has ended yet")
