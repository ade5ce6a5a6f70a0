"""What building, judging, promoting and retiring collections return: plain JSON with stable names. Ids, counts and hashes only."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pipeline.jobs.index import is_incomplete
from pipeline.jobs.summaries import IndexSummary, Summary


class CandidatePreview(Summary):
    """What building a candidate would take."""

    collection: str
    model: str
    documents: int
    sampled: int = Field(description="documents that were prepared to know; fewer than all: texts and points are estimates")
    pages_to_read: int = Field(description="pages of files that this version of the reader has not read yet, OCR among them")
    points: int = Field(description="to be written")
    texts_to_embed: int = Field(description="distinct texts whose vectors are not in the cache")
    minutes: float
    rates: dict[str, float] = Field(description="pages, texts and points a second that the minutes rest on")
    measured: list[str] = Field(description="which of the rates were measured in this home; the others are defaults")
    bytes_needed: int = Field(description="on the disk of index and truth")
    bytes_free: int | None = Field(description="there; none: the index is on a server that does not say")

    @property
    def fits(self) -> bool:
        """Whether the disk has room."""
        return self.bytes_free is None or self.bytes_needed <= self.bytes_free


class GateCheck(Summary):
    """One check of the promotion gate."""

    name: str
    state: Literal["passed", "failed", "skipped"]
    detail: str = Field(description="in words, with counts; no text of a document")
    numbers: dict[str, float] = Field({}, description="what the check measured")


class Verdict(Summary):
    """What the gate says of a candidate."""

    collection: str
    passed: bool
    checks: list[GateCheck]
    judged_at: str
    seconds: float

    @property
    def failed(self) -> list[GateCheck]:
        """The checks that stand against it."""
        return [one for one in self.checks if one.state == "failed"]


class SwitchSummary(Summary):
    """That another collection is live now."""

    live: str
    previous: str
    rounds: int = Field(description="times that documents which had changed meanwhile were indexed, before nothing was behind")
    behind: int = Field(description="documents that the next `clindex index` brings up to date: 0 after a promotion")
    switch_seconds: float = Field(description="from the last look at truth to the pointer, read back")
    verdict: Verdict | None = None


class CandidateSummary(Summary):
    """A candidate, previewed or built, judged and promoted, as far as it came."""

    reason: str
    dry_run: bool
    preview: CandidatePreview | None
    index: IndexSummary | None = None
    verdict: Verdict | None = None
    promoted: SwitchSummary | None = None

    @property
    def incomplete(self) -> bool:
        """Whether something was left out, or the gate stands against it."""
        return (self.index is not None and is_incomplete(self.index)) or (self.verdict is not None and not self.verdict.passed)


class RetiredCollection(Summary):
    """One collection that is no more: its points were counted, removed, and found absent."""

    name: str
    points: int
    chunks: int = Field(description="rows of truth that stood for them alone")


class RetirementSummary(Summary):
    """What was retired, and what is kept until when."""

    retired: list[RetiredCollection]
    kept: dict[str, str] = Field(description="previous collections that can still be moved back, and until when (ISO 8601)")


class CollectionEntry(Summary):
    """One collection of the home."""

    name: str
    role: str
    model: str
    reason: str
    created_at: str
    promoted_at: str | None
    retired_at: str | None
    age_days: int
    points: int | None = Field(description="in the store; none: it is not there")
    expected_points: int
    pointed: bool = Field(description="whether the store's alias or pointer names it")
    verdict: Verdict | None


class CollectionList(Summary):
    """Every collection that the home ever had, the newest first."""

    collections: list[CollectionEntry]
