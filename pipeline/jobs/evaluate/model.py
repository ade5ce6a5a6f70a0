"""What an evaluation says: figures with intervals, by query and by group, and what it was measured on. No text of a query or a document."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from pipeline.jobs.summaries import Summary


class Interval(Summary):
    """A mean over queries with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    queries: int = Field(description="that it is a mean of")


class Change(Summary):
    """The mean of (after - before) over the queries that both have, with its interval."""

    value: float
    low: float
    high: float
    queries: int
    wins: int
    losses: int
    ties: int


class GroupFigures(Summary):
    """The figures of some of the queries."""

    queries: int
    metrics: dict[str, Interval]


class QueryFigures(Summary):
    """One query's figures."""

    metrics: dict[str, float]
    route: str
    refused: bool = Field(description="or nothing was found")
    found: int = Field(description="documents")
    seconds: float


class Missing(Summary):
    """A document that a judgement names and that cannot be found here."""

    name: str | None = Field(description="null in the file that is kept, where the name could name a person")
    queries: list[str] = Field(description="that name it")
    reason: str


class Floor(Summary):
    """A figure that must not be lower."""

    metric: str
    least: float
    value: float | None = Field(description="null: it was not measured")

    @property
    def is_met(self) -> bool:
        """Whether it was measured and is not lower."""
        return self.value is not None and self.value >= self.least


class Basis(Summary):
    """What was measured: two evaluations with the same basis differ by chance alone, and chance is seeded."""

    clindex: str
    collection: str | None
    index_digest: str | None = Field(description="of what the collection holds; null where only a server was at hand")
    model: str | None
    weights: str = Field(description="fingerprint of the weights and lexicons that search ships with")
    queries_sha256: str = Field(description="of the queries with their judgements")
    documents: int | None = Field(description="that the collection serves")
    settings: dict[str, bool | int | float | str | None] = Field(description="of search, chunking and embedding; no secret, no path")


class EvaluationSummary(Summary):
    """An evaluation."""

    created_at: datetime
    queries: int = Field(description="that were asked")
    measured: int = Field(description="with a relevant document, twins of others apart")
    metrics: dict[str, Interval]
    random_floor: dict[str, float] = Field(description="expected of a random order of all documents; empty where their number is unknown")
    groups: dict[str, dict[str, GroupFigures]] = Field(description="by field and value")
    twins: dict[str, dict[str, Change]] = Field(description="by variant: its queries against those that they are twins of")
    per_query: dict[str, QueryFigures]
    missing: list[Missing]
    without_judgement: int = Field(description="queries that were asked and not measured")
    floors: list[Floor]
    mode: str
    limit: int
    url: bool = Field(description="whether a server was asked")
    seconds: dict[str, float] = Field(description="a search: p50, p95, p99, and all of them: total")
    basis: Basis
    meanings: dict[str, str] = Field({}, description="what each measure is")
    allow_missing: bool = False
    artifact: str | None = None

    @property
    def below(self) -> list[Floor]:
        """Floors that are not met."""
        return [floor for floor in self.floors if not floor.is_met]

    @property
    def failed(self) -> bool:
        """Whether a floor is not met, or a judgement names what is not there."""
        return bool(self.below) or (bool(self.missing) and not self.allow_missing)


class Comparison(Summary):
    """Two evaluations of the same queries."""

    before: str
    after: str
    queries: int = Field(description="that both have")
    only_before: int
    only_after: int
    differs: list[str] = Field(description="fields of the basis in which they differ")
    metrics: dict[str, Change]
    per_query: dict[str, dict[str, float]] = Field(description="after - before, where it is not 0")
