"""Sends families to an OTLP/HTTP receiver (an OpenTelemetry collector). A monitor that is away stops nothing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pipeline
from pipeline.domain.errors import ClindexError
from pipeline.jobs.metrics.figures import home_families
from pipeline.jobs.metrics.model import Definition, Distribution, Family, MetricKind, Sample
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.storage.engine import Database
from pipeline.wiring import open_services

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import Metric, MetricsData

_PATH: Final = "/v1/metrics"
_SCOPE: Final = "clindex"


def tell_monitor(settings: Settings, *, since: datetime) -> bool:
    """Open the home and do what ``push_if_ended`` does. A home that cannot be opened has nothing to tell."""
    if settings.otlp_endpoint is None:
        return False
    try:
        with open_services(settings) as services:
            return push_if_ended(services.db, settings, since=since)
    except ClindexError as error:
        log_event("metrics_not_sent", level=logging.WARNING, error=type(error).__name__)
        return False


def push_if_ended(db: Database, settings: Settings, *, since: datetime) -> bool:
    """Send the home's figures if a receiver is set and a run has ended since. Returns whether they arrived."""
    if settings.otlp_endpoint is None:
        return False
    with db.read() as tx:
        if not runs.any_ended(tx, since):
            return False
    return push(home_families(db, settings, now=datetime.now(UTC)), settings)


def push(families: Sequence[Family], settings: Settings) -> bool:
    """Send families to ``otlp_endpoint``. Returns whether they arrived; what went wrong is logged as its class alone."""
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics.export import MetricExportResult

    if settings.otlp_endpoint is None:
        return False
    logging.getLogger(OTLPMetricExporter.__module__).setLevel(logging.CRITICAL)  # its lines quote URLs, which may hold a password
    url = settings.otlp_endpoint.rstrip("/").removesuffix(_PATH) + _PATH
    exporter = OTLPMetricExporter(endpoint=url, timeout=settings.otlp_timeout_seconds)
    try:
        arrived = exporter.export(metrics_data(families)) is MetricExportResult.SUCCESS
    except Exception as error:  # noqa: BLE001 - a monitor that is away stops nothing
        log_event("metrics_not_sent", level=logging.WARNING, error=type(error).__name__)
        return False
    finally:
        exporter.shutdown()
    log_event("metrics_sent" if arrived else "metrics_not_sent", level=logging.INFO if arrived else logging.WARNING, metrics=len(families))
    return arrived


def metrics_data(families: Sequence[Family]) -> MetricsData:
    """Return families in OpenTelemetry's form, as of now."""
    from opentelemetry.sdk.metrics.export import MetricsData, ResourceMetrics, ScopeMetrics
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    now = int(datetime.now(UTC).timestamp() * 1e9)
    scope = ScopeMetrics(InstrumentationScope(_SCOPE, pipeline.__version__), [_metric(one, now) for one in families], "")
    resource = Resource.create({"service.name": "clindex", "service.version": pipeline.__version__})
    return MetricsData([ResourceMetrics(resource, [scope], "")])


def _metric(family: Family, now: int) -> Metric:
    from opentelemetry.sdk.metrics.export import AggregationTemporality, Gauge, Histogram, Metric, NumberDataPoint, Sum

    one = family.definition
    cumulative = AggregationTemporality.CUMULATIVE
    if one.kind is MetricKind.HISTOGRAM:
        data: Any = Histogram([_distribution(one, sample, now) for sample in family.samples], cumulative)
    else:
        points = [
            NumberDataPoint(_attributes(one, sample), 0, now, sample.value)
            for sample in family.samples
            if not isinstance(sample.value, Distribution)
        ]
        data = Sum(points, cumulative, is_monotonic=True) if one.kind is MetricKind.COUNTER else Gauge(points)
    return Metric(one.name, one.says, one.unit, data)


def _distribution(one: Definition, sample: Sample, now: int) -> Any:
    from opentelemetry.sdk.metrics.export import HistogramDataPoint

    if not isinstance(sample.value, Distribution):
        raise TypeError(f"{one.name} is a histogram")
    counts = sample.value.counts
    unknown: Any = None  # least and greatest: the class asks for what is optional in the protocol, and the encoder leaves None away
    return HistogramDataPoint(
        _attributes(one, sample), 0, now, sum(counts), sample.value.sum, counts, one.buckets, min=unknown, max=unknown
    )


def _attributes(one: Definition, sample: Sample) -> dict[str, str]:
    return dict(zip(one.labels, sample.labels, strict=True))
