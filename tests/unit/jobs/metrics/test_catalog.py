"""Names and labels of metrics, by the conventions of Prometheus and by what may be shown."""

from __future__ import annotations

import re

import pytest

from pipeline.jobs.metrics import catalog
from pipeline.jobs.metrics.model import OTHER, Definition, MetricKind, label

ALL = (*catalog.HOME, *catalog.SERVICE)

# Of closed vocabularies, or names of ours. An id, a key, a query or a text has no place here.
LABELS = {
    "kind", "source", "state", "outcome", "class", "stage", "category", "severity", "objective", "measure", "endpoint", "code",
}  # fmt: skip


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_names_follow_the_conventions(one: Definition):
    assert re.fullmatch(r"clindex_[a-z][a-z_]*[a-z]", one.name)
    assert not one.name.endswith("_total")  # Prometheus' text adds it to a counter
    assert one.name.endswith("_seconds") == (one.unit == "s")
    assert one.name.endswith("_ratio") == (one.unit == "1")
    assert one.says[0].isupper() or one.says[0].isdigit()
    assert set(one.labels) <= LABELS
    assert bool(one.buckets) == (one.kind is MetricKind.HISTOGRAM)
    assert list(one.buckets) == sorted(set(one.buckets))


def test_no_name_is_given_twice():
    assert len({one.name for one in ALL}) == len(ALL)


@pytest.mark.parametrize("text", ["John Doe", "a" * 65, "", 'x"y', "x\n", "naïve"])
def test_what_is_no_name_of_ours_is_no_label(text: str):
    assert label(text) == OTHER


@pytest.mark.parametrize("text", ["clinicaltrials.gov", "recall@10", "/search", "OTHER_ID", "index"])
def test_names_of_ours_are_labels(text: str):
    assert label(text) == text
