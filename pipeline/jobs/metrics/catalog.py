"""Every metric of Clindex. ``HOME``: read from truth. ``SERVICE``: counted by a serving process since it started."""

from __future__ import annotations

from typing import Final

from pipeline.jobs.metrics.model import Definition, MetricKind

_GAUGE, _COUNTER, _HISTOGRAM = MetricKind.GAUGE, MetricKind.COUNTER, MetricKind.HISTOGRAM

# Seconds. Aims are 0.06 without and 0.3 with re-ranking; beyond a second it is waiting for a lock.
REQUEST_SECONDS: Final = (0.005, 0.01, 0.02, 0.03, 0.06, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 10.0)

# 0.7 is the bound below which a page is to be looked at (``LOW_CONFIDENCE``); good prints lie above 0.9.
OCR_CONFIDENCE: Final = (0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)

FIGURES_TIME: Final = Definition("clindex_figures_timestamp_seconds", _GAUGE, "When these figures were read from the database", "s")

DOCUMENTS: Final = Definition(
    "clindex_documents", _GAUGE, "Documents by kind, source and state in the index", "{document}", ("kind", "source", "state")
)
QUALITY_HELD: Final = Definition("clindex_quality_held_documents", _GAUGE, "Documents that a blocking expectation holds back", "{document}")
LEGAL_HOLDS: Final = Definition("clindex_legal_holds", _GAUGE, "Active legal holds", "{hold}")
DELETIONS_WAITING: Final = Definition(
    "clindex_deletions_waiting", _GAUGE, "Deletions without a certificate, by state", "{deletion}", ("state",)
)
CERTIFICATES_PASSED: Final = Definition(
    "clindex_certificates_verified", _GAUGE, "1: the last verification of certificates of deletion passed; 0: it failed", "{outcome}"
)
FHIR_RESOURCES: Final = Definition("clindex_fhir_resources", _GAUGE, "FHIR resources by outcome", "{resource}", ("outcome",))

POINTS: Final = Definition("clindex_index_points", _GAUGE, "Points that the last reconciliation found in the index", "{point}")
POINTS_EXPECTED: Final = Definition("clindex_index_points_expected", _GAUGE, "Points that the index must hold now", "{point}")
DRIFT: Final = Definition(
    "clindex_drift_points", _GAUGE, "Points that the last reconciliation found to differ from the database, by class", "{point}", ("class",)
)
SOURCE_DRIFT: Final = Definition(
    "clindex_source_disagreements",
    _GAUGE,
    "Records on which the last complete listing and the database differ, by source and class",
    "{record}",
    ("source", "class"),
)

RUNS: Final = Definition("clindex_runs", _COUNTER, "Runs that ended, by kind and state", "{run}", ("kind", "state"))
RUNS_RUNNING: Final = Definition("clindex_runs_running", _GAUGE, "Runs that go on now, by kind", "{run}", ("kind",))
LAST_STATE: Final = Definition(
    "clindex_run_last_state", _GAUGE, "1 for the state in which the last run of a kind ended, 0 for the others", "{run}", ("kind", "state")
)
LAST_SUCCESS: Final = Definition(
    "clindex_run_last_success_timestamp_seconds", _GAUGE, "When the last successful run of a kind ended", "s", ("kind",)
)
LAST_END: Final = Definition("clindex_run_last_end_timestamp_seconds", _GAUGE, "When the last run of a kind ended", "s", ("kind",))
RUN_SECONDS: Final = Definition("clindex_run_last_duration_seconds", _GAUGE, "How long the last run of a kind took", "s", ("kind",))
STAGE_SECONDS: Final = Definition(
    "clindex_run_stage_duration_seconds", _GAUGE, "How long a stage of the last run of a kind took", "s", ("kind", "stage")
)
RUN_FAILURES: Final = Definition(
    "clindex_run_failures", _GAUGE, "What the last run of a kind did not take, by category", "{record}", ("kind", "category")
)
EMBEDDING_LOOKUPS: Final = Definition(
    "clindex_embedding_cache_lookups", _COUNTER, "Texts of index runs whose vector was known (hit) or made (miss)", "{text}", ("outcome",)
)

