"""Families as Prometheus' text, and as a collector that reads them when it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from pipeline.jobs.metrics.model import Definition, Distribution, Family, MetricKind

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST


class HomeCollector(Collector):
    """Yields what ``read`` returns, at each collection anew."""

    def __init__(self, read: Callable[[], Sequence[Family]]) -> None:
        self._read = read

    def collect(self) -> Iterator[Metric]:
        """Yield the families in the library's own form."""
        for family in self._read():
            yield _metric(family)

    def describe(self) -> Iterator[Metric]:
        """Yield nothing: registering must not read the home."""
        return iter(())


def page(families: Sequence[Family]) -> str:
    """Return families as Prometheus' text."""
    registry = CollectorRegistry()
    registry.register(HomeCollector(lambda: families))
    return generate_latest(registry).decode("utf-8")


def _metric(family: Family) -> Metric:
    one = family.definition
    if one.kind is MetricKind.HISTOGRAM:
        return _histogram(one, family)
    kind = CounterMetricFamily if one.kind is MetricKind.COUNTER else GaugeMetricFamily
    shown = kind(one.name, one.says, labels=one.labels)
    for sample in family.samples:
        if not isinstance(sample.value, Distribution):
            shown.add_metric(sample.labels, sample.value)
    return shown


def _histogram(one: Definition, family: Family) -> Metric:
    shown = HistogramMetricFamily(one.name, one.says, labels=one.labels)
    for sample in family.samples:
        if isinstance(sample.value, Distribution):
            below, upto = 0, []
            for bound, count in zip([*map(floatToGoString, one.buckets), "+Inf"], sample.value.counts, strict=True):
                below += count
                upto.append((bound, below))
            shown.add_metric(sample.labels, upto, sample.value.sum)
    return shown
