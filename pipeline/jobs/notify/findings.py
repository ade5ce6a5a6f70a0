"""What is worth telling of one run: pure functions over what the run's row holds. Words are ours; numbers and codes are the run's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from pipeline.domain.vocabulary import DriftClass, FailureCategory, RunKind
from pipeline.jobs.drift.source_side import DISAGREEMENTS
from pipeline.jobs.metrics.model import label
from pipeline.jobs.notify.model import Finding, Topic
from pipeline.jobs.report.wording import counted
from pipeline.jobs.summaries import Freshness
from pipeline.storage.runs import Run

_ENDS: Final = {
    "failed": "broke off with an error",
    "killed": "was killed",
    "running": "began and never ended",
    "incomplete": "left something out",
}
_HELD_BACK: Final = {
    FailureCategory.GATE_REFUSED.value: "held back by the identifier gate",
    FailureCategory.QUALITY_BLOCKED.value: "held back by a blocking expectation",
}
_SHIFT: Final = "_shift"  # end of the columns of distributions (schemas/expectations/runs.json)


def of_run(run: Run, failures: Mapping[str, int]) -> list[Finding]:
    """Return what is to be told of a run.

    Args:
        run: As its row has it.
        failures: What it did not take, by category.
    """
    failures = {label(name): count for name, count in failures.items()}
    found = [*_blocked(run, failures), *_OWN.get(run.kind, _nothing)(run)]
    broke_off = run.state in ("failed", "killed", "running")
    if broke_off or (run.state == "incomplete" and run.kind not in _OWN):
        others = {name: count for name, count in failures.items() if name not in _HELD_BACK}
        if broke_off or others or not found:
            found.append(_ended(run, others))
    return found


def stale(found: Freshness) -> list[Finding]:
    """Return that recruiting statuses are older than the objective."""
    if not found.breaches:
        return []
    oldest = f"; the oldest {found.oldest_hours:,.0f} hours ago" if found.oldest_hours is not None else ""
    of = counted(found.recruiting, "recruiting study", "recruiting studies")
    says = f"Not confirmed within {found.objective_hours:g} hours: {found.breaches:,} of {of}{oldest}."
    counts = {"breaches": found.breaches, "recruiting": found.recruiting, "outdated": found.outdated}
    return [Finding(topic=Topic.FRESHNESS, run=RunKind.INGEST.value, says=says, counts=counts)]


def _ended(run: Run, failures: Mapping[str, int]) -> Finding:
    what = f": {_listed(failures)}" if failures else ""
    says = f"The {label(run.kind)} run {_ENDS.get(run.state, 'ended otherwise')}{what}."
    return _finding(Topic.INCOMPLETE, run, says, failures)


def _blocked(run: Run, failures: Mapping[str, int]) -> Iterator[Finding]:
    for category, says in _HELD_BACK.items():
        if count := failures.get(category, 0):
            yield _finding(Topic.BLOCKED, run, f"{counted(count, 'document')} {says}.", {category: count})


def _nothing(_: Run) -> Iterator[Finding]:
    return iter(())


def _quality(run: Run) -> Iterator[Finding]:
    broken: Sequence[Mapping[str, Any]] = run.counts.get("broken", [])
    blocking = {label(one["id"]): int(one["broken"]) for one in broken if one["severity"] == "block"}
    moved = {label(one["id"]): int(one["broken"]) for one in broken if str(one["column"]).endswith(_SHIFT)}
    if blocking:
        yield _finding(Topic.BLOCKED, run, f"Blocking expectations are broken, by rows: {_listed(blocking)}.", blocking)
    if moved:
        yield _finding(Topic.DRIFT, run, f"Distributions have moved from those of the last checks: {', '.join(moved)}.", moved)


def _reconcile(run: Run) -> Iterator[Finding]:
    classes = run.counts.get("classes", {})
    points = {name.value: classes.get(name.value, 0) for name in DriftClass if name is not DriftClass.OK and classes.get(name.value)}
    if points:
        yield _finding(Topic.DRIFT, run, f"Points that differ from the database: {_listed(points)}.", points)
    elif run.counts.get("sums_close") is False:
        yield _finding(Topic.DRIFT, run, "The sums of the reconciliation do not close.", {})
    records: Counter[str] = Counter()
    for side in run.counts.get("sources", []):
        records.update({name.value: side["classes"].get(name.value, 0) for name in DISAGREEMENTS})
    if differing := {name: count for name, count in records.items() if count}:
        says = f"Records of the last listings that differ from the database: {_listed(differing)}."
        yield _finding(Topic.DRIFT, run, says, differing)


def _evaluate(run: Run) -> Iterator[Finding]:
    below = {label(name): 1 for name in run.counts.get("below", [])}
    if below:
        yield _finding(Topic.INCOMPLETE, run, f"Measures of retrieval are below their floor: {', '.join(below)}.", below)
    if missing := int(run.counts.get("missing", 0)):
        yield _finding(Topic.INCOMPLETE, run, f"{counted(missing, 'judged document')} not in the home.", {"missing": missing})


def _audit(run: Run) -> Iterator[Finding]:
    classes: Counter[str] = Counter()
    for group in run.counts.get("leaks", []):
        classes[label(group["category"])] += group["count"]
    if classes:
        yield _finding(Topic.BLOCKED, run, f"The audit found identifiers in what is shown: {_listed(classes)}.", classes)


# Runs that end incomplete because they found something: what it was is told, not that they are incomplete.
_OWN: Final[dict[str, Callable[[Run], Iterator[Finding]]]] = {
    RunKind.QUALITY: _quality,
    RunKind.RECONCILE: _reconcile,
    RunKind.EVALUATE: _evaluate,
    RunKind.AUDIT: _audit,
}


def _finding(topic: Topic, run: Run, says: str, counts: Mapping[str, int]) -> Finding:
    return Finding(topic=topic, run=label(run.kind), says=says, counts=dict(counts))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
