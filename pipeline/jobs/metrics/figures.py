"""The figures of a home, read from truth in one snapshot: grouped in the database, so that memory does not grow with it. No index is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pipeline.domain.vocabulary import DriftClass, RunKind
from pipeline.jobs.deletion.facts import deletion_facts, hold_facts
from pipeline.jobs.drift.source_side import DISAGREEMENTS
from pipeline.jobs.freshness import freshness
from pipeline.jobs.metrics import catalog as of
from pipeline.jobs.metrics import queries
from pipeline.jobs.metrics.model import Definition, Distribution, Family, Sample, label
from pipeline.jobs.quality import held
from pipeline.jobs.quality.figures import FEWEST_SEARCHES
from pipeline.jobs.report.queries import failure_groups, last_ended
from pipeline.settings import Settings
from pipeline.storage import quarantine, runs
from pipeline.storage.chunks import expected_count
from pipeline.storage.engine import Database

_ENDED: Final = ("success", "incomplete", "failed", "killed")


def home_families(db: Database, settings: Settings, *, now: datetime) -> list[Family]:
    """Return the metrics of ``catalog.HOME`` that have a value. What was never measured (no audit, no evaluation) has none."""
    with db.read() as tx:
        parts = (_documents(tx), _index(tx), _runs(tx, now), _last_runs(tx), _pages(tx), _privacy(tx), _quality(tx, settings, now))
        families = [_family(of.FIGURES_TIME, {(): now.timestamp()}), *(family for part in parts for family in part)]
    return [family for family in families if family.samples]


def _family(definition: Definition, values: Mapping[tuple[str, ...], float]) -> Family:
    """Return a metric by its labels. Values of labels that are not fit to be shown fall together under one name."""
    added: dict[tuple[str, ...], float] = {}
    for names, value in values.items():
        shown = tuple(label(name) for name in names)
        added[shown] = added.get(shown, 0.0) + value
    return Family(definition, tuple(Sample(names, float(value)) for names, value in added.items()))


def _single(values: Mapping[str, float]) -> dict[tuple[str, ...], float]:
    return {(name,): value for name, value in values.items()}


def _documents(tx: Connection) -> Iterator[Family]:
    yield _family(of.DOCUMENTS, queries.documents(tx))
    yield _family(of.QUALITY_HELD, {(): held.count(tx)})
    yield _family(of.LEGAL_HOLDS, {(): hold_facts(tx).active})
    gone = deletion_facts(tx)
    yield _family(of.DELETIONS_WAITING, _single({"open": gone.open, "erased": gone.erased}))
    passed = gone.last_verification_passed
    yield _family(of.CERTIFICATES_PASSED, {} if passed is None else {(): float(passed)})
    yield _family(of.FHIR_RESOURCES, _single(queries.fhir_resources(tx)))


def _index(tx: Connection) -> Iterator[Family]:
    yield _family(of.POINTS_EXPECTED, {(): expected_count(tx)})
    compared = last_ended(tx, RunKind.RECONCILE)
    if compared is None:
        return
    counts = compared.counts
    classes = counts.get("classes", {})
    yield _family(of.POINTS, {(): counts.get("found", 0)})
    yield _family(of.DRIFT, _single({name: classes.get(name, 0) for name in DriftClass if name is not DriftClass.OK}))
    differing: Counter[tuple[str, ...]] = Counter()
    for side in counts.get("sources", []):
        for name in DISAGREEMENTS:
            differing[side["source"], name.value] += side["classes"].get(name.value, 0)
    yield _family(of.SOURCE_DRIFT, differing)


def _runs(tx: Connection, now: datetime) -> Iterator[Family]:
    counts = queries.runs_by_kind_and_state(tx)
    yield _family(of.RUNS, {names: count for names, count in counts.items() if names[1] in _ENDED})
    going = Counter(run.kind for run in runs.alive(tx, now))
    yield _family(of.RUNS_RUNNING, _single({kind: going[kind] for kind in sorted({kind for kind, _ in counts})}))
    yield _family(of.LAST_SUCCESS, _single({kind: at.timestamp() for kind, at in queries.last_successes(tx).items()}))
    hits, misses = queries.embedding_lookups(tx)
    yield _family(of.EMBEDDING_LOOKUPS, _single({"hit": hits, "miss": misses}))


def _last_runs(tx: Connection) -> Iterator[Family]:
    last = [run for kind in RunKind if (run := runs.latest_ended(tx, kind)) is not None]
    yield _family(of.LAST_STATE, {(run.kind, state): float(run.state == state) for run in last for state in _ENDED})
    ended = [(run, run.finished_at) for run in last if run.finished_at is not None]
    yield _family(of.LAST_END, _single({run.kind: at.timestamp() for run, at in ended}))
    yield _family(of.RUN_SECONDS, _single({run.kind: max(0.0, (at - run.started_at).total_seconds()) for run, at in ended}))
    stages = {run.kind: seconds for run in last if isinstance(seconds := run.counts.get("seconds"), Mapping)}
    yield _family(of.STAGE_SECONDS, {(kind, stage): float(value) for kind, found in stages.items() for stage, value in found.items()})
    failed: Counter[tuple[str, ...]] = Counter()
    for run in last:
        for _, category, count in failure_groups(tx, run.run_id):
            failed[run.kind, category] += count
    yield _family(of.RUN_FAILURES, failed)


def _pages(tx: Connection) -> Iterator[Family]:
    yield _family(of.PAGES, _single(queries.pages(tx)))
    counts, total = queries.ocr_confidence(tx, of.OCR_CONFIDENCE)
    yield Family(of.OCR_PAGES, (Sample((), Distribution(counts, total)),) if sum(counts) else ())


def _privacy(tx: Connection) -> Iterator[Family]:
    found: Counter[str] = Counter()
    for one in quarantine.listed(tx):
        found.update(one.classes)
    yield _family(of.PHI_GATE, _single(found))
    audit = last_ended(tx, RunKind.AUDIT)
    leaks: Counter[str] = Counter()
    for group in audit.counts.get("leaks", []) if audit else ():
        leaks[group["category"]] += group["count"]
    yield _family(of.PHI_AUDIT, _single(leaks))


def _quality(tx: Connection, settings: Settings, now: datetime) -> Iterator[Family]:
    breaches: dict[str, float] = {}
    ages = freshness(tx, objective_hours=settings.status_max_age_hours, now=now)
    if ages.oldest_hours is not None:
        breaches["freshness"] = ages.breaches
        yield _family(of.OLDEST_STATUS, {(): ages.oldest_hours * 3600})
    if (check := last_ended(tx, RunKind.QUALITY)) is not None:
        breaches["quality"] = check.counts.get("blocked", 0)
        yield _family(of.EXPECTATIONS, _single({"block": check.counts.get("blocked", 0), "warn": check.counts.get("warned", 0)}))
        yield _family(of.ZERO_HIT, dict(_zero_hit(check.counts.get("figures", {}))))
    if (asked := last_ended(tx, RunKind.EVALUATE)) is not None:
        breaches["retrieval"] = len(asked.counts.get("below", []))
        yield _family(of.RETRIEVAL, _single({name: one["value"] for name, one in asked.counts.get("metrics", {}).items()}))
    yield _family(of.BREACHES, _single(breaches))


def _zero_hit(figures: Mapping[str, float]) -> Iterable[tuple[tuple[str, ...], float]]:
    searches = figures.get("searches", 0)
    if searches >= FEWEST_SEARCHES:
        yield (), figures.get("zero_hits", 0) / searches
