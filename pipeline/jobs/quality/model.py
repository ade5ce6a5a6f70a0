"""What a check of data quality says, as JSON: ids, counts and figures only."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from pipeline.jobs.summaries import Summary


class ExpectationResult(Summary):
    """One expectation, held against every row that was read."""

    id: str
    data_set: str
    severity: Literal["block", "warn"]
    says: str = Field(description="what holds of a row that is right")
    column: str
    rows: int = Field(description="rows that it was held against")
    broken: int = Field(description="rows that break it: 0 is right")
    named: list[str] = Field([], description="the first 100 of these rows, by id")
    lowest: float | None = Field(None, description="least of the numbers that were observed; null: none, or no numbers")
    highest: float | None = None


class DataSetResult(Summary):
    """One data set."""

    name: str
    rows: int
    sampled: bool = Field(description="a sample of documents was read, not all")
    expectations: list[ExpectationResult]


class HeldBack(Summary):
    """A document that a blocking expectation keeps from going live; an earlier version of it may be live."""

    document_id: str
    kind: str
    since: datetime
    broken: str = Field(description="expectations that it breaks, and the rows: section/ordinal/piece of its chunks")


class Figures(Summary):
    """How the home's chunks, embeddings and searches are distributed: what later checks are compared with."""

    lengths: list[int] = Field([], description="chunks by sixteenth of the model's window, the last one: over it")
    sections: dict[str, int] = Field({}, description="chunks by section")
    model: str | None = Field(None, description="fingerprint of the model that the next two are of")
    centroid: list[float] = Field([], description="mean of the embeddings that were read, four decimals")
    spread: float | None = Field(None, description="mean cosine distance from that mean")
    vectors: int = Field(0, description="embeddings that were read")
    searches: int = Field(0, description="searches since the check before")
    zero_hits: int = Field(0, description="of these, searches that found nothing")


class QualitySummary(Summary):
    """The result of one check."""

    run_id: str
    created_at: datetime
    clean: bool = Field(description="no expectation is broken and nothing is held back")
    blocked: int = Field(description="blocking expectations that are broken")
    warned: int = Field(description="other expectations that are broken")
    documents: int = Field(description="documents that were read")
    of_documents: int = Field(description="documents that are alive")
    earlier: int = Field(description="earlier checks that distributions were compared with")
    held_back: list[HeldBack] = Field(description="the first 100")
    data_sets: list[DataSetResult]
    figures: Figures
    docs: str | None = Field(None, description="Data Docs: a page in the reports folder")
    artifact: str | None = Field(None, description="this result as a file in the reports folder")