PAGES: Final = Definition("clindex_pages", _GAUGE, "Pages of files by outcome of their reading", "{page}", ("outcome",))
OCR_PAGES: Final = Definition(
    "clindex_ocr_page_confidence_ratio", _HISTOGRAM, "Mean confidence of pages that OCR read", "1", (), OCR_CONFIDENCE
)
PHI_GATE: Final = Definition(
    "clindex_phi_gate_findings",
    _GAUGE,
    "Identifiers that the gate found in documents that it holds back, by class",
    "{finding}",
    ("class",),
)
PHI_AUDIT: Final = Definition(
    "clindex_phi_audit_findings", _GAUGE, "Identifiers that the last audit found in what is shown, by class", "{finding}", ("class",)
)

EXPECTATIONS: Final = Definition(
    "clindex_quality_expectations_broken",
    _GAUGE,
    "Expectations broken at the last check of data quality",
    "{expectation}",
    ("severity",),
)
ZERO_HIT: Final = Definition(
    "clindex_search_zero_hit_ratio", _GAUGE, "Share of searches that found nothing, between the last two checks of data quality", "1"
)
BREACHES: Final = Definition(
    "clindex_objective_breaches",
    _GAUGE,
    "What misses an objective: recruiting studies (freshness), blocking expectations (quality), measures below their floor (retrieval)",
    "{breach}",
    ("objective",),
)
OLDEST_STATUS: Final = Definition(
    "clindex_recruiting_status_oldest_seconds", _GAUGE, "Since when no source has confirmed the oldest recruiting status", "s"
)
RETRIEVAL: Final = Definition(
    "clindex_retrieval_measure_ratio", _GAUGE, "Measures of the last evaluation by judged queries", "1", ("measure",)
)

HOME: Final = (
    FIGURES_TIME, DOCUMENTS, QUALITY_HELD, LEGAL_HOLDS, DELETIONS_WAITING, CERTIFICATES_PASSED, FHIR_RESOURCES, POINTS, POINTS_EXPECTED,
    DRIFT, SOURCE_DRIFT, RUNS, RUNS_RUNNING, LAST_STATE, LAST_SUCCESS, LAST_END, RUN_SECONDS, STAGE_SECONDS, RUN_FAILURES,
    EMBEDDING_LOOKUPS, PAGES, OCR_PAGES, PHI_GATE, PHI_AUDIT, EXPECTATIONS, ZERO_HIT, BREACHES, OLDEST_STATUS, RETRIEVAL,
)  # fmt: skip

HOME_UP: Final = Definition("clindex_home_up", _GAUGE, "1: the figures of the home could be read; 0: they could not", "{home}")
REQUESTS: Final = Definition("clindex_requests", _COUNTER, "Answered requests", "{request}", ("endpoint", "code"))
REQUEST_TIME: Final = Definition("clindex_request_seconds", _HISTOGRAM, "Seconds to the answer", "s", ("endpoint",), REQUEST_SECONDS)
SEARCHES: Final = Definition("clindex_searches", _COUNTER, "Searches that were answered", "{search}", ("endpoint",))
ZERO_HITS: Final = Definition("clindex_zero_hit_searches", _COUNTER, "Searches that found nothing", "{search}", ("endpoint",))
HITS: Final = Definition("clindex_hits", _COUNTER, "Hits shown", "{hit}", ("endpoint",))
RESULT_CACHE: Final = Definition("clindex_result_cache", _COUNTER, "Look-ups of results", "{lookup}", ("outcome",))
QUERY_CACHE: Final = Definition("clindex_query_cache", _COUNTER, "Look-ups of query vectors", "{lookup}", ("outcome",))
REFUSED_KEYS: Final = Definition(
    "clindex_refused_keys",
    _COUNTER,
    "Requests with a key that opens nothing, by answer: 401, or 429 beyond the limit",
    "{request}",
    ("code",),
)

SERVICE: Final = (HOME_UP, REQUESTS, REQUEST_TIME, SEARCHES, ZERO_HITS, HITS, RESULT_CACHE, QUERY_CACHE, REFUSED_KEYS)


def series() -> frozenset[str]:
    """Return every name that an expression of an alert or a panel may ask for."""
    return frozenset(name for one in (*HOME, *SERVICE) for name in one.series)
