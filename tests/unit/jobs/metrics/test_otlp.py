"""Sending figures: to a receiver that reads them as a collector does, and to one that is away."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from pipeline.jobs.metrics import catalog, home_families
from pipeline.jobs.metrics.model import Distribution, Family, Sample
from pipeline.jobs.metrics.otlp import push, push_if_ended
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.testing.http_faults import RecordedRequest, fails, slow
from pipeline.testing.receivers import Receiver
from pipeline.wiring import Services, utc_now

PASSWORD = "correct-horse"
RATIO = Family(catalog.ZERO_HIT, (Sample((), 0.25),))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


def to(url: str, **more: Any) -> Settings:
    return Settings(otlp_endpoint=url, **more)


def read(request: RecordedRequest) -> dict[str, Any]:
    """The metrics of a request, by name."""
    body = gzip.decompress(request.body) if request.header("Content-Encoding") == "gzip" else request.body
    message = ExportMetricsServiceRequest.FromString(body)
    (resource,) = message.resource_metrics
    assert {one.key: one.value.string_value for one in resource.resource.attributes}["service.name"] == "clindex"
    return {metric.name: metric for scope in resource.scope_metrics for metric in scope.metrics}


def test_the_figures_of_a_home_arrive_as_they_are(services: Services, receiver: Receiver):
    families = home_families(services.db, services.settings, now=utc_now())
    assert push(families, to(receiver.url))
    (request,) = receiver.requests
    assert (request.path, request.method) == ("/v1/metrics", "POST")
    found = read(request)
    assert set(found) == {family.definition.name for family in families}
    for family in families:
        one, data = family.definition, found[family.definition.name]
        assert (data.unit, data.description) == (one.unit, one.says)
        points = getattr(data, data.WhichOneof("data")).data_points
        got = {tuple(sorted((each.key, each.value.string_value) for each in point.attributes)): point.as_double for point in points}
        assert got == {tuple(sorted(zip(one.labels, sample.labels, strict=True))): sample.value for sample in family.samples}
    assert found["clindex_runs"].sum.is_monotonic
    assert found["clindex_runs"].sum.aggregation_temporality == 2  # cumulative
    assert found["clindex_documents"].WhichOneof("data") == "gauge"


def test_a_distribution_arrives_with_its_buckets(receiver: Receiver):
    counts = (0, 0, 0, 1, 2, 0, 0, 0, 7)
    assert push([Family(catalog.OCR_PAGES, (Sample((), Distribution(counts, 9.25)),))], to(receiver.url))
    (point,) = read(receiver.requests[0])["clindex_ocr_page_confidence_ratio"].histogram.data_points
    assert tuple(point.bucket_counts) == counts
    assert tuple(point.explicit_bounds) == catalog.OCR_CONFIDENCE
    assert (point.count, point.sum) == (10, 9.25)
    assert not point.HasField("min")


@pytest.mark.parametrize("written", ["", "/", "/v1/metrics"])
def test_the_path_is_added_once(receiver: Receiver, written: str):
    assert push([RATIO], to(receiver.url + written))
    assert [request.path for request in receiver.requests] == ["/v1/metrics"]


def test_a_receiver_that_refuses_or_hangs_is_no_error_and_quoted_nowhere(receiver: Receiver, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.DEBUG, logger="clindex"):
        receiver.fail_next(fails(400, PASSWORD))
        assert not push([RATIO], to(receiver.url.replace("127.0.0.1", f"user:{PASSWORD}@127.0.0.1")))
        receiver.fail_next(slow(3))
        assert not push([RATIO], to(receiver.url, otlp_timeout_seconds=0.3))
    assert not push([RATIO], to(f"http://user:{PASSWORD}@127.0.0.1:9", otlp_timeout_seconds=0.3))
    assert "metrics_not_sent" in caplog.text
    assert PASSWORD not in caplog.text


def test_nothing_is_sent_without_a_setting_or_without_a_run(services: Services, receiver: Receiver):
    long_ago, later = datetime(2020, 1, 1, tzinfo=UTC), utc_now() + timedelta(hours=1)
    assert not push_if_ended(services.db, services.settings, since=long_ago)
    aimed = services.settings.model_copy(update={"otlp_endpoint": receiver.url})
    assert not push_if_ended(services.db, aimed, since=later)
    assert receiver.requests == []
    with services.db.begin() as tx:
        runs.finish_run(tx, runs.start_run(tx, "index", later), "failed", {}, later)
    assert push_if_ended(services.db, aimed, since=later)
    (failed,) = [
        point.as_double
        for point in read(receiver.requests[0])["clindex_run_last_state"].gauge.data_points
        if {one.key: one.value.string_value for one in point.attributes} == {"kind": "index", "state": "failed"}
    ]
    assert failed == 1
