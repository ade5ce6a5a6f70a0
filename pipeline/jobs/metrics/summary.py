"""The figures as JSON (``schemas/metrics.json``)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from pipeline.jobs.metrics.model import Distribution, Family, MetricKind
from pipeline.jobs.summaries import Summary


class Value(Summary):
    """One value of a metric."""

    labels: dict[str, str]
    value: float | None = Field(description="null: of a histogram")
    buckets: list[int] | None = Field(None, description="of a histogram: values up to each bound (included), one more above the last")
    sum: float | None = Field(None, description="of a histogram: of its values")


class MetricFigures(Summary):
    """One metric."""

    name: str = Field(description="a counter's has _total in Prometheus' text")
    kind: MetricKind
    unit: str = Field(description="UCUM: s, 1 for a ratio, {thing} for counted things")
    says: str
    bounds: list[float] = Field([], description="of a histogram: upper bounds of its buckets, included")
    values: list[Value]


class HomeMetrics(Summary):
    """Every metric of a home that has a value."""

    metrics: list[MetricFigures]


def home_metrics(families: Sequence[Family]) -> HomeMetrics:
    """Return families as a summary."""
    return HomeMetrics(metrics=[_figures(family) for family in families])


def _figures(family: Family) -> MetricFigures:
    one = family.definition
    values = []
    for sample in family.samples:
        names = dict(zip(one.labels, sample.labels, strict=True))
        if isinstance(sample.value, Distribution):
            values.append(Value(labels=names, value=None, buckets=list(sample.value.counts), sum=sample.value.sum))
        else:
            values.append(Value(labels=names, value=sample.value))
    return MetricFigures(name=one.name, kind=one.kind, unit=one.unit, says=one.says, bounds=list(one.buckets), values=values)
